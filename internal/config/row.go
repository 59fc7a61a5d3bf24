package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"chatvault/internal/text"
)

// row is all that is known of one setting: the file, the variable, /settings, config show, config
// init and the documentation go by it.
type row struct {
	key   string // "theme", "smarthole.url", or a table's name, "providers"
	group string
	about string // in /settings: a sentence on one line, without its full stop
	more  string // what the template and the documentation say beyond that, in whole sentences
	env   string // the variable that sets it; empty: none

	vault vaultMay // what a vault's file may do with it
	why   string   // it may do nothing: why; empty: it concerns more than the vault

	holds   holder
	example string // of a value, as TOML, where the default shows nothing; of a table, all its lines
	atOnce  bool   // a change counts at once; else from the next start
	until   string // what is so until then, where that may be taken for otherwise
}

// vaultMay is what a vault's file, which may be a stranger's, may do with a key.
type vaultMay int

const (
	never  vaultMay = iota // nothing: a line that tries is an error
	freely                 // set it: it is about the look of the screen, or only ever adds
	lower                  // lower it
	agreed                 // set it, where the owner agreed to the file
)

// holder keeps a setting's value in a Config.
type holder struct {
	kind           SettingKind
	choices, means []string // KindChoice; means: what each does, nil where they say it themselves

	reset  func()                              // to the default
	set    func(raw any, o Origin) error       // the error completes "KEY: …"
	show   func() (string, Origin)             // empty: not set
	typed  func() string                       // as a person would type it, where show says it otherwise
	byFile func() []tableLine                  // where files add to each other: what each says
	lines  func() []tableLine                  // of a table: what is in it
	entry  func(l *loader, e entry, at Origin) // of a table: takes one entry of a file
}

// scalar holds one value; zero says that a zero is nothing that was set.
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

// number holds a whole number within bounds.
func number(at *Value[int], def, least, most int) holder {
	return scalar(KindNumber, at, def, parseInt(least, most), strconv.Itoa)
}

// limit is a number of which none is configured where it is zero.
func limit(at *Value[int], parse parser[int]) holder {
	return scalar(KindNumber, at, 0, parse, func(n int) string { return strings.TrimPrefix(strconv.Itoa(n), "0") })
}

// words holds a text, of one line or of many by its kind.
func words(kind SettingKind, at *Value[string], def string, parse parser[string]) holder {
	return scalar(kind, at, def, parse, func(s string) string { return s })
}

func line(at *Value[string], parse parser[string]) holder { return words(KindText, at, "", parse) }

// choice holds one of some texts, the first of which is the default.
func choice[T ~string](at *Value[T], choices ...T) holder {
	return choiceOf(at, choices[0], choices...)
}

// choiceOf holds one of some texts.
func choiceOf[T ~string](at *Value[T], def T, choices ...T) holder {
	h := scalar(KindChoice, at, def, parseChoice(choices...), named)
	h.choices = text.Of(choices, named)
	return h
}

// named is the name of a choice.
func named[T ~string](choice T) string { return string(choice) }

// meaning says what each choice does.
func (h holder) meaning(means ...string) holder {
	h.means = means
	return h
}

// secret holds the source of the key, where it is of one kind.
func secret(c *Config, kind keyKind) holder {
	h := holder{
		kind: KindFixed,
		set: func(raw any, o Origin) error {
			k, err := keySources[kind](raw, o)
			if err == nil {
				c.APIKey = k
			}
			return err
		},
		show: func() (string, Origin) {
			if c.APIKey.kind != kind {
				return "", Origin{}
			}
			return c.APIKey.String(), c.APIKey.Origin
		},
	}
	if kind == keyEnv {
		h.kind, h.typed = KindText, func() string { return c.APIKey.Variable() }
	}
	return h
}

// model holds the model's name; one that was chosen for the vault is shown in its place.
func model(c *Config) holder {
	h := line(&c.Model, parseName)
	configured := h.show
	h.show = func() (string, Origin) {
		if c.ChosenCounts() {
			return c.Chosen.V, c.Chosen.Origin
		}
		return configured()
	}
	return h
}

