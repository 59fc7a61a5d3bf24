package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"chatvault/internal/base/atomicfile"
	"chatvault/internal/base/statefile"
	"chatvault/internal/base/text"
)

// settingsSchema is the version of the settings file. A file without one was not written by chatvault.
const (
	settingsSchema = 1
	schemaKey      = "schema"
)

const settingsHead = "# Written by chatvault when you change a setting in it. What config.toml sets takes precedence.\n"

// ErrChanged is wrapped by SetSetting's error if another program wrote the file at the same time.
var ErrChanged = errors.New("it was changed meanwhile; try again")

// SettingsPath returns the path of the user's settings file, for settings made in the program for all vaults. It is
// next to the user's config.toml, which only the user writes.
func SettingsPath(userFile string) string {
	return filepath.Join(filepath.Dir(userFile), "settings.toml")
}

// place is the location of a settings file.
type place struct {
	src  Sources
	kind Kind // SettingsFile or VaultSettings
	path string
}

// settingsPlace returns the place of the user's settings file, or of the one in src.VaultDir.
func settingsPlace(src Sources, inVault bool) place {
	if inVault {
		return place{src, VaultSettings, filepath.Join(src.VaultDir, filepath.FromSlash(vaultSettings))}
	}
	return place{src, SettingsFile, SettingsPath(src.UserFile)}
}

// read returns the file's content, or nil if there is none.
func (at place) read() (data []byte, err error) {
	if at.kind == VaultSettings {
		data, err = readVaultFile(at.src.VaultDir, vaultSettings)
	} else {
		data, _, err = ReadUserFile(at.path, false)
	}
	if err != nil {
		err = fmt.Errorf("%s %w", at.path, err)
	}
	return data, err
}

// folder opens the file's folder, creating it if needed, and returns the file's name in it.
func (at place) folder() (*os.Root, string, error) {
	if at.kind == SettingsFile {
		file := RealDir(at.path) // keeps a symbolic link
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			return nil, "", err
		}
		root, err := os.OpenRoot(filepath.Dir(file))
		return root, filepath.Base(file), err
	}
	vault, err := os.OpenRoot(at.src.VaultDir)
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = vault.Close() }()
	if err := statefile.MakeFolder(vault, stateMarker); err != nil {
		return nil, "", err
	}
	root, err := statefile.Folder(vault, stateMarker)
	return root, filepath.Base(at.path), err
}

// settings are the values of the settings files: the user's, and the vault's.
type settings struct {
	all, vault []node
	agreed     bool

	warnings []string // sentences about files that are ignored
	errs     Errors   // files that must not be ignored because of what they protect
}

// protects are the settings that are never ignored because of a fault: without them the agent could see or do more.
var protects = []string{privateKey, "approval"}

// readSettings reads the settings files.
func readSettings(src Sources) (s settings) {
	s.all, _ = s.read(settingsPlace(src, false))
	if src.VaultDir != "" {
		var data []byte
		s.vault, data = s.read(settingsPlace(src, true))
		s.agreed = src.Agreed != nil && src.Agreed(src.VaultDir, vaultSettings, data)
	}
	return s
}

func (s *settings) read(at place) ([]node, []byte) {
	data, err := at.read()
	unused := ", so no setting in it is used"
	var list []node
	if err == nil {
		unused += "; move it away, and change your settings again"
		list, err = at.parse(data)
	}
	switch {
	case err == nil:
	case slices.ContainsFunc(protects, func(key string) bool { return bytes.Contains(data, []byte(key)) }):
		s.errs.add(Origin{Kind: at.kind, Name: at.path}, "", "sets what is private or when to ask you, so it is not ignored: fix it, or move it away and set that again (%v)", err)
	default:
		s.warnings = append(s.warnings, err.Error()+unused)
	}
	return list, data
}

// parse returns the values of a settings file; none if data is nil.
func (at place) parse(data []byte) ([]node, error) {
	if data == nil {
		return nil, nil
	}
	list, bad := parseTOML(data, Origin{Kind: at.kind, Name: at.path})
	if bad != nil {
		return nil, bad
	}
	i := slices.IndexFunc(list, func(n node) bool { return n.key() == schemaKey && n.raw == int64(settingsSchema) })
	if i < 0 {
		return nil, fmt.Errorf("%s was not written by this version of chatvault", at.path)
	}
	return slices.Delete(list, i, i+1), nil
}

// SettingsChange is a change of a settings file.
type SettingsChange struct {
	Path          string
	Before, After []byte // whole files; equal if nothing changed
}

