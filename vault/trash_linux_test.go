package vault

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestDeleteOnAnotherFileSystem has the vault on its own file system: the trash is at its root, and the shared trash
// is used only if it has the sticky bit. It needs permission to mount.
func TestDeleteOnAnotherFileSystem(t *testing.T) {
	top := t.TempDir()
	if err := unix.Mount("tmpfs", top, "tmpfs", 0, "size=1m"); err != nil {
		t.Skip("no permission to mount: ", err)
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