func showAmount(x float64) string {
	if x == 0 {
		return ""
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

// table holds what stands in a table of the file, which has keys of its own.
func table(c *Config, name string, take func(*loader, entry, Origin)) holder {
	return holder{kind: KindFixed, entry: take, lines: func() []tableLine {
		lines := slices.DeleteFunc(slices.Clone(c.tables), func(l tableLine) bool { return !strings.HasPrefix(l.key, name+".") })
		slices.SortStableFunc(lines, func(a, b tableLine) int { return strings.Compare(a.key, b.key) })
		return lines
	}}
}

// shown is an entry of a table without its secrets.
func (e entry) shown(at Origin) tableLine {
	key, value := e.path[len(e.path)-1], fmt.Sprint(e.raw)
	list, isList := e.raw.([]any)
	switch {
	case strings.HasSuffix(key, commandSuffix):
		value = "from a command"
	case key == "api_key", len(e.path) > 3: // the latter: of a variable, or a header
		value = masked
	case key == "api_key_env":
		value = "from the variable " + value
	case e.path[0] == keysTable && value != NoKey:
		if !isList {
			list = []any{value}
		}
		value = fmt.Sprintf("%q", list)
	case isList:
		value = strings.Join(text.Of(list, func(item any) string { return fmt.Sprint(item) }), ", ")
	}
	return tableLine{e.key(), value, at}
}

// tableLine is a line of what a table holds.
type tableLine struct {
	key, value string
	at         Origin
}

// rowOf finds the row of a key; of a table with rows of its own ("smarthole") the first.
func rowOf(rows []row, key string) (row, bool) {
	for _, r := range rows {
		if r.key == key || strings.HasPrefix(r.key, key+".") && key != "" {
			return r, r.key == key
		}
	}
	return row{}, false
}

// forbidden says why a vault's file may not set a key, or a table; empty: it may, or there is none.
func forbidden(rows []row, key string) string {
	r, _ := rowOf(rows, key)
	switch {
	case r.key == "" || r.vault != never:
		return ""
	case r.why == "":
		return "because it concerns more than the vault"
	}
	return "because " + r.why
}

// keyKinds are the three ways to name a key, and keySources what reads them.
var (
	keyKinds   = map[string]keyKind{"api_key": keyLiteral, "api_key_env": keyEnv, "api_key_command": keyCommand}
	keySources = map[keyKind]func(any, Origin) (KeySource, error){keyLiteral: literalSource, keyEnv: envSource, keyCommand: commandSource}
)

// literalSource reads api_key.
func literalSource(raw any, o Origin) (KeySource, error) {
	s, ok := plain(raw).(string)
	if !ok {
		return KeySource{}, fmt.Errorf("must be text in quotes, not %s", typeName(raw))
	}
	key, err := ParseKey(s)
	if err != nil {
		return KeySource{}, err
	}
	return LiteralKey(key, o), nil
}

// parseToken reads smarthole.token. A short one could be guessed from a proof.
func parseToken(raw any) (Secret, error) {
	k, err := literalSource(raw, Origin{})
	if err == nil && len(k.literal.Reveal()) < 16 {
		err = fmt.Errorf("must have at least 16 characters")
	}
	return k.literal, err
}

// envSource reads api_key_env. A value that is no variable's name is not repeated: it
// is likely the key itself.
func envSource(raw any, o Origin) (KeySource, error) {
	s, ok := plain(raw).(string)
	if !ok {
		return KeySource{}, fmt.Errorf("must be the name of an environment variable in quotes, not %s", typeName(raw))
	}
	s = strings.TrimSpace(s)
	for i, r := range s {
		letter := r == '_' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return KeySource{}, fmt.Errorf("must be the name of an environment variable, such as OPENROUTER_API_KEY, not the key itself")
		}
	}
	if s == "" {
		return KeySource{}, fmt.Errorf("is empty; name an environment variable, such as OPENROUTER_API_KEY")
	}
	return EnvKey(s, o), nil
}

// commandSource reads api_key_command.
func commandSource(raw any, o Origin) (KeySource, error) {
	s, ok := plain(raw).(string)
	switch {
	case !ok:
		return KeySource{}, fmt.Errorf("must be a command line in quotes, not %s", typeName(raw))
	case strings.TrimSpace(s) == "":
		return KeySource{}, fmt.Errorf("is empty; give a command that prints the key, such as \"pass show openrouter\"")
	case strings.ContainsRune(s, 0):
		return KeySource{}, fmt.Errorf("must not hold a NUL character")
	}
	return CommandKey(strings.TrimSpace(s), o), nil
}
