package config

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"chatvault/internal/base/lazyregexp"
	"chatvault/internal/base/text"
)

// setter reads one key of a table.
type setter func(n node) error

// into reads a key into a field.
func into[F any](at *F, parse parser[F]) setter {
	return func(n node) error {
		v, err := parse(n.raw)
		if err == nil {
			*at = v
		}
		return err
	}
}

// keyInto reads the source of a key into a field.
func keyInto(at *KeySource, kind keyKind) setter {
	return func(n node) (err error) {
		*at, err = kind.parse(n.raw, n.at)
		return err
	}
}

// Texts are texts by name. NAME_env and NAME_command are where NAME's value comes from: a variable of the environment, or a
// command line that prints it.
type Texts map[string]string

// read reads a table of texts.
func (t Texts) read(n node) error {
	if !n.isTable() {
		return errors.New("must be a table")
	}
	for _, entry := range n.below {
		v, err := parseText(entry.raw)
		if err != nil {
			return fmt.Errorf("%s %w", entry.name(), err)
		}
		t[entry.name()] = v
	}
	return nil
}

// Resolve returns the values by name.
func (t Texts) Resolve(ctx context.Context, lookupEnv func(string) (string, bool)) (map[string]string, error) {
	out := map[string]string{}
	for entry, v := range t {
		o := Origin{Kind: UserFile, Name: entry}
		name, source := entry, LiteralKey(NewSecret(v), o)
		if bare, ok := strings.CutSuffix(entry, "_env"); ok {
			name, source = bare, EnvKey(v, o)
		} else if bare, ok := strings.CutSuffix(entry, commandSuffix); ok {
			name, source = bare, CommandKey(v, o)
		}
		secret, err := source.Resolve(ctx, lookupEnv)
		if err != nil {
			return nil, err
		}
		out[name] = secret.Reveal()
	}
	return out, nil
}

// tables reads a table of tables, such as [providers.NAME]; like is an example of one. open returns the keys of one and
// a function that stores it when they are read.
func (l *loader) tables(n node, like string, open func(node) (keys map[string]setter, store func(), err error)) {
	if !l.wantTable(n, "") {
		return
	}
	for _, table := range n.below {
		if !l.wantTable(table, ", like "+like) {
			continue
		}
		keys, store, err := open(table)
		if err != nil {
			l.wrong(table, err)
			continue
		}
		for _, entry := range table.below {
			set, known := keys[entry.name()]
			hint := ""
			if entry.isTable() {
				hint = fmt.Sprintf("; a name with a dot needs quotes: [%s.%q]", n.name(), table.name()+"."+entry.name())
			}
			if known {
				l.wrong(entry, set(entry))
			} else {
				l.fault(entry.at, entry.key(), "unknown key%s%s", near(entry.name(), sortedKeys(keys)), hint)
			}
		}
		store()
	}
}

// wrong reports err about n. A nil err is ignored.
func (l *loader) wrong(n node, err error) {
	if err != nil {
		l.fault(n.at, n.key(), "%s", err)
	}
}

// wantTable reports whether n is a table, and reports a fault otherwise. like is an example.
func (l *loader) wantTable(n node, like string) bool {
	if !n.isTable() {
		l.fault(n.at, n.key(), "must be a table%s", like)
	}
	return n.isTable()
}

// near completes "unknown key" with the key that was probably meant.
func near(key string, known []string) string {
	if best := text.Near(key, known); best != "" {
		return fmt.Sprintf("; did you mean %s?", best)
	}
	return "; `chatvault config init` lists them all"
}

// providers reads [providers].
func (l *loader) providers(n node) {
	open := func(n node) (map[string]setter, func(), error) {
		name := strings.ToLower(n.name())
		if !providerName().MatchString(name) {
			return nil, nil, errors.New("a provider's name is made of letters, digits, '.', '_' and '-'")
		}
		p := Provider{Name: name, Origin: n.at, Headers: Texts{}}
		return map[string]setter{
			"base_url":        into(&p.BaseURL, parseURL),
			"api_key":         keyInto(&p.Key, keyLiteral),
			"api_key_env":     keyInto(&p.Key, keyEnv),
			"api_key_command": keyInto(&p.Key, keyCommand),
			"model":           into(&p.Model, parseName),
			"api":             into(&p.API, parseChoice(APIs...)),
			"allow_insecure":  into(&p.AllowInsecure, parseBool),
			"headers":         p.Headers.read,
		}, func() { l.cfg.Providers[name] = p }, nil
	}
	l.tables(n, `[providers.NAME] with base_url = "…"`, open)
}

var providerName = lazyregexp.New(`^[a-z0-9._-]{1,64}$`)

// prices reads [prices].
func (l *loader) prices(n node) {
	open := func(n node) (map[string]setter, func(), error) {
		table, _ := n.raw.(map[string]any)
		for _, need := range []string{"input", "output"} {
			if table[need] == nil {
				return nil, nil, fmt.Errorf("lacks %s, in dollars per million tokens", need)
			}
		}
		full, _ := parseAmount(table["input"]) // default price of cached input
		p := Price{CachedInput: full, CacheWrite: full}
		return map[string]setter{
			"input": into(&p.Input, parseAmount), "cached_input": into(&p.CachedInput, parseAmount),
			"cache_write": into(&p.CacheWrite, parseAmount), "output": into(&p.Output, parseAmount),
		}, func() { l.cfg.Prices[n.name()] = p }, nil
	}
	l.tables(n, `[prices."MODEL"] with input = 1.25 and output = 10`, open)
}

// keysTable holds rebound keys of the chat: an action's name with a key, a list of keys, or "none".
const keysTable = "keys"

// NoKey leaves an action without a key.
const NoKey = "none"

// BindingFault is a fault of a binding. Text completes the sentence "keys.ACTION: …".
type BindingFault struct{ Action, Text string }

// bindings reads [keys].
func (l *loader) bindings(n node) {
	if !l.wantTable(n, ", like [keys] with details = \"ctrl+x\" below it") {
		return
	}
	for _, entry := range n.below {
		if entry.name() == "style" { // TOML does not allow keys = "vi" beside [keys]
			r, _ := rowOf(l.rows, keysTable)
			l.wrong(entry, r.holds.set(entry.raw, entry.at))
			continue
		}
		if l.ignored(entry) {
			continue
		}
		bound, err := parseBinding(entry.raw)
		if err != nil {
			l.wrong(entry, err)
			continue
		}
		l.cfg.Keys[entry.name()] = Value[[]string]{bound, entry.at}
	}
}

// parseBinding parses a key, a list of keys, or "none", which is an empty list.
func parseBinding(raw any) ([]string, error) {
	if raw == any(NoKey) {
		return []string{}, nil
	}
	if _, isList := raw.([]any); !isList {
		raw = []any{raw}
	}
	return parseList("", parseText)(raw)
}

// checkBindings validates the actions and keys of [keys].
func (l *loader) checkBindings() {
	if l.in.CheckKeys == nil || len(l.cfg.Keys) == 0 {
		return
	}
	for _, f := range l.in.CheckKeys(l.cfg.Bindings()) {
		l.errs.add(l.cfg.Keys[f.Action].Origin, keysTable+"."+f.Action, "%s", f.Text)
	}
}

// Bindings returns the rebound keys by action, as written. An empty list means "none".
func (c *Screen) Bindings() map[string][]string {
	out := make(map[string][]string, len(c.Keys))
	for action, v := range c.Keys {
		out[action] = v.V
	}
	return out
}
