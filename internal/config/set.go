package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"chatvault/internal/atomicfile"
	"chatvault/internal/statefile"
	"chatvault/internal/text"
)

// settingsSchema is the version of the settings file. A file without it was not written by chatvault.
const (
	settingsSchema = 1
	schemaKey      = "schema"
)

const settingsHead = "# Written by chatvault when you change a setting in it. What config.toml sets takes precedence.\n"

// ErrChanged is what SetSetting's error wraps if another program wrote the file at the same time.
var ErrChanged = errors.New("it was changed meanwhile")

// SettingsPath returns the path of the user's settings file, which holds what is set in the program for all
// vaults: it is next to the user's config.toml, which only a person writes.
func SettingsPath(userFile string) string {
	return filepath.Join(filepath.Dir(userFile), "settings.toml")
}

// place is where a settings file is.
type place struct {
	path   string
	read   func() ([]byte, error)
	folder func() (*os.Root, string, error) // makes it where needed; and the file's name in it
}

// settingsPlace returns the place of the user's settings file, or of the one of src.VaultDir.
func settingsPlace(src Sources, inVault bool) place {
	if !inVault {
		path := SettingsPath(src.UserFile)
		read := func() ([]byte, error) {
			data, _, err := readUserFile(path, false)
			return data, err
		}
		return place{path, read, func() (*os.Root, string, error) {
			file := path
			if real, err := filepath.EvalSymlinks(path); err == nil {
				file = real // a symbolic link stays one
			}
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				return nil, "", err
			}
			root, err := os.OpenRoot(filepath.Dir(file))
			return root, filepath.Base(file), err
		}}
	}
	folder, name := filepath.Split(filepath.FromSlash(vaultSettings))
	folder = filepath.Clean(folder)
	read := func() ([]byte, error) { return readVaultFile(src.VaultDir, vaultSettings) }
	return place{filepath.Join(src.VaultDir, folder, name), read, func() (*os.Root, string, error) {
		vault, err := os.OpenRoot(src.VaultDir)
		if err != nil {
			return nil, "", err
		}
		defer func() { _ = vault.Close() }()
		if err := statefile.MakeFolder(vault, folder); err != nil {
			return nil, "", err
		}
		root, err := statefile.Folder(vault, folder)
		return root, name, err
	}}
}

// settings are the entries of the settings files: the user's, and the vault's, to which its owner agreed or not.
type settings struct {
	all, vault []entry
	agreed     bool

	warnings []string // whole sentences about files that are not used
	errs     Errors   // files that had to be used, for what they protect
}

// protects are the settings that are never dropped for a fault: without them the agent would see or do more.
var protects = []string{privateKey, "approval"}

// readSettings returns what is set in the program.
func readSettings(src Sources) (s settings) {
	get := func(inVault bool) ([]entry, []byte) {
		at := settingsPlace(src, inVault)
		data, err := at.read()
		unused := ", so no setting in it is used"
		var entries []entry
		if err != nil {
			err = fmt.Errorf("%s %w", at.path, err)
		} else {
			unused += "; move it away, and change your settings again"
			entries, err = parseSettings(at.path, data)
		}
		switch {
		case err == nil:
		case slices.ContainsFunc(protects, func(key string) bool { return bytes.Contains(data, []byte(key)) }):
			s.errs.add(Origin{Kind: SettingsFile, Name: at.path}, "", "sets what is private or when to ask you, so it is not ignored: fix it, or move it away and set that again (%v)", err)
		default:
			s.warnings = append(s.warnings, err.Error()+unused)
		}
		return entries, data
	}
	s.all, _ = get(false)
	if src.VaultDir != "" {
		var data []byte
		s.vault, data = get(true)
		s.agreed = src.Agreed != nil && src.Agreed(src.VaultDir, vaultSettings, data)
	}
	return s
}

// parseSettings returns the entries of a settings file; none if data is nil.
func parseSettings(path string, data []byte) ([]entry, error) {
	if data == nil {
		return nil, nil
	}
	entries, bad := parseTOML(data, Origin{Kind: SettingsFile, Name: path})
	if bad != nil {
		return nil, bad
	}
	i := slices.IndexFunc(entries, func(e entry) bool { return e.key() == schemaKey && e.raw == int64(settingsSchema) })
	if i < 0 {
		return nil, fmt.Errorf("%s was not written by this version of chatvault", path)
	}
	return slices.Delete(entries, i, i+1), nil
}

