//go:build linux || freebsd || netbsd || openbsd || dragonfly

package trash

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"chatvault/internal/base/atomicfile"
	"chatvault/vault/lookup"
)

// system moves a place to the desktop's trash and returns its path there. It follows the FreeDesktop.org Trash
// specification 1.0: the home trash for files on its file system, otherwise a trash at the top of the file system.
func (t Trash) system(p *lookup.Place) (string, error) {
	abs := filepath.Join(t.Dir, filepath.FromSlash(p.Path))
	homeErr := errors.New("there is no home folder")
	if data := dataHome(); data != "" {
		var where string
		where, homeErr = moveInto(p, filepath.Join(data, "Trash"), abs)
		if homeErr == nil || !errors.Is(homeErr, syscall.EXDEV) {
			return where, homeErr
		}
	}
	top, err := topFolder(abs, p.Info)
	if err != nil {
		return "", homeErr
	}
	inTop, err := filepath.Rel(top, abs)
	if err != nil {
		return "", err
	}
	var trashErr error
	for _, folder := range topTrashes(top) {
		where, err := moveInto(p, folder, inTop)
		if err == nil {
			return where, nil
		}
		trashErr = err
	}
	return "", trashErr
}

// dataHome returns the XDG data folder, or "" if there is none.
func dataHome() string {
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) { // the specification says to ignore relative paths
		return dir
	}
	if home, err := os.UserHomeDir(); err == nil && filepath.IsAbs(home) {
		return filepath.Join(home, ".local", "share")
	}
	return ""
}

// topFolder returns the topmost folder of the file system that contains abs.
func topFolder(abs string, info fs.FileInfo) (string, error) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "", errors.ErrUnsupported
	}
	top := filepath.Dir(abs)
	for top != filepath.Dir(top) {
		parent, err := os.Lstat(filepath.Dir(top))
		if err != nil {
			return "", err
		}
		if up, ok := parent.Sys().(*syscall.Stat_t); !ok || up.Dev != st.Dev {
			break
		}
		top = filepath.Dir(top)
	}
	return top, nil
}

// topTrashes returns the possible trash folders at the top of a file system. The shared one must be a sticky folder
// and not a link.
func topTrashes(top string) []string {
	uid := strconv.Itoa(os.Getuid())
	var folders []string
	shared := filepath.Join(top, ".Trash")
	if info, err := os.Lstat(shared); err == nil && info.IsDir() && info.Mode()&fs.ModeSticky != 0 {
		folders = append(folders, filepath.Join(shared, uid))
	}
	return append(folders, filepath.Join(top, ".Trash-"+uid))
}

// moveInto moves a place into a trash folder. original is the path to record.
func moveInto(p *lookup.Place, folder, original string) (where string, err error) {
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
	infos, err := openOrMakeFolder(root, "info", 0o700)
	if err != nil {
		return "", err
	}
	defer func() { _ = infos.Close() }()
	files, err := openOrMakeFolder(root, "files", 0o700)
	if err != nil {
		return "", err
	}
	defer func() { _ = files.Close() }()

	note := infoFile(original, time.Now())
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

// infoFile returns the content of a .trashinfo file. The time is local, without a zone.
func infoFile(original string, now time.Time) string {
	escaped := (&url.URL{Path: original}).EscapedPath()
	escaped = strings.TrimPrefix(escaped, "./") // added before a first element with a colon
	return fmt.Sprintf("[Trash Info]\nPath=%s\nDeletionDate=%s\n", escaped, now.Format("2006-01-02T15:04:05"))
}
