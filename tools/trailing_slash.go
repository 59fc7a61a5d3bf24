package tools

import (
	"context"
	"path"
	"strings"

	"chatvault/vault"
)

// namesFolder says that a path can only be meant as a folder's: it ends in a slash.
func namesFolder(name string) bool {
	name = strings.TrimRight(name, "\r\n")
	return strings.HasSuffix(name, "/") || strings.HasSuffix(name, "/.")
}

// folderMeant says that name is a folder's and leads nowhere yet: a file made there would
// be none of what was meant. A path that leads somewhere is the vault's to judge.
func (t *Turn) folderMeant(ctx context.Context, name string) bool {
	if !namesFolder(name) {
		return false
	}
	_, err := t.notes.Stat(ctx, name)
	return isKind(err, vault.KindNotFound)
}

// fileMeant is a path that name, which ends in a slash, may have been meant to be: itself,
// where it has the extension of a file, else that of a file in it.
func fileMeant(name, file string) string {
	name = path.Clean(strings.TrimRight(name, "\r\n"))
	if ext := path.Ext(name); ext != "" && ext != path.Base(name) && !strings.Contains(ext, " ") {
		return name
	}
	return path.Join(name, file)
}
