package stress

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"chatvault/internal/app/statedir"
	"chatvault/internal/llmtest"
	"chatvault/internal/ptytest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	ptytest.RemoveBuilt()
	os.Exit(code)
}

// patience is how long a test waits for what should come at once: machines are busy.
const patience = 20 * time.Second

// long says whether this is `make stress`.
func long() bool { return os.Getenv("CHATVAULT_STRESS") != "" }

// rounds is n, or the longer form of it where this is `make stress`.
func rounds(n, stress int) int {
	if long() {
		return stress
	}
	return n
}

// binary is the program as it is built for use.
func binary(t testing.TB) string { return ptytest.Build(t, ".") }

// failing is the program with its failpoints.
func failing(t testing.TB) string { return ptytest.Build(t, ".", "-tags", "failpoints") }

// scratch is a folder in memory, where the machine has one, so that a disk that others use does
// not set the pace.
func scratch(t testing.TB) string {
	t.Helper()
	const memory = "/dev/shm"
	if info, err := os.Stat(memory); err != nil || !info.IsDir() {
		return t.TempDir()
	}
	dir, err := os.MkdirTemp(memory, "chatvault-stress-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// home is a person's home folder with a vault in it, and the program that is used on it.
type home struct {
	t     testing.TB
	dir   string
	vault string
	bin   string
	srv   *llmtest.Server // nil: offline
	env   []string        // beside the usual
}

// newHome makes one with these notes.
func newHome(t testing.TB, dir, bin string, srv *llmtest.Server, notes map[string]string) *home {
	t.Helper()
	h := &home{t: t, dir: dir, vault: filepath.Join(dir, "Notes"), bin: bin, srv: srv}
	must(t, os.MkdirAll(h.vault, 0o755))
	for name, text := range notes {
		path := filepath.Join(h.vault, filepath.FromSlash(name))
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return h
}

func (h *home) state(parts ...string) string {
	return filepath.Join(append([]string{h.stateRoot()}, parts...)...)
}

// stateRoot is the folder in which the state of the vault is kept; it is made where there is none.
func (h *home) stateRoot() string {
	root, err := statedir.Dirs{Base: filepath.Join(h.dir, "s", "chatvault", "vaults")}.Open(h.vault)
	must(h.t, err)
	defer func() { _ = root.Close() }()
	return root.Name()
}

// environment is what the program sees.
func (h *home) environment(extra ...string) []string {
	env := []string{
		"HOME=" + h.dir, "XDG_CONFIG_HOME=" + h.dir + "/c", "XDG_STATE_HOME=" + h.dir + "/s", "XDG_DATA_HOME=" + h.dir + "/d",
		"CHATVAULT_KEYRING=off", "CHATVAULT_LOCAL_SERVERS=off", "PATH=" + os.Getenv("PATH"), "TZ=UTC", "TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8",
	}
	if h.srv != nil {
		env = append(env, "OPENAI_BASE_URL="+h.srv.URL(), "OPENAI_API_KEY=sk-test-0123456789abcdef", "CHATVAULT_MODEL=test-model")
	}
	return append(append(env, h.env...), extra...)
}

func (h *home) args(args ...string) []string {
	args = append([]string{"--vault", h.vault}, args...)
	if h.srv == nil {
		args = append(args, "--offline")
	}
	return args
}

// ran is how a process ended.
type ran struct {
	out, err string
	status   int  // 128 + n after signal n
	killed   bool // by SIGKILL
	took     time.Duration
	worked   time.Duration // of it on a core, which does not depend on what else the machine does
}

// run runs the program to its end, or kills it after a time; 0: never.
func (h *home) run(kill time.Duration, extra []string, args ...string) ran {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, h.bin, h.args(args...)...)
	cmd.Dir, cmd.Env = h.dir, h.environment(extra...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	began := time.Now()
	must(h.t, cmd.Start())
	if kill > 0 {
		timer := time.AfterFunc(kill, func() { _ = cmd.Process.Kill() })
		defer timer.Stop()
	}
	_ = cmd.Wait() // its status tells
	r := ran{out: out.String(), err: errs.String(), status: cmd.ProcessState.ExitCode(), took: time.Since(began)}
	r.worked = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if w, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		r.status, r.killed = 128+int(w.Signal()), w.Signal() == syscall.SIGKILL
	}
	if ctx.Err() != nil {
		h.t.Fatalf("%v did not end\n%s\n%s", args, r.out, r.err)
	}
	return r
}

// accepted are the messages that `ask --json` showed as received.
func (r ran) accepted() (texts []string) {
	for _, line := range strings.Split(r.out, "\n") {
		var e struct{ Type, Text string }
		if json.Unmarshal([]byte(line), &e) == nil && e.Type == "received" {
			texts = append(texts, e.Text)
		}
	}
	return texts
}

// files are all files below a folder, but our own state, by their paths; folders end with "/".
func files(dir string) map[string]string {
	all := map[string]string{}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return nil
		}
		name, _ := filepath.Rel(dir, path)
		if name == ".smarthole" {
			return filepath.SkipDir
		}
		if d.IsDir() {
			all[name+"/"] = ""
			return nil
		}
		data, _ := os.ReadFile(path)
		all[name] = string(data)
		return nil
	})
	return all
}

