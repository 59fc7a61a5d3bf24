package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"chatvault/internal/atomicfile"
	"chatvault/internal/text"
)

const templateHead = `# chatvault's configuration. Every line below is commented out and shows the default
# or an example; remove the "# " before what you want to set.
#
# What takes precedence: flags, then the environment, then (the model) what /model chose for a vault,
# then a vault's .smarthole/config.toml, then this file, then what you set in chatvault (settings.toml,
# beside this file), then the defaults. ` + "`chatvault config show`" + ` prints what is in force and where it
# came from.
`

// templateWidth is how wide the template's comments are, in characters.
const templateWidth = 95

// Template is a configuration file that sets nothing and explains every key, for `config init`.
func Template() string {
	var b strings.Builder
	b.WriteString(templateHead)
	rows := rowsOf(Defaults())
	slices.SortStableFunc(rows, func(x, y row) int { return x.section() - y.section() })
	group, below := "", "" // the heading, and the table, that rows stand below
	for _, r := range rows {
		if r.group != group {
			group = r.group
			b.WriteString("\n## " + group + " " + strings.Repeat("-", templateWidth-4-len(group)) + "\n")
		}
		table, name, dotted := strings.Cut(r.key, ".")
		if dotted && table != below {
			b.WriteString("\n# [" + table + "]")
			below = table
		}
		b.WriteString("\n" + comment(r.explained()))
		if r.holds.lines != nil {
			b.WriteString(comment(r.example))
			continue
		}
		value := r.example
		if value == "" {
			value = r.literal()
		}
		if !dotted {
			name = r.key
		}
		b.WriteString(comment(name + " = " + value))
	}
	return b.String()
}

// section puts tables last, as TOML wants it.
func (r row) section() int {
	if r.holds.lines != nil || strings.Contains(r.key, ".") {
		return 1
	}
	return 0
}

// explained is what the template says of a key, in lines.
func (r row) explained() string {
	said := r.about + "."
	if len(r.holds.choices) > 0 {
		said += " One of " + r.holds.named(`"`) + "."
	}
	if r.more != "" {
		said += " " + r.more
	}
	if r.env != "" {
		said += " (" + r.env + ")"
	}
	var out strings.Builder
	width := 0
	for i, w := range strings.Fields(said) {
		switch {
		case width+1+len(w) > templateWidth-2:
			out.WriteString("\n")
			width = 0
		case i > 0:
			out.WriteString(" ")
			width++
		}
		out.WriteString(w)
		width += len(w)
	}
	return out.String()
}

// named are the choices in quotes, each with what it does.
func (h holder) named(quote string) string {
	var all []string
	for i, c := range h.choices {
		c = quote + c + quote
		if h.means != nil {
			c += " (" + h.means[i] + ")"
		}
		all = append(all, c)
	}
	return strings.Join(all, ", ")
}

// comment makes a comment of each line.
func comment(lines string) string {
	return strings.ReplaceAll("# "+strings.ReplaceAll(lines, "\n", "\n# ")+"\n", "# \n", "#\n")
}

// ErrExists is what Init's error wraps when the file already exists.
var ErrExists = errors.New("the file already exists")

// Init writes the Template to path, for its owner alone, with the folders above it.
// The file appears whole or not at all, and an existing one is never touched.
func Init(path string) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("the folder %s cannot be made: %w", dir, text.Cause(err))
	}
	switch err := atomicfile.CreatePath(path, []byte(Template()), 0o600); {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%s: %w; edit it, or move it away first", path, ErrExists)
	case err != nil:
		return fmt.Errorf("%s cannot be written: %w", path, text.Cause(err))
	}
	return nil
}