// without returns the settings without the one that an error is about; without all of its scope if it names none.
func (s settings) without(e *Error) settings {
	list := &s.all
	if e.Origin.Kind == VaultSettings {
		list = &s.vault
	}
	less := slices.DeleteFunc(slices.Clone(*list), func(x entry) bool {
		return x.key() == e.Key || strings.HasPrefix(x.key(), e.Key+".")
	})
	if len(less) == len(*list) {
		less = nil
	}
	*list = less
	return s
}

// SettingsChange is what SetSetting made of a settings file.
type SettingsChange struct {
	Path          string
	Before, After []byte // the whole file; equal if nothing changed
}

// SetSetting gives a setting a value, as a person typed it, in the settings file: in the user's, for all
// vaults, or in that of src.VaultDir. nil removes the value. It returns the error that the value would give in
// config.toml, and one if config.toml fixes the value. Other errors in the configuration do not matter.
func SetSetting(src Sources, inVault bool, key string, typed *string) (c SettingsChange, err error) {
	src, _ = src.withDefaults()
	if err := Settable(src, inVault, key); err != nil {
		return c, err
	}
	at := settingsPlace(src, inVault)
	c.Path = at.path
	var value any
	if typed != nil {
		if value, err = typedValue(key, *typed); err != nil {
			return c, &Error{Origin: Origin{Kind: SettingsFile, Name: at.path}, Key: key, Text: err.Error()}
		}
	}
	if c.Before, err = at.read(); err != nil {
		return c, fmt.Errorf("%s %w", at.path, err)
	}
	was, err := parseSettings(at.path, c.Before)
	if err != nil {
		return c, err
	}
	c.After = c.Before
	tree := map[string]any{schemaKey: settingsSchema}
	if _, err := toml.Decode(string(c.Before), &tree); err != nil {
		return c, err
	}
	if !put(tree, strings.Split(key, "."), value) {
		return c, nil
	}
	after := bytes.NewBufferString(settingsHead)
	enc := toml.NewEncoder(after)
	enc.Indent = ""
	if err := enc.Encode(tree); err != nil {
		return c, err
	}
	is, err := parseSettings(at.path, after.Bytes())
	if err == nil {
		err = newlyWrong(src, inVault, was, is)
	}
	if err == nil {
		err = at.write(c.Before, after.Bytes())
	}
	if err == nil {
		c.After = after.Bytes()
	}
	return c, err
}

// Settable returns an error if a setting cannot be set in the program, for all vaults or for src.VaultDir.
func Settable(src Sources, inVault bool, key string) error {
	o := Origin{Kind: UserFile, Name: src.UserFile}
	data, _, err := readUserFile(src.UserFile, false)
	if inVault {
		o = Origin{Kind: VaultFile, Name: VaultPath(src.VaultDir)}
		data, err = readVaultFile(src.VaultDir, vaultConfig)
	}
	if err != nil {
		return &Error{Origin: o, Text: err.Error()}
	}
	rows := rowsOf(Defaults())
	r, known := rowOf(rows, key)
	switch why := forbidden(rows, key); {
	case !known:
		return &Error{Origin: o, Key: key, Text: "unknown key"}
	case inVault && why != "":
		return &Error{Origin: o, Key: key, Text: "may not be set by the file of a vault, " + why}
	case r.holds.kind == KindFixed:
		return &Error{Origin: o, Key: key, Text: "is edited in the file"}
	}
	entries, bad := parseTOML(data, o)
	if bad != nil {
		bad.Text += "; fix it first"
		return bad
	}
	for _, e := range entries {
		_, isKey := keyKinds[key]
		_, alsoKey := keyKinds[e.key()]
		if e.key() == key || isKey && alsoKey {
			o.Line = e.line
			return &Error{Origin: o, Key: key, Text: o.fixes()}
		}
	}
	return nil
}

// fixes completes "KEY …" for a value that a file of a person's own sets.
func (o Origin) fixes() string {
	name := filepath.Base(o.Name)
	if o.Kind == VaultFile {
		name = vaultConfig
	}
	return fmt.Sprintf("is set in line %d of %s; change it there", o.Line, name)
}

