//go:build linux

package stress

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// mounted is a folder on a file system of its own in memory. It needs the right to mount.
func mounted(t *testing.T, size string) string {
	t.Helper()
	dir := scratch(t)
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size="+size+",mode=0755"); err != nil {
		t.Skip("no right to mount: ", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	return dir
}

// fill leaves so many bytes of a file system free, and gives what frees the rest.
func fill(t *testing.T, dir string, free int64) (empty func()) {
	t.Helper()
	name := filepath.Join(dir, "filling")
	f, err := os.Create(name)
	must(t, err)
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("the disk is not full: %v", err)
	}
	info, err := f.Stat()
	must(t, err)
	must(t, f.Truncate(max(0, info.Size()-free)))
	must(t, f.Close())
	return func() { must(t, os.Remove(name)) }
}

// TestFullDisk: a vault on a disk of 256 KiB that is full, with 0 to 40 KiB left. Whatever fails,
// the notes are as they were, the error says that there is no space, no temporary file stays, and
// the message is done once there is space.
func TestFullDisk(t *testing.T) {
	bin, srv := binary(t), model(t)
	refused, failed := 0, 0
	for kib := rounds(4, 0); kib <= 40; kib += rounds(20, 2) {
		dir := mounted(t, "256k")
		h := newHome(t, dir, bin, srv, nil) // the vault and its state are on the disk that is full
		big := strings.Repeat("old content\n", 2000)
		must(t, os.WriteFile(filepath.Join(h.vault, "log.md"), []byte(big), 0o644))
		empty := fill(t, dir, int64(kib)<<10)
		r := h.run(0, nil, "ask", "--json", "append: please do it")
		now := read(t, filepath.Join(h.vault, "log.md"))
		if now != big && now != big+"\n- entry\n" {
			t.Errorf("%d KiB: the note holds %d bytes", kib, len(now))
		}
		if left := h.temporary(); len(left) > 0 {
			t.Errorf("%d KiB: left %v", kib, left)
		}
		if now == big { // then it is said why
			all := r.out + r.err
			if !strings.Contains(all, "no space left") && !strings.Contains(all, "disk is full") {
				t.Errorf("%d KiB: it ended with %d and says\n%s", kib, r.status, all)
			}
			if len(r.accepted()) == 0 {
				refused++
			} else {
				failed++
			}
		}
		for _, bad := range h.torn() {
			t.Errorf("%d KiB: torn %s", kib, bad)
		}
		inbox, answered, err := h.kept("append: please do it")
		if err != nil || len(r.accepted()) > 0 && inbox+answered == 0 {
			t.Errorf("%d KiB: the message is %d times in the inbox and %d times answered: %v\n%s%s", kib, inbox, answered, err, r.out, r.err)
		}
		if r.status == 0 && answered == 0 {
			t.Errorf("%d KiB: it ended with 0, and no answer is recorded", kib)
		}
		empty()
		if again := h.run(0, nil, "inbox", "retry", "--yes"); again.status != 0 {
			t.Errorf("%d KiB: with space it ended with %d: %s", kib, again.status, again.err)
		}
		if inbox > 0 && answered == 0 {
			if now := read(t, filepath.Join(h.vault, "log.md")); now != big+"\n- entry\n" {
				t.Errorf("%d KiB: with space the note ends in %q", kib, now[max(0, len(now)-40):])
			}
		}
	}
	t.Logf("%d messages were refused, %d changes failed", refused, failed)
}

// TestFullDiskKeepsWhatIsTyped: in the chat, a message that cannot be kept is not shown as sent:
// it stands in the composer again, or the screen says so and keeps it, and goes once there is space.
func TestFullDiskKeepsWhatIsTyped(t *testing.T) {
	dir := mounted(t, "256k")
	h := newHome(t, dir, binary(t), model(t), map[string]string{"log.md": "# Log\n"})
	c := h.open(t)
	c.WaitIdle(200*time.Millisecond, patience)
	empty := fill(t, dir, 0)
	c.send("append: please do it")
	c.WaitFor("no space left", patience)
	c.WaitFor("› append: please do it", patience)
	empty()
	c.Press("enter")
	c.WaitFor("It is done.", patience)
	if got := read(t, filepath.Join(h.vault, "log.md")); got != "# Log\n\n- entry\n" {
		t.Errorf("the note is %q", got)
	}
}