// differences are the paths at which two sets of files differ.
func differences(got, want map[string]string) (names []string) {
	for name := range got {
		if w, ok := want[name]; !ok || w != got[name] {
			names = append(names, fmt.Sprintf("%s is %.60q", name, got[name]))
		}
	}
	for name := range want {
		if _, ok := got[name]; !ok {
			names = append(names, name+" is missing")
		}
	}
	slices.Sort(names)
	return names
}

// kept says where a message is on disk: in the inbox, or answered in a conversation, how often.
func (h *home) kept(text string) (inbox, answered int, err error) {
	entries, _ := filepath.Glob(h.state("inbox", "*.json"))
	for _, name := range entries {
		var e struct{ Text string }
		data, readErr := os.ReadFile(name)
		message, _, _ := bytes.Cut(data, []byte("\n")) // its state in the lines after it is looked at by torn
		if readErr == nil {
			readErr = json.Unmarshal(message, &e)
		}
		if readErr != nil {
			err = errors.Join(err, fmt.Errorf("%s is torn: %w: %.80q", filepath.Base(name), readErr, data))
		}
		if e.Text == text {
			inbox++
		}
	}
	conversations, _ := filepath.Glob(h.state("conversations", "*.jsonl"))
	for _, name := range conversations {
		turns, readErr := turnsOf(name)
		err = errors.Join(err, readErr)
		for _, turn := range turns {
			for _, m := range turn.Messages {
				if m.Role == "user" && m.Content == text && !turn.Failed {
					answered++
				}
			}
		}
	}
	return inbox, answered, err
}

// turnOnDisk is a turn as a conversation's file holds it.
type turnOnDisk struct {
	Failed   bool `json:"failed"`
	Messages []struct {
		Role    string `json:"role"`
		Content string `json:"content"`
		IsError bool   `json:"is_error"`
	} `json:"messages"`
}

func turnsOf(file string) (turns []turnOnDisk, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for line := range wholeLines(data) {
		var record struct{ Turn *turnOnDisk }
		if e := json.Unmarshal(line, &record); e != nil {
			err = errors.Join(err, fmt.Errorf("%s is torn: %w: %.80q", filepath.Base(file), e, line))
		}
		if record.Turn != nil {
			turns = append(turns, *record.Turn)
		}
	}
	return turns, err
}

// wholeLines are the lines of a file that is appended to, but for those that Linux cut off: it ends a write of a
// process that is killed where a page of the file ends. Whoever reads the file passes such a line over.
func wholeLines(data []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		at := 0
		for line := range bytes.Lines(data) {
			at += len(line)
			line, ended := bytes.CutSuffix(line, []byte("\n"))
			end := at
			if ended {
				end--
			}
			cut := end%os.Getpagesize() == 0 && !json.Valid(line)
			if len(line) > 0 && !cut && !yield(line) {
				return
			}
		}
	}
}

// torn names the state files that do not parse.
func (h *home) torn() (bad []string) {
	_ = filepath.WalkDir(h.state(), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		data, readErr := os.ReadFile(path)
		if readErr != nil || strings.HasPrefix(d.Name(), ".chatvault-tmp-") {
			return nil // swept by a process that ends just now; what is temporary is looked for apart
		}
		switch {
		case filepath.Ext(path) == ".json" && filepath.Base(filepath.Dir(path)) != "inbox":
			if !json.Valid(data) {
				bad = append(bad, fmt.Sprintf("%s: %.80q", d.Name(), data))
			}
		case strings.HasPrefix(filepath.Ext(path), ".json"):
			for line := range wholeLines(data) {
				if !json.Valid(line) {
					bad = append(bad, fmt.Sprintf("%s: %.80q", d.Name(), line))
				}
			}
		}
		return nil
	})
	return bad
}

// temporary are the temporary files that are left anywhere in the vault.
func (h *home) temporary() (left []string) {
	_ = filepath.WalkDir(h.vault, func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasPrefix(d.Name(), ".chatvault-tmp-") {
			left = append(left, path)
		}
		return nil
	})
	return left
}

// parallel runs do for 0 to n-1, two at a time: the machines this runs on have two cores.
func parallel(n int, do func(i int)) {
	var wg sync.WaitGroup
	next := make(chan int)
	for range 2 {
		wg.Go(func() {
			for i := range next {
				do(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
}

// equal says whether two sets of files are the same.
func equal(a, b map[string]string) bool { return maps.Equal(a, b) }

func read(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	must(t, err)
	return string(data)
}
