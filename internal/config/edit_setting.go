package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"chatvault/internal/atomicfile"
)

// Edit is a change of one key in a configuration file, worked out and not made.
type Edit struct {
	Path          string // of the file, for a person
	Before, After string // the whole of it; Before is empty where there is none yet

	apply func() error
}

// Changes says whether the file would be another.
func (e *Edit) Changes() bool { return e.Before != e.After }

// Apply makes the change, wholly or not at all; when it returns nil it is on disk. It refuses,
// with ErrChanged, where the file is not what it was.
func (e *Edit) Apply() error {
	if !e.Changes() {
		return nil
	}
	return e.apply()
}

// EditSetting works out what giving key, or taking from it, its value in a file would make of that:
// in (UserFile or VaultFile) says which file. typed is the value as a person types it; nil makes
// comments of the key's lines. What is refused is refused with the error that the file would give,
// and where another value is wrong already that is no concern of this one.
func EditSetting(src Sources, in Kind, key string, typed *string) (*Edit, error) {
	src, _ = src.withDefaults()
	var e *Edit
	var err error
	o := Origin{Kind: in}
	switch in {
	case UserFile:
		o.Name = src.UserFile
		e, err = userEdit(src.UserFile)
	case VaultFile:
		o.Name = VaultPath(src.VaultDir)
		e, err = vaultEdit(src.VaultDir)
	default:
		err = fmt.Errorf("%s is no file", o)
	}
	if err != nil {
		return nil, &Error{Origin: o, Text: err.Error()}
	}
	if why := forbidden(rowsOf(Defaults()), key); in == VaultFile && why != "" {
		return nil, &Error{Origin: o, Key: key, Text: "may not be set by the file of a vault, " + why}
	}
	if _, bad := parseTOML([]byte(e.Before), o); bad != nil {
		bad.Text += "; mend it first"
		return nil, bad
	}
	if typed == nil {
		e.After, err = unsetKey(e.Before, key)
	} else {
		var value string
		if value, err = literal(key, *typed, lineEnd(e.Before)); err == nil {
			e.After, err = setLiteral(e.Before, key, value)
		}
	}
	if err != nil {
		return nil, &Error{Origin: o, Key: key, Text: err.Error()}
	}
	if len(e.After) > maxFile {
		return nil, &Error{Origin: o, Text: fmt.Sprintf("would be larger than %d bytes", maxFile)}
	}
	return e, newlyWrong(src, in, e)
}

// newlyWrong is the first thing that would be wrong with the configuration after an edit and was
// not before. Who makes the edit agrees to what it says.
func newlyWrong(src Sources, in Kind, e *Edit) error {
	src.Agreed = func(string, []byte) bool { return true }
	load := func(text string) (Errors, []string) {
		src.instead = map[Kind]string{in: text}
		var bad Errors
		cfg, err := Load(src)
		errors.As(err, &bad)
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

// vaultEdit is an edit of a vault's file that changes nothing yet.
func vaultEdit(dir string) (*Edit, error) {
	data, err := readVaultFile(dir)
	if err != nil {
		return nil, err
	}
	e := &Edit{Path: VaultPath(dir), Before: string(data), After: string(data)}
	e.apply = func() error {
		v := VaultEdit{Path: e.Path, Before: e.Before, After: e.After, dir: dir, exists: data != nil}
		return v.Apply()
	}
	return e, nil
}

// userEdit is an edit of the user's file that changes nothing yet. A file that is a symbolic link
// stays one: what it leads to is written.
func userEdit(path string) (*Edit, error) {
	data, _, err := readUserFile(path, false)
	if err != nil {
		return nil, err
	}
	e := &Edit{Path: path, Before: string(data), After: string(data)}
	e.apply = func() error { return e.write(data != nil) }
	return e, nil
}

// write puts the whole of the user's file in the place of what was there.
func (e *Edit) write(exists bool) error {
	path := e.Path
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("the folder %s cannot be made: %w", dir, reason(err))
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w", e.Path, reason(err))
	}
	defer func() { _ = root.Close() }()
	same := func() error {
		data, _, err := readUserFile(path, false)
		if err != nil {
			return fmt.Errorf("%s %w", e.Path, err)
		}
		if string(data) != e.Before || (data != nil) != exists {
			return fmt.Errorf("%s: %w; try again", e.Path, ErrChanged)
		}
		return nil
	}
	if err := same(); err != nil {
		return err
	}
	err = atomicfile.Writer{}.Replace(root, filepath.Base(path), []byte(e.After), atomicfile.Options{
		Perm: 0o600, Exclusive: !exists, BeforeRename: same,
	})
	switch {
	case errors.Is(err, ErrChanged):
		return err
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%s: %w; try again", e.Path, ErrChanged)
	case err != nil:
		return fmt.Errorf("%s cannot be written: %w", e.Path, reason(err))
	}
	return nil
}
