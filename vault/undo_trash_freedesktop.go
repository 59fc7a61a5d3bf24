//go:build linux || freebsd || netbsd || openbsd || dragonfly

package vault

import (
	"os"
	"path/filepath"
	"slices"
)

// systemTrashes are the folders in which the desktop's trash may be for this vault.
func (v *Vault) systemTrashes() []string {
	var folders []string
	if data := dataHome(); data != "" {
		folders = append(folders, filepath.Join(data, "Trash"))
	}
	if info, err := v.root.Stat("."); err == nil {
		if top, err := topFolder(filepath.Join(v.dir, "x"), info); err == nil {
			folders = append(folders, topTrashes(top)...)
		}
	}
	return folders
}

// inSystemTrash opens the folders of a trash of the desktop that holds something.
func (v *Vault) inSystemTrash(t *trashed, where string) bool {
	trash := filepath.Dir(filepath.Dir(where))
	name := filepath.Base(where)
	if filepath.Base(filepath.Dir(where)) != "files" || name == "." || name == ".." || filepath.Clean(where) != where || !slices.Contains(v.systemTrashes(), trash) {
		return false
	}
	root, err := os.OpenRoot(trash)
	if err != nil {
		return false
	}
	defer func() { _ = root.Close() }()
	files, err := openOwn(root, "files")
	if err != nil {
		return false
	}
	if t.infos, err = openOwn(root, "info"); err != nil {
		t.infos = nil
	}
	t.dir, t.name = files, name
	return true
}

// systemTrashNames are where something of a name may be in the desktop's trash.
func (v *Vault) systemTrashNames(name string, folder bool) []string {
	var places []string
	for _, trash := range v.systemTrashes() {
		for i := range 10 {
			places = append(places, filepath.Join(trash, "files", numbered(name, i, folder)))
		}
	}
	return places
}
