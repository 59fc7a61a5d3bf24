package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestFullDisk writes and appends on a full file system of 256 KiB. It needs permission to mount one.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=256k"); err != nil {
		t.Skip("no permission to mount: ", err)
	}
	defer func() { must(t, unix.Unmount(dir, unix.MNT_DETACH)) }()
	root := openRoot(t, dir)
	must(t, WriteFile(root, "note.md", []byte("old"), 0o644))
	must(t, AppendFile(root, "log", []byte("1"), 0o600))
	err := os.WriteFile(filepath.Join(dir, "fill"), make([]byte, 300<<10), 0o600)
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("the disk is not full: %v", err)
	}
	if err := WriteFile(root, "note.md", make([]byte, 64<<10), 0o644); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("write: %v", err)
	}
	if err := AppendFile(root, "log", make([]byte, 64<<10), 0o644); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("append: %v", err)
	}
	got := content(t, dir)
	if len(got) != 3 || got["note.md"] != "old" || got["log"] != "1\n" {
		t.Errorf("%d files, note %q, log %.40q", len(got), got["note.md"], got["log"])
	}
}
