//go:build linux || freebsd || netbsd || openbsd || dragonfly

package vault

import (
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"chatvault/vault/fsys"
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

// inSystemTrash opens the folders of a trash of the desktop that holds something which was deleted at a
// path in a vault: what else is in the trash is nobody's to bring back here.
func (v *Vault) inSystemTrash(t *trashed, where, at string) bool {
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
	files, err := fsys.OpenInner(root, "files")
	if err != nil {
		return false
	}
	if t.infos, err = fsys.OpenInner(root, "info"); err != nil {
		_ = files.Close()
		return false
	}
	t.dir, t.name = files, name
	if !cameFrom(t.infos, name+".trashinfo", at) {
		t.close()
		return false
	}
	return true
}

// maxTrashInfo bounds a note on what is in the trash, in bytes.
const maxTrashInfo = 64 << 10

// cameFrom says whether a note on what is in the trash names a path in a vault, wherever that is.
func cameFrom(infos *os.Root, name, at string) bool {
	f, err := infos.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return false
	}
	data, err := io.ReadAll(io.LimitReader(f, maxTrashInfo))
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(data)) {
		if escaped, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "Path="); ok {
			original, err := url.PathUnescape(escaped)
			return err == nil && strings.HasSuffix("/"+original, "/"+at)
		}
	}
	return false
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
