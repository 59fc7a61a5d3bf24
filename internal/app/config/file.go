package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/adrg/xdg"

	"chatvault/internal/base/statefile"
	"chatvault/internal/base/text"
)

// maxFile is the maximum size of a configuration file, in bytes.
const maxFile = 1 << 20

// file is the content of a configuration file.
type file struct {
	at     Origin // without a line
	data   []byte // nil if there is none
	err    error  // why it cannot be read; completes "FILE …"
	agreed bool   // the owner agreed to a vault's file
	open   bool   // other users can read it
}

// file reads a configuration file. A vault's is empty if there is no vault.
func (in Sources) file(kind Kind) file {
	f := file{at: Origin{Kind: kind, Name: in.UserFile}}
	switch kind {
	case SettingsFile:
		f.at.Name = SettingsPath(in.UserFile)
		f.data, f.open, f.err = ReadUserFile(f.at.Name, false)
	case UserFile:
		f.data, f.open, f.err = ReadUserFile(in.UserFile, in.UserFile != UserPath())
	default:
		name := vaultConfig
		if kind == VaultSettings {
			name = vaultSettings
		}
		f.at.Name = filepath.Join(in.VaultDir, filepath.FromSlash(name))
		if in.VaultDir != "" {
			f.data, f.err = readVaultFile(in.VaultDir, name)
			f.agreed = f.data != nil && in.Agreed != nil && in.Agreed(in.VaultDir, name, f.data)
		}
	}
	return f
}

// files reads all configuration files, weakest first.
func (in Sources) files() (list []file) {
	for _, kind := range []Kind{SettingsFile, UserFile, VaultSettings, VaultFile} {
		list = append(list, in.file(kind))
	}
	return list
}

// nodes returns the values in the file.
func (f file) nodes() ([]node, *Error) {
	switch {
	case f.err != nil:
		return nil, &Error{Origin: f.at, Text: f.err.Error()}
	case f.data == nil:
		return nil, nil
	}
	list, bad := parseTOML(f.data, f.at)
	if bad != nil {
		return nil, bad
	}
	i := slices.IndexFunc(list, func(n node) bool { return n.key() == schemaKey })
	switch {
	case i < 0 && !f.at.Kind.ofSettings(): // a file written by hand
		return list, nil
	case i >= 0 && list[i].raw == any(int64(settingsSchema)):
		return slices.Delete(list, i, i+1), nil
	case i >= 0:
		f.at.Line = list[i].at.Line
	}
	return nil, &Error{Origin: f.at, Key: schemaKey, Text: fmt.Sprintf("must be %d, the version of the file; if it is later, update chatvault", settingsSchema)}
}

// node is a value in a file with its position.
type node struct {
	path  []string // "providers", "local", "base_url"
	raw   any      // string, int64, float64, bool, []any, map[string]any, time.Time
	at    Origin
	below []node // values of a table, in the order of their lines
}

// key returns the dotted key of a value.
func (n node) key() string { return toml.Key(n.path).String() }

// name returns the last part of a value's key.
func (n node) name() string { return n.path[len(n.path)-1] }

func (n node) isTable() bool {
	_, ok := n.raw.(map[string]any)
	return ok
}

// parseTOML returns the values of a file in the order of their lines. An error has the line and does not repeat
// values that may be secret.
func parseTOML(data []byte, o Origin) ([]node, *Error) {
	var tree map[string]toml.Primitive
	meta, err := toml.Decode(string(data), &tree)
	var list []node
	if err == nil {
		list, err = nodesOf(meta, tree, nil, o)
	}
	if err != nil { // the parser's message quotes the text, which may be a key
		o.Line = parseError(err).Position.Line
		return nil, &Error{Origin: o, Text: "is not valid TOML; text must be in quotes on one line, and a key or table may stand only once"}
	}
	return list, nil
}

func nodesOf(meta toml.MetaData, table map[string]toml.Primitive, above []string, o Origin) ([]node, error) {
	var list []node
	for name, value := range table {
		n := node{path: append(slices.Clone(above), name), at: o}
		var v located
		located := meta.PrimitiveDecode(value, &v) // always fails: the error has the line
		n.raw, n.at.Line = v.raw, parseError(located).Position.Line
		if n.isTable() {
			var inner map[string]toml.Primitive
			err := meta.PrimitiveDecode(value, &inner)
			if err == nil {
				n.below, err = nodesOf(meta, inner, n.path, o)
			}
			if err != nil {
				return nil, err
			}
			if n.at.Line == 0 && len(n.below) > 0 { // [a.b] also defines a
				n.at.Line = n.below[0].at.Line
			}
		}
		list = append(list, n)
	}
	slices.SortFunc(list, func(a, b node) int {
		return cmp.Or(a.at.Line-b.at.Line, strings.Compare(a.name(), b.name()))
	})
	return list, nil
}