// TestReadOnly: of a vault on a file system that is mounted read-only one can talk, and notes can be
// read; what would change one says why it cannot.
func TestReadOnly(t *testing.T) {
	dir := mounted(t, "1m")
	h := newHome(t, scratch(t), binary(t), model(t), nil)
	h.vault = filepath.Join(dir, "Notes")
	must(t, os.MkdirAll(h.vault, 0o755))
	must(t, os.WriteFile(filepath.Join(h.vault, "log.md"), []byte("# Log\n"), 0o644))
	must(t, unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""))
	r := h.run(0, nil, "ask", "append: please do it")
	if r.status != 0 || !strings.Contains(r.err, "This vault is read-only") {
		t.Errorf("status %d: %s", r.status, r.err)
	}
	if r := h.run(0, nil, "tool", "read_file", `{"path":"log.md"}`); r.status != 0 || r.out != "1: # Log\n" {
		t.Errorf("reading: %d %q %s", r.status, r.out, r.err)
	}
	if r := h.run(0, nil, "tool", "append_file", `{"path":"log.md","content":"x"}`); r.status != 1 || !strings.Contains(r.err, "read-only") {
		t.Errorf("writing: %d %s", r.status, r.err)
	}
	if got := files(h.vault); !equal(got, map[string]string{"log.md": "# Log\n"}) {
		t.Errorf("now there is %v", got)
	}
}

// TestPermissions: as a user without privileges, in a folder that may not be written and with notes
// that may not be.
func TestPermissions(t *testing.T) {
	setpriv, err := exec.LookPath("setpriv")
	if err != nil || os.Getuid() != 0 {
		t.Skip("it takes root and setpriv to become somebody else: ", err)
	}
	dir := scratch(t)
	must(t, os.Chmod(dir, 0o755))
	bin := filepath.Join(dir, "chatvault") // where nobody may look into root's folders
	data, err := os.ReadFile(binary(t))
	must(t, err)
	must(t, os.WriteFile(bin, data, 0o755))
	h := newHome(t, filepath.Join(dir, "home"), bin, nil, map[string]string{"free.md": "free\n", "locked.md": "locked\n", "sealed/in.md": "in\n"})
	must(t, exec.Command("chown", "-R", "65534:65534", h.dir).Run())
	must(t, os.Chmod(filepath.Join(h.vault, "sealed"), 0o555))
	must(t, os.Chmod(filepath.Join(h.vault, "locked.md"), 0o444))
	must(t, os.Chown(filepath.Join(h.vault, "sealed"), 0, 0))
	must(t, os.Chown(filepath.Join(h.vault, "sealed", "in.md"), 0, 0))
	as := func(args ...string) (string, error) {
		cmd := exec.Command(setpriv, append([]string{"--reuid=65534", "--regid=65534", "--clear-groups", bin}, h.args(args...)...)...)
		cmd.Dir, cmd.Env = h.dir, h.environment()
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	before := files(h.vault)
	for _, call := range []string{
		`append_file {"path":"sealed/in.md","content":"x"}`,
		`write_file {"path":"sealed/new.md","content":"x"}`,
		`delete_file {"path":"sealed/in.md"}`,
		`move_file {"source":"sealed/in.md","destination":"out.md"}`,
		`move_file {"source":"free.md","destination":"sealed/out.md"}`,
	} {
		name, args, _ := strings.Cut(call, " ")
		out, err := as("tool", name, args)
		if err == nil || !strings.HasPrefix(out, "Error: ") || !strings.Contains(strings.ToLower(out), "permission") {
			t.Errorf("%s: %v, %q", call, err, out)
		}
	}
	before[".trash/"] = "" // made for what was to be deleted
	if d := differences(files(h.vault), before); len(d) > 0 {
		t.Errorf("changed: %v", d)
	}
	if left := h.temporary(); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	// A note that its owner has locked is not overwritten behind its mode, though its folder would allow it.
	for _, call := range []string{
		`append_file {"path":"locked.md","content":"x"}`,
		`write_file {"path":"locked.md","content":"x"}`,
		`edit_file {"path":"locked.md","old_text":"locked","new_text":"x"}`,
	} {
		name, args, _ := strings.Cut(call, " ")
		out, err := as("tool", name, args)
		if err == nil || !strings.HasPrefix(out, "Error: ") || !strings.Contains(out, "read-only") {
			t.Errorf("%s: %v, %q", call, err, out)
		}
		info, err := os.Stat(filepath.Join(h.vault, "locked.md"))
		must(t, err)
		if got := read(t, filepath.Join(h.vault, "locked.md")); got != "locked\n" || info.Mode().Perm() != 0o444 {
			t.Errorf("%s: it holds %q now and its mode is %v", call, got, info.Mode())
		}
	}
	if left := h.temporary(); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if out, err := as("ask", "add a line to free.md: and easy"); err != nil {
		t.Errorf("the rest of the vault: %v\n%s", err, out)
	}
}

// tracer returns the path of strace, or skips the test.
func tracer(t *testing.T) string {
	t.Helper()
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("no strace: ", err)
	}
	if out, err := exec.Command(strace, "-f", "-qq", "-o", "/dev/null", "true").CombinedOutput(); err != nil {
		t.Skipf("strace may not trace here: %v %s", err, out)
	}
	return strace
}

