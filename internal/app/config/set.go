package config

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"chatvault/internal/base/atomicfile"
	"chatvault/internal/base/statefile"
	"chatvault/internal/base/text"
)

// settingsSchema is the version of configuration files. A settings file without one was not written by chatvault.
const (
	settingsSchema = 1
	schemaKey      = "schema"
)

const settingsHead = "# Written by chatvault when you change a setting in it. What config.toml sets takes precedence.\n"

// SettingsPath returns the path of the user's settings file, for settings made in the program for all vaults. It is
// next to the user's config.toml, which only the user writes.
func SettingsPath(userFile string) string {
	return filepath.Join(filepath.Dir(userFile), "settings.toml")
}

// SettingsChange is a change of a settings file.
type SettingsChange struct {
	Path          string
	Before, After []byte // whole files; equal if nothing changed
}

// SetSetting sets a setting, as typed, in a settings file: the user's, for all vaults, or that of src.VaultDir. nil
// removes it. It returns the error that the value would give in config.toml. Other errors in the configuration do not matter.
func SetSetting(src Sources, inVault bool, key string, typed *string) (c SettingsChange, err error) {
	kind := SettingsFile
	if inVault {
		kind = VaultSettings
	}
	src = src.withDefaults()
	f := src.file(kind)
	c.Path, c.Before, c.After = f.at.Name, f.data, f.data
	var value any
	if typed != nil {
		if value, err = typedValue(key, *typed); err != nil {
			return c, &Error{Origin: Origin{Kind: SettingsFile, Name: c.Path}, Key: key, Text: err.Error()}
		}
	}
	if _, err := f.nodes(); err != nil {
		return c, err
	}
	tree := map[string]any{schemaKey: settingsSchema}
	if _, err := toml.Decode(string(f.data), &tree); err != nil {
		return c, err
	}
	table, name := tree, key
	if above, below, dotted := strings.Cut(key, "."); dotted {
		inner, _ := tree[above].(map[string]any)
		if inner == nil {
			inner = map[string]any{}
		}
		table, name, tree[above] = inner, below, inner
	}
	changed := !reflect.DeepEqual(table[name], value)
	if table[name] = value; typed == nil {
		delete(table, name)
	}
	after := bytes.NewBufferString(settingsHead)
	enc := toml.NewEncoder(after)
	enc.Indent = ""
	if err := enc.Encode(tree); err != nil {
		return c, err
	}
	f.data = after.Bytes()
	if err := src.check(key, f); err != nil || !changed {
		return c, err
	}
	c.After = f.data
	return c, f.write(src.VaultDir)
}

// check returns the fault of a setting in a changed settings file.
func (in Sources) check(key string, changed file) error {
	in.Flags, in.Chosen, in.LookupEnv = nil, nil, func(string) (string, bool) { return "", false }
	in.Agreed = func(string, string, []byte) bool { return true } // setting it is consent
	if changed.at.Kind == SettingsFile {
		in.VaultDir = ""
	}
	files := in.files()
	for i := range files {
		if files[i].at.Kind == changed.at.Kind {
			files[i].data, files[i].agreed = changed.data, true
		}
	}
	l := load(in, files)
	for _, e := range slices.Concat(l.errs, l.unused) {
		if e.Key != "" && strings.HasPrefix(key+".", e.Key+".") {
			return e
		}
	}
	return nil
}

// write writes the file durably.
func (f file) write(vaultDir string) (err error) {
	if f.at.Kind == VaultSettings {
		err = f.writeInVault(vaultDir)
	} else if err = os.MkdirAll(filepath.Dir(f.at.Name), 0o700); err == nil {
		err = atomicfile.WritePath(f.at.Name, f.data, 0o600)
	}
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w", f.at.Name, text.Cause(err))
	}
	return nil
}

func (f file) writeInVault(dir string) error {
	vault, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = vault.Close() }()
	if err := statefile.MakeFolder(vault, stateMarker); err != nil {
		return err
	}
	return atomicfile.WriteFile(vault, vaultSettings, f.data, 0o600)
}

// typedValue converts typed text to a TOML value. Its error completes "KEY: …" and is the one that config.toml would
// give.
func typedValue(key, typed string) (any, error) {
	r, known := rowOf(rowsOf(Defaults()), key)
	typed = strings.TrimSpace(typed)
	switch kind := r.holds.kind; {
	case !known:
		return nil, errors.New("unknown key")
	case kind == KindFixed:
		return nil, errors.New("is edited in the file")
	case kind == KindProse:
		typed = strings.ReplaceAll(typed, "\r\n", "\n") + "\n"
	}
	value := r.holds.kind.typed(typed)
	return value, r.holds.set(value, Origin{})
}
