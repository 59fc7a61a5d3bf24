package vault

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"chatvault/vault/journal"
)

// TestDeleteOnAnotherFileSystem has the vault on a file system of its own: the trash is
// at its top, the shared one only where it is sticky. It needs the right to mount.
func TestDeleteOnAnotherFileSystem(t *testing.T) {
	top := t.TempDir()
	if err := unix.Mount("tmpfs", top, "tmpfs", 0, "size=1m"); err != nil {
		t.Skip("no right to mount: ", err)
	}
	t.Cleanup(func() { mustTest(t, unix.Unmount(top, unix.MNT_DETACH)) })
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	uid := strconv.Itoa(os.Getuid())
	dir := filepath.Join(top, "my vault")
	mustTest(t, os.Mkdir(dir, 0o755))
	v := openTest(t, dir)
	remove := func() string {
		t.Helper()
		mustTest(t, os.WriteFile(filepath.Join(dir, "a.md"), nil, 0o644))
		c, err := v.Delete(t.Context(), "a.md", false)
		mustTest(t, err)
		return c.NewPath
	}
	own := filepath.Join(top, ".Trash-"+uid, "files")
	if got := remove(); got != filepath.Join(own, "a.md") {
		t.Errorf("went to %s", got)
	}
	info, err := os.ReadFile(filepath.Join(top, ".Trash-"+uid, "info", "a.md.trashinfo"))
	if err != nil || !strings.Contains(string(info), "\nPath=my%20vault/a.md\n") {
		t.Errorf("%q, %v", info, err)
	}
	shared := filepath.Join(top, ".Trash")
	mustTest(t, os.Mkdir(shared, 0o777))
	if got := remove(); got != filepath.Join(own, "a 1.md") {
		t.Errorf("a shared trash that is not sticky: %s", got)
	}
	mustTest(t, os.Chmod(shared, 0o777|os.ModeSticky))
	if got := remove(); got != filepath.Join(shared, uid, "files", "a.md") {
		t.Errorf("a sticky shared trash: %s", got)
	}
	mustTest(t, os.RemoveAll(shared))
	mustTest(t, os.Symlink(t.TempDir(), shared))
	if got := remove(); got != filepath.Join(own, "a 2.md") {
		t.Errorf("a linked shared trash: %s", got)
	}
}

// TestUndoTakesNothingElseOutOfTheTrash: what somebody deleted elsewhere is not brought into a vault by a
// journal that names it, hash and all; what was deleted in a vault that has another name since is.
func TestUndoTakesNothingElseOutOfTheTrash(t *testing.T) {
	data := t.TempDir()
	t.Setenv("XDG_DATA_HOME", data)
	for i, test := range []struct {
		info string
		back bool
	}{
		{"[Trash Info]\nPath=/home/me/vault%20once/F/a.md\n", true},
		{"[Trash Info]\nPath=my%20vault/F/a.md\n", true},
		{"[Trash Info]\nPath=/home/me/letters/a.md\n", false},
		{"[Trash Info]\nPath=/home/me/xF/a.md\n", false},
		{"[Trash Info]\nPath=%zz/F/a.md\n", false},
		{"", false},
	} {
		v := newTest(t, map[string]string{"b.md": "b"})
		keepJournal(t, v)
		f := newForger(t, v)
		where := filepath.Join(data, "Trash/files/a.md")
		for name, text := range map[string]string{where: "secret", filepath.Join(data, "Trash/info/a.md.trashinfo"): test.info} {
			mustTest(t, os.MkdirAll(filepath.Dir(name), 0o700))
			mustTest(t, os.WriteFile(name, []byte(text), 0o600))
		}
		f.turn(Origin{Turn: "forged"}, journal.Change{Op: "delete", Path: "F/a.md", NewPath: where, Files: []journal.File{{Path: "F/a.md", Before: journal.Print([]byte("secret")), Mode: 0o644}}})
		u, err := v.Undo(t.Context(), "forged")
		if err != nil || exists(v, "F/a.md") != test.back || len(u.Lines) == 0 == test.back {
			t.Errorf("%d: %+v, %v", i, u, err)
		}
	}
}
