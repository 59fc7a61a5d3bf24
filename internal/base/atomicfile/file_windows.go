package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/windows"
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

var errInUse = errors.New("another program has it open, or it is write-protected. Close it there and try again")

// retry repeats a rename for half a second, since Windows refuses it while another program, such as a virus scanner, has
// the file open.
func retry(rename func() error) (err error) {
	for range 25 {
		err = rename()
		if !errors.Is(err, windows.ERROR_SHARING_VIOLATION) && !errors.Is(err, windows.ERROR_ACCESS_DENIED) {
			return err
		}
		time.Sleep(20 * time.Millisecond)
	}
	return errInUse
}
