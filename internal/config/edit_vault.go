package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"

	"chatvault/internal/atomicfile"
	"chatvault/internal/statefile"
)

// ErrChanged is what Apply's error wraps when the file is not any more what the edit was worked
// out from.
var ErrChanged = errors.New("it was changed meanwhile")

// VaultEdit is a change to the configuration file of a vault, worked out and not made: somebody
// looks at it first.
type VaultEdit struct {
	Path          string // of the file, for a person
	Before, After string // the whole of it; Before is empty where there is none yet

	dir    string
	exists bool
}

// EditVault works out what giving key, at the top level of the file of the vault dir, a text as
// its value would make of it. Only that value changes. The key must be one that a vault's file
// may set; the error says what is wrong and what to do.
func EditVault(dir, key, text string) (*VaultEdit, error) {
	o := Origin{Kind: VaultFile, Name: VaultPath(dir)}
	rows := rowsOf(Defaults())
	if _, known := rowOf(rows, key); !known {
		return nil, &Error{Origin: o, Key: key, Text: "unknown key"}
	}
	if why := forbidden(rows, key); why != "" {
		return nil, &Error{Origin: o, Key: key, Text: "may not be set by the file of a vault, " + why}
	}
	if err := checkText(text); err != nil {
		return nil, &Error{Origin: o, Key: key, Text: err.Error()}
	}
	data, err := readVaultFile(dir)
	if err != nil {
		return nil, &Error{Origin: o, Text: err.Error()}
	}
	e := &VaultEdit{Path: o.Name, Before: string(data), dir: dir, exists: data != nil}
	if _, bad := parseTOML(data, o); bad != nil {
		bad.Text += "; mend it first"
		return nil, bad
	}
	if e.After, err = setText(e.Before, key, text); err != nil {
		return nil, &Error{Origin: o, Text: err.Error()}
	}
	if len(e.After) > maxFile {
		return nil, &Error{Origin: o, Text: fmt.Sprintf("would be larger than %d bytes", maxFile)}
	}
	return e, nil
}

// Changes says whether the file would be another.
func (e *VaultEdit) Changes() bool { return e.Before != e.After }

// Apply makes the change, wholly or not at all; when it returns nil it is on disk. It refuses,
// with ErrChanged, where the file is not what it was.
func (e *VaultEdit) Apply() error {
	vault, err := os.OpenRoot(e.dir)
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w", e.Path, reason(err))
	}
	defer func() { _ = vault.Close() }()
	folder, name := path.Split(vaultConfig)
	folder = path.Clean(folder)
	if err := statefile.MakeFolder(vault, folder); err != nil {
		return fmt.Errorf("%s cannot be written: %w", e.Path, reason(err))
	}
	root, err := statefile.Folder(vault, folder)
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w", e.Path, reason(err))
	}
	defer func() { _ = root.Close() }()
	if err := e.same(); err != nil {
		return err
	}
	err = atomicfile.Writer{}.Replace(root, name, []byte(e.After), atomicfile.Options{
		Perm: 0o600, Exclusive: !e.exists, BeforeRename: e.same,
	})
	switch {
	case errors.Is(err, ErrChanged):
		return err
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%s: %w; look at what it would become again", e.Path, ErrChanged)
	case err != nil:
		return fmt.Errorf("%s cannot be written: %w", e.Path, reason(err))
	}
	return nil
}

// same refuses a file that changed since the edit was worked out.
func (e *VaultEdit) same() error {
	data, err := readVaultFile(e.dir)
	if err != nil {
		return fmt.Errorf("%s %w", e.Path, err)
	}
	if string(data) != e.Before || (data != nil) != e.exists {
		return fmt.Errorf("%s: %w; look at what it would become again", e.Path, ErrChanged)
	}
	return nil
}

// VaultSettings are the bytes of the file of the vault in dir; has is false where there is none, or
// where nothing in it needs that its owner agrees.
func VaultSettings(dir string) (data []byte, has bool, err error) {
	data, err = readVaultFile(dir)
	if err != nil || data == nil {
		return nil, false, err
	}
	return data, NeedsConsent(data), nil
}

// NeedsConsent says whether something that a vault's file holds counts only where the vault's owner
// agreed to it.
func NeedsConsent(file []byte) bool {
	entries, bad := parseTOML(file, Origin{Kind: VaultFile})
	rows := rowsOf(Defaults())
	return bad == nil && slices.ContainsFunc(entries, func(e entry) bool { // else it is an error where it is loaded
		r, known := rowOf(rows, e.path[0])
		return known && r.vault == agreed
	})
}