// put sets a value in a tree of tables; nil removes it. It reports whether that changed the tree.
func put(tree map[string]any, path []string, value any) bool {
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
		return put(below, path[1:], value)
	case value == nil:
		delete(tree, name)
		return there
	}
	tree[name] = value
	return !there || fmt.Sprint(was) != fmt.Sprint(value)
}

// newlyWrong returns the first fault that the configuration has with some entries of a settings file and not
// with others.
func newlyWrong(src Sources, inVault bool, was, is []entry) error {
	with := func(entries []entry) *loader {
		set := readSettings(src)
		if inVault {
			set.vault, set.agreed = entries, true // who sets it agrees to it
		} else {
			set.all = entries
		}
		return pass(src, false, set)
	}
	before, after := with(was), with(is)
	for _, one := range after.errs {
		if !slices.ContainsFunc(before.errs, func(e *Error) bool { return e.Key == one.Key && e.Text == one.Text }) {
			return one
		}
	}
	for _, w := range after.cfg.Warnings { // such as a number that a vault may only lower
		if !slices.Contains(before.cfg.Warnings, w) {
			return errors.New(w)
		}
	}
	return nil
}

// write replaces the file, durably, unless it is no longer what was read.
func (at place) write(before, after []byte) error {
	root, name, err := at.folder()
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w", at.path, text.Cause(err))
	}
	defer func() { _ = root.Close() }()
	same := func() error {
		now, err := at.read()
		if err == nil && !bytes.Equal(now, before) {
			err = ErrChanged
		}
		return err
	}
	err = atomicfile.Writer{}.Replace(root, name, after, atomicfile.Options{Perm: 0o600, Exclusive: before == nil, BeforeRename: same})
	switch {
	case errors.Is(err, fs.ErrExist), errors.Is(err, ErrChanged):
		return fmt.Errorf("%s: %w; try again", at.path, ErrChanged)
	case err != nil:
		return fmt.Errorf("%s cannot be written: %w", at.path, text.Cause(err))
	}
	return nil
}

// typedValue returns a value that a person typed as TOML has it. Its error completes "KEY: …" and is the
// one that config.toml would give.
func typedValue(key, typed string) (any, error) {
	r, _ := rowOf(rowsOf(Defaults()), key)
	typed = strings.TrimSpace(typed)
	if r.holds.kind == KindList {
		items := splitList(typed)
		return items, r.holds.set(items, Origin{})
	}
	if err := r.holds.set(word(typed), Origin{}); err != nil {
		return nil, err
	}
	switch r.holds.kind {
	case KindSwitch:
		return parseBool(word(typed))
	case KindNumber:
		return strconv.ParseInt(typed, 10, 64)
	case KindAmount:
		return parseAmount(word(typed))
	case KindChoice:
		return strings.ToLower(typed), nil
	case KindProse:
		return strings.ReplaceAll(typed, "\r\n", "\n") + "\n", nil
	}
	return typed, nil
}

// literal is a value as it is written in config.toml: what a person would type, or zero.
func (r row) literal() string {
	shown, _ := r.holds.show()
	value, err := typedValue(r.key, cmp.Or(shown, "0"))
	if err != nil {
		return `""`
	}
	var line bytes.Buffer
	if err := toml.NewEncoder(&line).Encode(map[string]any{"x": value}); err != nil {
		return `""`
	}
	return strings.TrimPrefix(strings.TrimSuffix(line.String(), "\n"), "x = ")
}

// splitList returns the entries of a list that was typed with commas between them; commas in braces belong
// to a glob.
func splitList(typed string) []any {
	items, depth, from := []any{}, 0, 0
	take := func(to int) {
		if entry := strings.TrimSpace(typed[from:to]); entry != "" {
			items = append(items, entry)
		}
		from = to + 1
	}
	for i, r := range typed {
		switch {
		case r == '{':
			depth++
		case r == '}':
			depth = max(depth-1, 0)
		case r == ',' && depth == 0:
			take(i)
		}
	}
	if from <= len(typed) {
		take(len(typed))
	}
	return items
}
