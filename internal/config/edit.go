package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"chatvault/internal/text"

	"chatvault/internal/atomicfile"
	"chatvault/internal/statefile"
)

// ErrChanged is what Apply's error wraps when the file is not any more what the edit was worked
// out from.
var ErrChanged = errors.New("it was changed meanwhile")

// Edit is a change of one key in a configuration file, worked out and not made: somebody may look at
// it first.
type Edit struct {
	Path          string // of the file, for a person
	Before, After string // the whole of it; Before is empty where there is none yet

	exists bool
	read   func() ([]byte, error)
	folder func() (*os.Root, string, error) // in which the file is, made if need be, and its name there
}

// newEdit is an edit that changes nothing yet.
func newEdit(path string, read func() ([]byte, error), folder func() (*os.Root, string, error)) (*Edit, error) {
	data, err := read()
	if err != nil {
		return nil, err
	}
	return &Edit{Path: path, Before: string(data), After: string(data), exists: data != nil, read: read, folder: folder}, nil
}

// vaultEdit is an edit of a vault's file.
func vaultEdit(dir string) (*Edit, error) {
	return newEdit(VaultPath(dir), func() ([]byte, error) { return readVaultFile(dir) }, func() (*os.Root, string, error) {
		vault, err := os.OpenRoot(dir)
		if err != nil {
			return nil, "", err
		}
		defer func() { _ = vault.Close() }()
		folder, name := path.Split(vaultConfig)
		folder = path.Clean(folder)
		if err := statefile.MakeFolder(vault, folder); err != nil {
			return nil, "", err
		}
		root, err := statefile.Folder(vault, folder)
		return root, name, err
	})
}

// userEdit is an edit of the user's file. One that is a symbolic link stays one: what it leads to
// is written.
func userEdit(file string) (*Edit, error) {
	read := func() ([]byte, error) {
		data, _, err := readUserFile(file, false)
		return data, err
	}
	return newEdit(file, read, func() (*os.Root, string, error) {
		if real, err := filepath.EvalSymlinks(file); err == nil {
			file = real
		}
		dir := filepath.Dir(file)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, "", err
		}
		root, err := os.OpenRoot(dir)
		return root, filepath.Base(file), err
	})
}

// Changes says whether the file would be another.
func (e *Edit) Changes() bool { return e.Before != e.After }

// Apply makes the change, wholly or not at all; when it returns nil it is on disk. It refuses,
// with ErrChanged, where the file is not what it was.
func (e *Edit) Apply() error {
	if !e.Changes() {
		return nil
	}
	root, name, err := e.folder()
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w", e.Path, text.Cause(err))
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
		return fmt.Errorf("%s: %w; try again", e.Path, ErrChanged)
	case err != nil:
		return fmt.Errorf("%s cannot be written: %w", e.Path, text.Cause(err))
	}
	return nil
}

// same refuses a file that changed since the edit was worked out.
func (e *Edit) same() error {
	data, err := e.read()
	if err != nil {
		return fmt.Errorf("%s %w", e.Path, err)
	}
	if string(data) != e.Before || (data != nil) != e.exists {
		return fmt.Errorf("%s: %w; try again", e.Path, ErrChanged)
	}
	return nil
}

// beginEdit is an edit of the file of a layer, which may set the key, and whose text is valid TOML.
func beginEdit(src Sources, in Kind, key string) (*Edit, Origin, error) {
	o := Origin{Kind: in}
	var e *Edit
	var err error
	switch in {
	case UserFile:
		o.Name = src.UserFile
		e, err = userEdit(src.UserFile)
	case VaultFile:
		o.Name = VaultPath(src.VaultDir)
		e, err = vaultEdit(src.VaultDir)
	default:
		err = fmt.Errorf("%s is not a file", o)
	}
	if err != nil {
		return nil, o, &Error{Origin: o, Text: err.Error()}
	}
	rows := rowsOf(Defaults())
	if _, known := rowOf(rows, key); !known {
		return nil, o, &Error{Origin: o, Key: key, Text: "unknown key"}
	}
	if why := forbidden(rows, key); in == VaultFile && why != "" {
		return nil, o, &Error{Origin: o, Key: key, Text: "may not be set by the file of a vault, " + why}
	}
	if _, bad := parseTOML([]byte(e.Before), o); bad != nil {
		bad.Text += "; fix it first"
		return nil, o, bad
	}
	return e, o, nil
}

// become gives the file its new text, or the error of working that out.
func (e *Edit) become(o Origin, key, after string, err error) (*Edit, error) {
	if err != nil {
		return nil, &Error{Origin: o, Key: key, Text: err.Error()}
	}
	if len(after) > maxFile {
		return nil, &Error{Origin: o, Text: fmt.Sprintf("would be larger than %d bytes", maxFile)}
	}
	e.After = after
	return e, nil
}

// EditSetting works out what giving key, or taking from it, its value in a file would make of that:
// in (UserFile or VaultFile) says which file. typed is the value as a person types it; nil makes
// comments of the key's lines. What is refused is refused with the error that the file would give,
// and where another value is wrong already that is no concern of this one.
func EditSetting(src Sources, in Kind, key string, typed *string) (*Edit, error) {
	src, _ = src.withDefaults()
	e, o, err := beginEdit(src, in, key)
	if err != nil {
		return nil, err
	}
	after := ""
	if typed == nil {
		after, err = unsetKey(e.Before, key)
	} else {
		var value string
		if value, err = literal(key, *typed, lineEnd(e.Before)); err == nil {
			after, err = setLiteral(e.Before, key, value)
		}
	}
	if e, err = e.become(o, key, after, err); err != nil {
		return nil, err
	}
	return e, newlyWrong(src, in, e)
}

// newlyWrong is the first thing that would be wrong with the configuration after an edit and was
// not before. Who makes the edit agrees to what it says.
func newlyWrong(src Sources, in Kind, e *Edit) error {
	src.Agreed = func(string, []byte) bool { return true }
	load := func(text string) (Errors, []string) {
		src.instead = map[Kind]string{in: text}
		cfg, err := Load(src)
		bad, _ := errors.AsType[Errors](err)
		return bad, cfg.Warnings
	}
	before, warnedBefore := load(e.Before)
	after, warned := load(e.After)
	for _, one := range after {
		if !slices.ContainsFunc(before, func(was *Error) bool {
			return was.Origin.Name == one.Origin.Name && was.Key == one.Key && was.Text == one.Text
		}) {
			return one
		}
	}
	for _, w := range warned { // such as a number that a vault may only lower
		if !slices.Contains(warnedBefore, w) {
			return errors.New(w)
		}
	}
	return nil
}
