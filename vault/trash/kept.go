package trash

import (
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"chatvault/internal/base/statefile"
	"chatvault/vault/lookup"
)

const keptFolder = "trash"

// openKept opens the trash in the state folder, creating it if necessary.
func (t Trash) openKept() (*os.Root, error) {
	home, err := t.Home(true)
	if err != nil {
		return nil, err
	}
	defer func() { _ = home.Close() }()
	if err := statefile.MakeFolder(home, keptFolder); err != nil {
		return nil, err
	}
	return statefile.Folder(home, keptFolder)
}

// kept moves a place, with its parent folders, to trash/<time>/ in the state folder and returns its path there.
func (t Trash) kept(p *lookup.Place, now time.Time) (where string, err error) {
	dir, err := t.openKept()
	if err != nil {
		return "", err
	}
	names := []string{now.UTC().Format("20060102T150405.000Z")}
	if folder := path.Dir(p.Path); folder != "." {
		names = append(names, strings.Split(folder, "/")...)
	}
	for _, name := range names {
		next, err := openOrMakeFolder(dir, name, 0o700)
		_ = dir.Close()
		if err != nil {
			return "", err
		}
		dir = next
	}
	defer func() { _ = dir.Close() }()
	name, err := moveUnique(p, dir, nil)
	if err != nil {
		return "", err
	}
	return filepath.Join(dir.Name(), name), nil
}