// located accepts any value and always fails, because the decoder reports a key's position only in errors.
type located struct{ raw any }

// UnmarshalTOML keeps the parsed value.
func (l *located) UnmarshalTOML(raw any) error {
	l.raw = raw
	return errors.New("located")
}

func parseError(err error) toml.ParseError {
	parse, _ := errors.AsType[toml.ParseError](err)
	return parse
}

// ReadUserFile reads a file of the user's. A missing file is an error only if it was named. open reports whether
// other users can read it.
func ReadUserFile(path string, named bool) (data []byte, open bool, err error) {
	data, err = os.ReadFile(path) // the user's own configuration
	switch {
	case errors.Is(err, fs.ErrNotExist) && !named:
		return nil, false, nil
	case err != nil:
		return nil, false, fmt.Errorf("cannot be read: %w", text.Cause(err))
	}
	info, err := os.Stat(path)
	return data, err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o044 != 0, nil
}

// The settings files in a vault, relative to it: written by hand, and by the program.
const (
	vaultConfig   = stateMarker + "/config.toml"
	vaultSettings = stateMarker + "/settings.toml"
)

// readVaultFile reads a settings file of a vault. It must be a regular file in a real folder, since a link may lead
// to what a tool can write. A missing file is no error.
func readVaultFile(dir, name string) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil // the vault reports why it cannot be opened
	}
	defer func() { _ = root.Close() }()
	data, err := statefile.Read(root, name, maxFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	return data, nil
}

// VaultFiles returns the settings files of the vault in dir that need the owner's consent, by name.
func VaultFiles(dir string) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, name := range []string{vaultConfig, vaultSettings} {
		data, err := readVaultFile(dir, name)
		if err != nil {
			return nil, err
		}
		if NeedsConsent(data) {
			files[name] = data
		}
	}
	return files, nil
}

// NeedsConsent reports whether a vault's file has settings that need the owner's consent.
func NeedsConsent(file []byte) bool {
	list, bad := parseTOML(file, Origin{Kind: VaultFile})
	rows := rowsOf(Defaults())
	return bad == nil && slices.ContainsFunc(list, func(n node) bool { // otherwise loading it is an error
		r, known := rowOf(rows, n.key())
		return known && r.vault == agreed
	})
}

// UserPath returns the path of the user's file: chatvault/config.toml in the XDG configuration folder.
func UserPath() string { return filepath.Join(xdg.ConfigHome, "chatvault", "config.toml") }

// VaultPath returns the path of a vault's own config.toml.
func VaultPath(vaultDir string) string {
	return filepath.Join(vaultDir, filepath.FromSlash(vaultConfig))
}

// SkillFolders returns the folders of the user's skills: next to the configuration, and the one that agents share.
func SkillFolders() []string {
	folders := []string{filepath.Join(xdg.ConfigHome, "chatvault", "skills")}
	if home, err := os.UserHomeDir(); err == nil {
		folders = append(folders, filepath.Join(home, ".agents", "skills"))
	}
	return folders
}

// StateDir returns the folder of persistent state, such as the prompt history. It may not exist yet.
func StateDir() string { return filepath.Join(xdg.StateHome, "chatvault") }

// CheckHome returns an error if there is no place for settings and state: HOME is not a folder, and XDG_CONFIG_HOME
// and XDG_STATE_HOME are not both set to one.
func CheckHome() error {
	home := os.Getenv("HOME")
	for _, name := range []string{"XDG_CONFIG_HOME", "XDG_STATE_HOME"} {
		if folder := os.Getenv(name); runtime.GOOS != "windows" && !filepath.IsAbs(home) && !filepath.IsAbs(folder) {
			return fmt.Errorf("HOME is %q and %s is %q, and neither is an absolute path: there is no place for settings and conversations, and nothing was written.\nSet HOME to your home folder, or both XDG_CONFIG_HOME and XDG_STATE_HOME to absolute paths", home, name, folder)
		}
	}
	return nil
}
