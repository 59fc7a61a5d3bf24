package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/BurntSushi/toml"

	"chatvault/internal/base/atomicfile"
	"chatvault/internal/base/text"
)

const templateHead = `# chatvault's configuration. Every setting below is commented out and shows the default
# or an example; remove the "# " before what you want to set. ` + "`chatvault help settings`" + ` says more.
#
# What takes precedence: flags, then the environment, then (the model) what /model chose for a vault,
# then a vault's .smarthole/config.toml, then this file, then what you set in chatvault (settings.toml,
# beside this file), then the defaults. ` + "`chatvault config show`" + ` prints what is in force and where it
# came from.

# The version of this file.
schema = 1
`

// Template returns a configuration file that sets nothing and has every key, for `config init`.
func Template() string {
	var b strings.Builder
	b.WriteString(templateHead)
	group := "" // of the previous row
	for _, r := range rowsOf(Defaults()) {
		table, name, dotted := strings.Cut(r.key, ".")
		if !dotted {
			name = r.key
		}
		if r.group != group {
			group = r.group
			b.WriteString("\n## " + group + "\n")
			if dotted {
				b.WriteString("\n# [" + table + "]")
			}
		}
		b.WriteString("\n" + comment(r.about+"."))
		if r.holds.choices != nil {
			b.WriteString(comment(`One of "` + strings.Join(r.holds.choices, `", "`) + `".`))
		}
		switch {
		case r.holds.table != nil:
			b.WriteString(comment(r.example))
		case r.example != "":
			b.WriteString(comment(name + " = " + r.example))
		default:
			shown, _ := r.holds.show()
			line, _ := toml.Marshal(map[string]any{name: r.holds.kind.typed(shown)}) // a plain value
			b.WriteString(comment(strings.TrimSpace(string(line))))
		}
	}
	return b.String()
}

// comment makes a comment of each line.
func comment(lines string) string {
	return strings.ReplaceAll("# "+strings.ReplaceAll(lines, "\n", "\n# ")+"\n", "# \n", "#\n")
}

// Init writes the Template to path, for its owner alone, with the folders above it.
// The file appears whole or not at all, and an existing one is never touched.
func Init(path string) error {
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = atomicfile.CreatePath(path, []byte(Template()), 0o600)
	}
	switch {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%s already exists and is unchanged; edit it, or move it away first", path)
	case err != nil:
		return fmt.Errorf("%s cannot be written: %w", path, text.Cause(err))
	}
	return nil
}
