package vault

import (
	"encoding/json"
	"io"
	"os"
	"path"
	"time"
)

// settings are what Obsidian's own settings say about this vault (.obsidian/app.json). The program
// reads them; no tool can.
type settings struct {
	TrashOption       string   `json:"trashOption"`       // "system", "local", "none"; "": system
	NewLinkFormat     string   `json:"newLinkFormat"`     // "shortest", "relative", "absolute"; "": shortest
	UseMarkdownLinks  bool     `json:"useMarkdownLinks"`  // new links are [text](path.md)
	AlwaysUpdateLinks *bool    `json:"alwaysUpdateLinks"` // nil: as true
	NewFileLocation   string   `json:"newFileLocation"`   // "root", "current", "folder"; "": root
	NewFileFolder     string   `json:"newFileFolderPath"` // for "folder"
	UserIgnoreFilters []string `json:"userIgnoreFilters"` // path prefixes, or /regular expressions/
}

// settings reads them; what cannot be read counts as not set.
func (v *Vault) settings() settings {
	var s settings
	if data, err := v.readOwn(".obsidian", "app.json"); err == nil {
		if json.Unmarshal(data, &s) != nil {
			return settings{}
		}
	}
	return s
}

// maxSettings bounds a settings file of Obsidian, in bytes.
const maxSettings = 1 << 20

// readOwn reads a file of a protected folder for the program's own use: a regular file, reached
// through no link, at most maxSettings long.
func (v *Vault) readOwn(folder, name string) ([]byte, error) {
	data, _, err := v.readOwnAt(folder, name)
	return data, err
}

// readOwnAt is readOwn that also says when the file was written.
func (v *Vault) readOwnAt(folder, name string) ([]byte, time.Time, error) {
	dir, err := openOwn(v.root, folder)
	if err != nil {
		return nil, time.Time{}, err
	}
	defer func() { _ = dir.Close() }()
	info, err := dir.Lstat(name)
	if err != nil {
		return nil, time.Time{}, err
	}
	p := &place{dir: dir, name: name, path: path.Join(folder, name), info: info}
	if !info.Mode().IsRegular() {
		return nil, time.Time{}, os.ErrInvalid
	}
	f, err := p.open()
	if err != nil {
		return nil, time.Time{}, err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, maxSettings))
	return data, p.info.ModTime(), err
}
