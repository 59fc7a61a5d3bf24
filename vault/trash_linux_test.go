package vault

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestDeleteOnAnotherFileSystem has the vault on its own file system: what is deleted goes to the vault's .trash. It
// needs permission to mount.
func TestDeleteOnAnotherFileSystem(t *testing.T) {
	top := t.TempDir()
	if err := unix.Mount("tmpfs", top, "tmpfs", 0, "size=1m"); err != nil {
		t.Skip("no permission to mount: ", err)
	}
	t.Cleanup(func() { mustTest(t, unix.Unmount(top, unix.MNT_DETACH)) })
	data := t.TempDir()
	t.Setenv("XDG_DATA_HOME", data)
	v := openTest(t, top)
	mustTest(t, os.WriteFile(filepath.Join(top, "a.md"), nil, 0o644))
	c, err := v.Delete(t.Context(), "a.md", false)
	if err != nil || c.NewPath != ".trash/a.md" || !strings.Contains(c.Note, "could not be used (invalid cross-device link)") {
		t.Errorf("%+v, %v", c, err)
	}
	if left, err := filepath.Glob(filepath.Join(data, "Trash", "*", "*")); err != nil || len(left) > 0 {
		t.Errorf("%q, %v", left, err)
	}
}
