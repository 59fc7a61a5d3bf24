package config

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

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

// texts reads a table of texts. check validates each.
func texts(at map[string]Value[string], check func(name string, raw any, o Origin) error) setter {
	return func(n node) error {
		if !n.isTable() {
			return fmt.Errorf("must be a table, %s", not(n.raw))
		}
		for _, entry := range n.below {
			v, err := parseText(entry.raw)
			if err == nil {
				err = check(entry.name(), entry.raw, entry.at)
			}
			if err != nil {
				return &Error{entry.at, entry.key(), err.Error()}
			}
			at[entry.name()] = Value[string]{v, entry.at}
		}
		return nil
	}
}

// tables reads a table of tables, such as [providers.NAME]; like is an example of one. open returns the keys of one and
// a function that stores it when they are read. dotted explains a nested table, which is an error.
func (l *loader) tables(n node, like string, open func(node) (keys map[string]setter, store func(), err error), dotted func(node) string) {
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
				hint = dotted(entry)
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

// wrong reports err about n, or about the inner node that it names. A nil err is ignored.
func (l *loader) wrong(n node, err error) {
	if inner, ok := errors.AsType[*Error](err); ok {
		l.errs = append(l.errs, inner)
	} else if err != nil {
		l.fault(n.at, n.key(), "%s", err)
	}
}

// wantTable reports whether n is a table, and reports a fault otherwise. like is an example.
func (l *loader) wantTable(n node, like string) bool {
	if !n.isTable() {
		l.fault(n.at, n.key(), "must be a table%s, %s", like, not(n.raw))
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
		valid := name != "" && len(name) <= 64 && !strings.ContainsFunc(name, func(r rune) bool {
			return (r < 'a' || r > 'z') && (r < '0' || r > '9') && !strings.ContainsRune("._-", r)
		})
		if !valid {
			return nil, nil, errors.New("a provider's name is made of letters, digits, '.', '_' and '-'")
		}
		p, again := l.cfg.Providers[name] // in other case
		if !again {
			p = Provider{Name: name, Origin: n.at, Headers: map[string]Value[string]{}}
		}
		key := func(kind keyKind) setter {
			return func(n node) error { return setKey(&p.Key, kind, n.raw, n.at) }
		}
		return map[string]setter{
			"base_url": func(n node) error {
				p.baseURLOrigin = n.at
				return into(&p.BaseURL, parseURL)(n)
			},
			"api_key": key(keyLiteral), "api_key_env": key(keyEnv), "api_key_command": key(keyCommand),
			"model":          into(&p.Model, parseName),
			"api":            into(&p.API, parseAPI),
			"allow_insecure": into(&p.AllowInsecure, parseBool),
			"headers": texts(p.Headers, func(name string, raw any, o Origin) error {
				_, _, err := headerSource(name, raw, o)
				return err
			}),
		}, func() { l.cfg.Providers[name] = p }, nil
	}
	l.tables(n, `[providers.NAME] with base_url = "…"`, open, func(n node) string {
		return fmt.Sprintf("; a name with a dot needs quotes: [providers.%q]", strings.ToLower(n.path[1])+"."+n.path[2])
	})
}

// headerSource returns the name of a header and the source of its value: NAME_env and NAME_command give the source of
// NAME's value.
func headerSource(entry string, raw any, o Origin) (name string, source KeySource, err error) {
	name, kind := entry, keyLiteral
	if bare, ok := strings.CutSuffix(entry, "_env"); ok {
		name, kind = bare, keyEnv
	} else if bare, ok := strings.CutSuffix(entry, commandSuffix); ok {
		name, kind = bare, keyCommand
	}
	if !httpguts.ValidHeaderFieldName(name) {
		return "", KeySource{}, fmt.Errorf("%q is not the name of a header", name)
	}
	source, err = kind.parse(raw, o)
	return name, source, err
}

// ResolvedHeaders returns the provider's headers with their values.
func (p Provider) ResolvedHeaders(ctx context.Context, lookupEnv func(string) (string, bool)) (map[string]string, error) {
	out := map[string]string{}
	for entry, v := range p.Headers {
		name, source, err := headerSource(entry, v.V, v.Origin)
		if err == nil {
			var secret Secret
			secret, err = source.Resolve(ctx, lookupEnv)
			out[name] = secret.Reveal()
		}
		if err == nil && !httpguts.ValidHeaderFieldValue(out[name]) {
			err = errors.New("the value has characters that a header cannot have")
		}
		if err != nil {
			return nil, fmt.Errorf("providers.%s.headers.%s: %w", p.Name, entry, err)
		}
	}
	return out, nil
}

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
	l.tables(n, `[prices."MODEL"] with input = 1.25 and output = 10`, open, func(n node) string {
		return fmt.Sprintf("; a name with a dot needs quotes: [prices.%q]", n.path[1]+"."+n.path[2])
	})
}

// vaultsTable holds the user's settings for single vaults, by folder.
const vaultsTable = "vaults"

// vaults reads [vaults]: [vaults."~/Notes"] with state = "vault".
func (l *loader) vaults(n node) {
	open := func(n node) (map[string]setter, func(), error) {
		dir := ExpandHome(n.name(), l.in.Home)
		if !filepath.IsAbs(dir) {
			return nil, nil, fmt.Errorf("must name a vault by its whole path, such as [vaults.\"~/Notes\"], not %q", n.name())
		}
		var where string
		return map[string]setter{"state": into(&where, parseChoice("user", "vault"))}, func() {
			l.cfg.Vaults[RealDir(dir)] = Value[bool]{where == "vault", n.at}
		}, nil
	}
	l.tables(n, `[vaults."~/Notes"] with state = "vault"`, open, func(node) string { return "" })
}

// KeepsHistory reports whether the history of the vault in dir (conversations and undo) is kept in the vault.
func (s *Storage) KeepsHistory(dir string) bool { return s.Vaults[RealDir(dir)].V }

// keysTable holds rebound keys of the chat: an action's name with a key, a list of keys, or "none".
const keysTable = "keys"

// NoKey leaves an action without a key.
const NoKey = "none"

// maxBound is the maximum number of keys of an action.
const maxBound = 8

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
	list, isList := raw.([]any)
	if !isList {
		list = []any{raw}
	}
	bound := []string{}
	for _, item := range list {
		s, ok := item.(string)
		switch {
		case !ok:
			return nil, fmt.Errorf(`must be a key in quotes such as "ctrl+x", a list of them, or "none", %s`, not(item))
		case s == NoKey && len(list) > 1:
			return nil, errors.New(`must be keys or "none", not both`)
		case s != NoKey:
			bound = append(bound, s)
		}
	}
	if len(bound) > maxBound {
		return nil, fmt.Errorf("must be at most %d keys, not %d", maxBound, len(bound))
	}
	return bound, nil
}

// checkBindings validates the actions and keys of [keys], in the order of the lines.
func (l *loader) checkBindings() {
	if l.in.CheckKeys == nil || len(l.cfg.Keys) == 0 {
		return
	}
	faults := l.in.CheckKeys(l.cfg.Bindings())
	slices.SortStableFunc(faults, func(a, b BindingFault) int {
		return l.cfg.Keys[a.Action].Origin.Line - l.cfg.Keys[b.Action].Origin.Line
	})
	for _, f := range faults {
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
