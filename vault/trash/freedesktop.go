//go:build linux || freebsd || netbsd || openbsd || dragonfly

package trash

import (
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"chatvault/internal/base/atomicfile"
	"chatvault/vault/lookup"
)

// system moves a place to the desktop's trash in the home folder and returns its path there. It follows the
// FreeDesktop.org Trash specification 1.0. On another file system it fails.
func (t Trash) system(p *lookup.Place) (string, error) {
	data := os.Getenv("XDG_DATA_HOME")
	if !filepath.IsAbs(data) { // the specification says to ignore relative paths
		home, err := os.UserHomeDir()
		if err != nil {
			return "", err
		}
		data = filepath.Join(home, ".local", "share")
	}
	return moveToDesktop(p, filepath.Join(data, "Trash"), filepath.Join(t.Dir, filepath.FromSlash(p.Path)))
}

// moveToDesktop moves a place into a trash folder. original is the path to record.
func moveToDesktop(p *lookup.Place, folder, original string) (where string, err error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	if info, err := os.Lstat(folder); err != nil || !info.IsDir() {
		return "", &fs.PathError{Op: "trash", Path: folder, Err: syscall.ENOTDIR}
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return "", err
	}
	defer func() { _ = root.Close() }()
	infos, err := openOrMakeFolder(root, "info")
	if err != nil {
		return "", err
	}
	defer func() { _ = infos.Close() }()
	files, err := openOrMakeFolder(root, "files")
	if err != nil {
		return "", err
	}
	defer func() { _ = files.Close() }()

	// The time is local, without a zone.
	note := fmt.Sprintf("[Trash Info]\nPath=%s\nDeletionDate=%s\n", (&url.URL{Path: original}).EscapedPath(), time.Now().Format("2006-01-02T15:04:05"))
	// The specification requires the information to be written first, which reserves the name.
	name, err := moveUnique(p, files, func(name string) (func(), error) {
		info := name + ".trashinfo"
		err := atomicfile.Writer{}.Replace(infos, info, []byte(note), atomicfile.Options{Perm: 0o600, Exclusive: true})
		return func() { _ = infos.Remove(info) }, err
	})
	if name == "" {
		return "", err
	}
	return filepath.Join(folder, "files", name), err
}
