package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/adrg/xdg"

	"chatvault/internal/statefile"
	"chatvault/internal/text"
)

// maxFile bounds a configuration file, in bytes.
const maxFile = 1 << 20

// entry is one key of a file with its value.
type entry struct {
	path []string // "providers", "local", "base_url"
	raw  any      // string, int64, float64, bool, []any, map[string]any, time.Time
	line int
}

func (e entry) key() string { return toml.Key(e.path).String() }

// name is that of the table in a table which the entry is about; empty: the outer one.
func (e entry) name() string {
	if len(e.path) == 1 {
		return ""
	}
	return e.path[1]
}

// parseTOML reads the entries of a file in the order of their lines; a table is an
// entry too, before its keys. An error names the line and repeats no value that may
// be a key.
func parseTOML(data []byte, o Origin) ([]entry, *Error) {
	var tree map[string]toml.Primitive
	meta, err := toml.Decode(string(data), &tree)
	if err != nil {
		return nil, syntaxError(err, data, o)
	}
	var list []entry
	var walk func(table map[string]toml.Primitive, above []string) error
	walk = func(table map[string]toml.Primitive, above []string) error {
		for name, value := range table {
			path := append(slices.Clone(above), name)
			var at located
			err := meta.PrimitiveDecode(value, &at) // fails by design: the error knows the line
			list = append(list, entry{path: path, raw: at.raw, line: lineOf(err)})
			if _, isTable := at.raw.(map[string]any); !isTable {
				continue
			}
			var inner map[string]toml.Primitive
			if err := meta.PrimitiveDecode(value, &inner); err != nil {
				return err
			}
			if err := walk(inner, path); err != nil {
				return err
			}
		}
		return nil
	}
	if err := walk(tree, nil); err != nil {
		return nil, syntaxError(err, data, o)
	}
	placeImplied(list)
	slices.SortFunc(list, func(a, b entry) int {
		if a.line != b.line {
			return a.line - b.line
		}
		if len(a.path) != len(b.path) {
			return len(a.path) - len(b.path)
		}
		return slices.Compare(a.path, b.path)
	})
	return list, nil
}

// placeImplied gives a table that no line opens by itself ([a.b] opens a as well) the
// first line of what is in it.
func placeImplied(list []entry) {
	for i := range list {
		if list[i].line != 0 {
			continue
		}
		n := len(list[i].path)
		for _, e := range list {
			within := len(e.path) > n && slices.Equal(e.path[:n], list[i].path)
			if within && e.line != 0 && (list[i].line == 0 || e.line < list[i].line) {
				list[i].line = e.line
			}
		}
	}
}

// located takes any value and always fails: the decoder puts the key's position
// into the error, which it tells in no other way.
type located struct{ raw any }

var errLocated = errors.New("located")

// UnmarshalTOML keeps the value as the parser made it.
func (l *located) UnmarshalTOML(raw any) error {
	l.raw = raw
	return errLocated
}

func lineOf(err error) int {
	parse, _ := errors.AsType[toml.ParseError](err)
	return parse.Position.Line
}

// syntaxError is a file that is no TOML. Where the line is about a key, the
// parser's own words are left out, because they quote the text.
func syntaxError(err error, data []byte, o Origin) *Error {
	parse, ok := errors.AsType[toml.ParseError](err)
	if !ok {
		return &Error{Origin: o, Text: "is not valid TOML"}
	}
	o.Line = parse.Position.Line
	lines := strings.Split(string(data), "\n")
	about := strings.ToLower(parse.LastKey)
	if o.Line >= 1 && o.Line <= len(lines) {
		about += strings.ToLower(lines[o.Line-1])
	}
	if strings.Contains(about, "key") || strings.Contains(about, "token") {
		return &Error{Origin: o, Text: "is not valid TOML; text must be in quotes on one line, like api_key_env = \"NAME\""}
	}
	return &Error{Origin: o, Text: "is not valid TOML: " + parse.Message}
}

