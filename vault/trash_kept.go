package vault

import (
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"chatvault/internal/statefile"
	"chatvault/vault/journal"
)

// KeepTrash makes deletions in a vault without a trash of its own (Obsidian's "none") go to the folder trash/ of
// home, which is outside the vault: they remain recoverable without being synchronised with the vault. It must be
// called once, before the first change.
func (v *Vault) KeepTrash(home journal.Home) { v.kept = home }

const keptFolder = "trash"

// openKept opens that trash, creating it if necessary.
func (v *Vault) openKept() (*os.Root, error) {
	home, err := v.kept(true)
	if err != nil {
		return nil, err
	}
	defer func() { _ = home.Close() }()
	if err := statefile.MakeFolder(home, keptFolder); err != nil {
		return nil, err
	}
	return statefile.Folder(home, keptFolder)
}

// trashState moves a place, with its parent folders, to trash/<time>/ in the state folder and returns its path there.
func (v *Vault) trashState(p *place, now time.Time) (where string, err error) {
	dir, err := v.openKept()
	if err != nil {
		return "", err
	}
	names := []string{now.UTC().Format("20060102T150405.000Z")}
	if folder := path.Dir(p.path); folder != "." {
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
	name, err := moveUnique(p, dir)
	if err != nil {
		return "", err
	}
	return filepath.Join(dir.Name(), name), nil
}