// SetSetting sets a setting, as typed, in a settings file: the user's, for all vaults, or that of src.VaultDir. nil
// removes it. It returns the error that the value would give in config.toml, and one if config.toml sets the key.
// Other errors in the configuration do not matter.
func SetSetting(src Sources, inVault bool, key string, typed *string) (c SettingsChange, err error) {
	at := settingsPlace(src.withDefaults(), inVault)
	c.Path = at.path
	var value any
	if typed != nil {
		if value, err = typedValue(key, *typed); err != nil {
			return c, &Error{Origin: Origin{Kind: SettingsFile, Name: at.path}, Key: key, Text: err.Error()}
		}
	}
	if c.Before, err = at.read(); err != nil {
		return c, err
	}
	c.After = c.Before
	if _, err := at.parse(c.Before); err != nil {
		return c, err
	}
	tree := map[string]any{schemaKey: settingsSchema}
	if _, err := toml.Decode(string(c.Before), &tree); err != nil {
		return c, err
	}
	changed := setPath(tree, strings.Split(key, "."), value)
	after := bytes.NewBufferString(settingsHead)
	enc := toml.NewEncoder(after)
	enc.Indent = ""
	if err := enc.Encode(tree); err != nil {
		return c, err
	}
	list, err := at.parse(after.Bytes())
	if err == nil {
		err = at.check(key, list)
	}
	if err != nil || !changed {
		return c, err
	}
	c.After = after.Bytes()
	return c, at.write(c.Before, c.After)
}

// fixes completes "KEY …" for a value set in a config.toml.
func (o Origin) fixes() string {
	name := filepath.Base(o.Name)
	if o.Kind == VaultFile {
		name = vaultConfig
	}
	return fmt.Sprintf("is set in line %d of %s; change it there", o.Line, name)
}

// setPath sets a value in a tree of tables; nil removes it. It reports whether the tree changed.
func setPath(tree map[string]any, path []string, value any) bool {
	name := path[0]
	was, there := tree[name]
	switch below, _ := was.(map[string]any); {
	case len(path) > 1 && below == nil && value == nil:
		return false
	case len(path) > 1 && below == nil:
		below = map[string]any{}
		tree[name] = below
		fallthrough
	case len(path) > 1:
		return setPath(below, path[1:], value)
	case value == nil:
		delete(tree, name)
		return there
	}
	tree[name] = value
	return !there || fmt.Sprint(was) != fmt.Sprint(value)
}

// check returns why a setting cannot have its value if the file had the values in list: a fault, or a hand-written file
// that sets it.
func (at place) check(key string, list []node) error {
	src, inVault, file := at.src, at.kind == VaultSettings, UserFile
	src.Flags, src.Chosen, src.LookupEnv = nil, nil, func(string) (string, bool) { return "", false }
	src.Agreed = func(string, string, []byte) bool { return true } // setting it is consent
	set := readSettings(src)
	if inVault {
		set.vault, file = list, VaultFile
	} else {
		set.all, set.vault, src.VaultDir = list, nil, ""
	}
	l := load(src, set)
	for _, e := range slices.Concat(l.errs, l.unused) {
		switch {
		case strings.HasPrefix(key+".", e.Key+"."):
			return e
		case e.Key == "" && e.Origin.Kind == file && e.Origin.Line > 0: // no TOML
			e.Text += "; fix it first"
			return e
		}
	}
	for _, w := range l.cfg.Warnings {
		if strings.HasPrefix(w, at.path) && strings.Contains(w, ": "+key) { // such as a number that a vault may only lower
			return errors.New(w)
		}
	}
	for _, s := range l.cfg.Settings() {
		if why := s.FixedIn(inVault); s.Key == key && why != "" {
			return &Error{Origin: s.From, Key: key, Text: why}
		}
	}
	return nil
}

// write replaces the file durably unless it has changed since it was read.
func (at place) write(before, after []byte) error {
	root, name, err := at.folder()
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w", at.path, text.Cause(err))
	}
	defer func() { _ = root.Close() }()
	unchanged := func() error {
		now, err := at.read()
		if err == nil && !bytes.Equal(now, before) {
			err = ErrChanged
		}
		return err
	}
	err = atomicfile.Writer{}.Replace(root, name, after, atomicfile.Options{Perm: 0o600, Exclusive: before == nil, BeforeRename: unchanged})
	switch {
	case errors.Is(err, fs.ErrExist), errors.Is(err, ErrChanged):
		return fmt.Errorf("%s: %w; try again", at.path, ErrChanged)
	case err != nil:
		return fmt.Errorf("%s cannot be written: %w", at.path, text.Cause(err))
	}
	return nil
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
	case kind == KindChoice:
		typed = strings.ToLower(typed)
	}
	value := r.holds.kind.typed(typed)
	return value, r.holds.set(value, Origin{})
}