// TestSyncs holds which files and folders an ask with one edit syncs, once each and in this order: nothing is synced that
// no promise needs.
func TestSyncs(t *testing.T) {
	strace := tracer(t)
	bin, srv := binary(t), model(t)
	h := newHome(t, scratch(t), bin, srv, map[string]string{"log.md": "# Log\n"})
	if first := h.run(0, nil, "ask", "append: the first"); first.status != 0 { // creates the folders
		t.Fatalf("%d %s", first.status, first.err)
	}
	trace := filepath.Join(h.dir, "trace")
	cmd := exec.Command(strace, append([]string{"-f", "-qq", "-y", "-o", trace, "-e", "trace=fsync,fdatasync,syncfs,sync", bin}, h.args("ask", "append: please do it")...)...)
	cmd.Dir, cmd.Env = h.dir, h.environment()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	unique := regexp.MustCompile(`\.chatvault-tmp-[0-9A-Z]+|\d{8}-\d{6}[-0-9a-f]*(\.\d+-[0-9a-f]+)?`)
	var synced []string
	for _, m := range regexp.MustCompile(`sync\(\d*<?([^>)]*)`).FindAllStringSubmatch(read(t, trace), -1) {
		at, err := filepath.Rel(h.state(), m[1])
		if err != nil || strings.HasPrefix(at, "..") {
			at = "vault" + strings.TrimPrefix(m[1], h.vault)
		}
		synced = append(synced, unique.ReplaceAllString(at, "*"))
	}
	want := []string{
		"inbox/*", "inbox", // the message is on disk before it is acknowledged
		"journal/open/*.jsonl", "journal/open", // the change is in the journal before it is made
		"vault/*", "vault", // the note is entirely old or entirely new
		"conversations/*.jsonl", "conversations", // the answer is recorded before the message leaves the inbox
	}
	if !slices.Equal(synced, want) {
		t.Errorf("it syncs %q", synced)
	}
}

// TestFailingFsync makes each fsync call fail in turn (with strace): the note has its old or its new content, the error
// says what failed, and no temporary file remains.
func TestFailingFsync(t *testing.T) {
	strace := tracer(t)
	bin, srv := binary(t), model(t)
	failures := 0
	stride := rounds(6, 1)
	for at := 1; at <= 40; at += stride {
		h := newHome(t, scratch(t), bin, srv, map[string]string{"log.md": "# Log\n"})
		cmd := exec.Command(strace, append([]string{
			"-f", "-qq", "-o", filepath.Join(h.dir, "trace"), "-e", "trace=fsync",
			"-e", fmt.Sprintf("inject=fsync:error=EIO:when=%d", at), bin,
		}, h.args("ask", "--json", "append: please do it")...)...)
		cmd.Dir, cmd.Env = h.dir, h.environment()
		out, _ := cmd.CombinedOutput()
		if !strings.Contains(read(t, filepath.Join(h.dir, "trace")), "(INJECTED)") {
			break // there are no more
		}
		failures++
		now := read(t, filepath.Join(h.vault, "log.md"))
		if now != "# Log\n" && now != "# Log\n\n- entry\n" {
			t.Errorf("fsync %d: the note is %q", at, now)
		}
		if now == "# Log\n" && !strings.Contains(string(out), "input/output error") {
			t.Errorf("fsync %d: nothing is said of it: %s", at, out)
		}
		if left := h.temporary(); len(left) > 0 {
			t.Errorf("fsync %d: left %v", at, left)
		}
		for _, bad := range h.torn() {
			t.Errorf("fsync %d: torn %s", at, bad)
		}
		inbox, answered, err := h.kept("append: please do it")
		if accepted := strings.Contains(string(out), `"type":"received"`); err != nil || accepted && inbox+answered == 0 {
			t.Errorf("fsync %d: accepted and lost: %v", at, err)
		}
		if again := h.run(0, nil, "inbox", "retry", "--yes"); again.status != 0 {
			t.Errorf("fsync %d: later: %d %s", at, again.status, again.err)
		}
		if now := read(t, filepath.Join(h.vault, "log.md")); inbox+answered > 0 && now != "# Log\n\n- entry\n" && answered == 0 {
			t.Errorf("fsync %d: later the note is %q", at, now)
		}
	}
	if failures < 5 && long() || failures == 0 {
		t.Errorf("only %d fsyncs were made to fail", failures)
	}
	t.Logf("%d fsyncs were made to fail", failures)
}