// readUserFile reads the user's file. A file that is not there is no error unless it
// was named. open says whether others on this machine can read it.
func readUserFile(path string, named bool) (data []byte, open bool, err error) {
	f, err := os.Open(path) // the user's own configuration
	if errors.Is(err, fs.ErrNotExist) && !named {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("cannot be read: %w", text.Cause(err))
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, false, fmt.Errorf("cannot be read: %w", text.Cause(err))
	}
	data, err = readBounded(f, info)
	return data, readableByOthers(info), err
}

// Where a vault keeps its settings, relative to the vault: what a person writes, and what is set in the program.
const (
	vaultConfig   = ".smarthole/config.toml"
	vaultSettings = ".smarthole/settings.toml"
)

// readVaultFile reads settings that come with a vault: a regular file in a real folder, since a
// link may lead to what a tool can write. A file that is not there is no error.
func readVaultFile(dir, name string) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil // whether the vault can be opened is for the vault to say
	}
	defer func() { _ = root.Close() }()
	data, err := statefile.Read(root, name, maxFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case errors.Is(err, statefile.ErrTooLarge):
		return nil, errTooLarge
	case errors.Is(err, statefile.ErrNotFile):
		return nil, errors.New("is not a regular file; move it away")
	case errors.Is(err, statefile.ErrNotFolder):
		return nil, errors.New("is in a .smarthole that is a link or a file, not a folder; move that away")
	case err != nil:
		return nil, fmt.Errorf("cannot be read: %w", text.Cause(err))
	}
	return data, nil
}

var errTooLarge = fmt.Errorf("is larger than %d bytes, too large for a configuration", maxFile)

func readBounded(r io.Reader, info fs.FileInfo) ([]byte, error) {
	if info.IsDir() {
		return nil, fmt.Errorf("is a folder, not a file")
	}
	data, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %w", text.Cause(err))
	}
	if len(data) > maxFile {
		return nil, errTooLarge
	}
	return data, nil
}

// VaultFiles are the settings files of the vault in dir, by their names in it, that hold something that needs
// the owner's agreement.
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

// UserPath is where the user's file is looked for: chatvault/config.toml in the XDG
// configuration folder.
func UserPath() string { return filepath.Join(xdg.ConfigHome, "chatvault", "config.toml") }

// SkillFolders are where the user's own skills lie: beside the configuration, and where programs with
// agents share them.
func SkillFolders() []string {
	folders := []string{filepath.Join(xdg.ConfigHome, "chatvault", "skills")}
	if home, err := os.UserHomeDir(); err == nil {
		folders = append(folders, filepath.Join(home, ".agents", "skills"))
	}
	return folders
}

// StateDir is the folder of what outlives a run and is no setting, such as the prompt
// history. It is not made here.
func StateDir() string { return filepath.Join(xdg.StateHome, "chatvault") }

// CheckHome returns an error if there is no place for settings and state: HOME names no folder, and XDG_CONFIG_HOME
// and XDG_STATE_HOME do not both name one.
func CheckHome() error {
	state := func(name string) string {
		if v := os.Getenv(name); v != "" {
			return fmt.Sprintf("%s is %q, which is not an absolute path", name, v)
		}
		return name + " is not set"
	}
	for _, name := range []string{"XDG_CONFIG_HOME", "XDG_STATE_HOME"} {
		if runtime.GOOS != "windows" && !filepath.IsAbs(os.Getenv("HOME")) && !filepath.IsAbs(os.Getenv(name)) {
			return fmt.Errorf("%s, and %s: there is no place for settings and conversations, and nothing was written.\nSet HOME to your home folder, or both XDG_CONFIG_HOME and XDG_STATE_HOME to absolute paths", state("HOME"), state(name))
		}
	}
	return nil
}

// VaultPath is where a vault keeps its settings.
func VaultPath(vaultDir string) string {
	return filepath.Join(vaultDir, filepath.FromSlash(vaultConfig))
}
