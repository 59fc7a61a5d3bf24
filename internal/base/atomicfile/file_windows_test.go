package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/windows"
)

// A file that another program holds open for a moment is replaced; one that stays open is left as it is.
func TestReplaceOpenFile(t *testing.T) {
	dir := t.TempDir()
	root, name := openRoot(t, dir), filepath.Join(dir, "note.md")
	hold := func() windows.Handle {
		must(t, os.WriteFile(name, []byte("old"), 0o600))
		path, err := windows.UTF16PtrFromString(name)
		must(t, err)
		h, err := windows.CreateFile(path, windows.GENERIC_READ, windows.FILE_SHARE_READ, nil, windows.OPEN_EXISTING, 0, 0)
		must(t, err)
		return h
	}
	h := hold()
	time.AfterFunc(100*time.Millisecond, func() { _ = windows.CloseHandle(h) })
	must(t, WriteFile(root, "note.md", []byte("new"), 0o600))
	h = hold()
	if err := WriteFile(root, "note.md", []byte("new"), 0o600); !errors.Is(err, errInUse) {
		t.Error(err)
	}
	_ = windows.CloseHandle(h)
	if got := content(t, dir); got["note.md"] != "old" || len(got) != 1 {
		t.Errorf("%q", got)
	}
}
