package trash

import (
	"path"
	"path/filepath"
	"strings"
	"time"

	"chatvault/vault/lookup"
)

// kept moves a place, with its parent folders, to trash/<time>/ in the state folder and returns its path there.
func (t Trash) kept(p *lookup.Place, now time.Time) (where string, err error) {
	dir, err := t.Home(true)
	if err != nil {
		return "", err
	}
	names := []string{"trash", now.UTC().Format("20060102T150405.000Z")}
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
