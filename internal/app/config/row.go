package config

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"chatvault/internal/base/lazyregexp"
	"chatvault/internal/base/text"
)

// row describes one setting for the file, the variable, /settings, config show, config init and the documentation.
type row struct {
	key   string // "theme", "smarthole.url", or a table's name, "providers"
	group string
	about string // a sentence on one line, without its full stop; docs/settings.md says more
	env   string // environment variable; empty if none

	vault vaultMay // what a vault's file may do

	holds   holder
	example string // TOML value if the default shows nothing; for a table, all its lines
	atOnce  bool   // a change applies immediately, else at the next start
}

// vaultMay is what a vault's file, which may be untrusted, may do with a key.
type vaultMay int

const (
	never  vaultMay = iota // nothing: it is an error
	freely                 // set it: it only affects the display, or only adds
	lower                  // lower it
	agreed                 // set it if the owner agreed to the file
)

// holder stores a setting's value in a Config.
type holder struct {
	kind           SettingKind
	choices, means []string // of KindChoice; means describes each, nil if they are clear

	reset func()                        // to the default
	set   func(raw any, o Origin) error // the error completes "KEY: …"
	show  func() (string, Origin)       // empty if not set, and for a table
	table func(*loader, node)           // reads a table from a file
}

// scalar holds one value.
func scalar[T any](kind SettingKind, at *Value[T], def T, parse parser[T], show func(T) string) holder {
	return holder{
		kind:  kind,
		reset: func() { *at = Value[T]{V: def} },
		set: func(raw any, o Origin) error {
			v, err := parse(raw)
			if err == nil {
				*at = Value[T]{v, o}
			}
			return err
		},
		show: func() (string, Origin) { return show(at.V), at.Origin },
	}
}

func toggle(at *Value[bool], def bool) holder {
	return scalar(KindSwitch, at, def, parseBool, strconv.FormatBool)
}

// number holds an integer within bounds.
func number(at *Value[int], def, least, most int) holder {
	return scalar(KindNumber, at, def, parseInt(least, most), strconv.Itoa)
}

// words holds a text.
func words(kind SettingKind, at *Value[string], def string, parse parser[string]) holder {
	return scalar(kind, at, def, parse, named)
}

func line(at *Value[string], parse parser[string]) holder { return words(KindText, at, "", parse) }

// choice holds one of several texts. The first is the default.
func choice[T ~string](at *Value[T], choices ...T) holder {
	h := scalar(KindChoice, at, choices[0], parseChoice(choices...), named)
	h.choices = text.Of(choices, named)
	return h
}

// named returns the name of a choice.
func named[T ~string](choice T) string { return string(choice) }

// meaning sets the description of each choice.
func (h holder) meaning(means ...string) holder {
	h.means = means
	return h
}

// secret holds the source of the key if it has the given kind.
func secret(c *Config, kind keyKind) holder {
	return holder{
		kind: KindFixed,
		set: func(raw any, o Origin) (err error) {
			c.APIKey, err = kind.parse(raw, o)
			return err
		},
		show: func() (string, Origin) {
			if c.APIKey.kind != kind {
				return "", Origin{}
			}
			return c.APIKey.String(), c.APIKey.Origin
		},
	}
}

// privateKey holds globs of notes that are hidden from the agent. Each file adds to the list, so that none can remove
// another's.
const privateKey = "private"

// maxGlobs is the maximum number of globs per file.
const maxGlobs = 1000

func private(c *Config) holder {
	return holder{
		kind: KindList,
		set: func(raw any, o Origin) error {
			if glob, ok := raw.(string); ok {
				raw = []any{glob}
			}
			globs, err := parseList(`a list of globs such as ["Diary/", "*.secret.md"]`, parseText)(raw)
			if len(globs) > maxGlobs {
				return fmt.Errorf("must have at most %d globs, not %d; put what is private into a folder", maxGlobs, len(globs))
			}
			for _, g := range globs {
				c.Private = append(c.Private, Value[string]{g, o})
			}
			return err
		},
		show: func() (string, Origin) {
			if len(c.Private) == 0 {
				return "", Origin{}
			}
			from := c.Private[len(c.Private)-1].Origin
			if first := c.Private[0].Origin; first != from {
				from.Name = first.String() + ", " + from.Name
			}
			return strings.Join(c.PrivateGlobs(), ", "), from
		},
	}
}

// PrivateGlobs returns the globs of `private`.
func (c *Agent) PrivateGlobs() []string {
	return text.Of(c.Private, func(g Value[string]) string { return g.V })
}

// table holds a table of a file with keys of its own.
func table(read func(*loader, node)) holder {
	return holder{kind: KindFixed, table: read, show: func() (string, Origin) { return "", Origin{} }}
}

// keyStyle holds the style of keys, and reads the table of rebound keys.
func keyStyle(c *Config) holder {
	h := choice(&c.KeyStyle, "emacs", "vi").meaning("as in a shell", "modes, operators and motions, as in Vim")
	h.table = (*loader).bindings
	return h
}

// shown returns the values of a table without secrets.
func (n node) shown() (parts []Setting) {
	for _, v := range n.below {
		parts = append(parts, v.shown()...)
	}
	if n.isTable() || n.key() == keysTable+".style" { // the latter is in force for keys
		return parts
	}
	value := fmt.Sprint(n.raw)
	if n.name() == "api_key" || len(n.path) > 3 || strings.HasSuffix(n.name(), commandSuffix) { // more than 3: of a variable or a header
		value = masked
	}
	part := Setting{Key: n.key(), About: "Edited in the file", Kind: KindFixed}
	return []Setting{part.with(value, n.at)}
}

// rowOf returns the row of a key. For a table with rows of its own ("smarthole") it returns the first of them and
// false.
func rowOf(rows []row, key string) (r row, exact bool) {
	for _, r := range rows {
		if r.key == key || strings.HasPrefix(r.key, key+".") {
			return r, r.key == key
		}
	}
	return row{}, false
}

// parse parses the source of a key. Its error never repeats the value, which is probably the key itself.
func (kind keyKind) parse(raw any, o Origin) (KeySource, error) {
	s, err := parseName(raw)
	switch {
	case err != nil:
		return KeySource{}, err
	case kind == keyLiteral:
		key, err := ParseKey(s)
		return LiteralKey(key, o), err
	case kind == keyEnv && !variable().MatchString(s):
		return KeySource{}, errors.New("must be the name of an environment variable, such as OPENROUTER_API_KEY, not the key itself")
	case s == "":
		return KeySource{}, errors.New("is empty; give a command that prints the key, such as \"pass show openrouter\"")
	}
	return KeySource{o, kind, NewSecret(s)}, nil
}

// variable matches the name of an environment variable.
var variable = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)

// parseToken parses smarthole.token. A short one could be guessed from a proof.
func parseToken(raw any) (Secret, error) {
	k, err := keyLiteral.parse(raw, Origin{})
	if err == nil && len(k.value.Reveal()) < 16 {
		err = errors.New("must have at least 16 characters")
	}
	return k.value, err
}
