//go:build !unix

package atomicfile

import (
	"io/fs"
	"os"
	"time"
)

// lockTemp does nothing, because an open file cannot be removed.
func lockTemp(*os.File) bool { return true }

// abandoned goes by age, because there are no advisory locks: no write takes an hour.
func abandoned(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && time.Since(info.ModTime()) > time.Hour
}

// copyAttributes gives the temporary file the mode of the file that it will replace.
func copyAttributes(f *os.File, old fs.FileInfo) error { return f.Chmod(old.Mode().Perm()) }

// syncDir does nothing: Windows refuses to flush a folder, whose entries NTFS keeps in its own journal.
func syncDir(*os.File) error { return nil }
