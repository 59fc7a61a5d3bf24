package config

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"chatvault/internal/text"
)

// tableKey gives one key of a table its value.
type tableKey[T any] func(t *T, raw any, o Origin) error

// into is a key whose value is kept in a field.
func into[T, F any](field func(*T) *F, parse parser[F]) tableKey[T] {
	return func(t *T, raw any, _ Origin) error {
		v, err := parse(raw)
		if err == nil {
			*field(t) = v
		}
		return err
	}
}

// below takes one entry of a table of tables, such as [providers.NAME], into all. begin is what the table of
// a name begins as, false: it was refused. dotted is what a table in it, which there is none of, may be about.
func below[T any](l *loader, e entry, o Origin, all map[string]T, name string, begin func() (T, bool), keys map[string]tableKey[T], dotted func() string) {
	switch len(e.path) {
	case 1:
		l.wantTable(e, o)
		return
	case 2:
		if t, ok := begin(); ok {
			all[name] = t
		}
		return
	}
	t, ok := all[name]
	if !ok || len(e.path) > 3 {
		return // the entry above it was refused
	}
	set, known := keys[e.path[2]]
	if !known {
		hint := ""
		if _, table := e.raw.(map[string]any); table {
			hint = dotted()
		}
		l.errs.add(o, e.key(), "unknown key%s%s", near(e.path[2], sortedKeys(keys)), hint)
		return
	}
	if err := set(&t, e.raw, o); err != nil {
		l.errs.add(o, e.key(), "%s", err)
		return
	}
	all[name] = t
}

// providerKeys are the keys of a [providers.NAME] table.
var providerKeys = map[string]tableKey[Provider]{
	"base_url": func(p *Provider, raw any, o Origin) (err error) {
		p.BaseURL, err = parseURL(raw)
		p.baseURLOrigin = o
		return err
	},
	"api_key":         providerKey(keyLiteral),
	"api_key_env":     providerKey(keyEnv),
	"api_key_command": providerKey(keyCommand),
	"model":           into(func(p *Provider) *string { return &p.Model }, parseName),
	"api":             into(func(p *Provider) *string { return &p.API }, parseAPI),
	"allow_insecure":  into(func(p *Provider) *bool { return &p.AllowInsecure }, parseBool),
	"headers":         wantTexts[Provider],
}

// headerSuffixes mark headers whose value stands elsewhere, as that of a key does.
var headerSuffixes = map[string]keyKind{"_env": keyEnv, commandSuffix: keyCommand, "": keyLiteral}

// headerSource returns the name of a header and where its value comes from.
func headerSource(entry string, raw any, o Origin) (name string, source KeySource, err error) {
	name, suffix := entry, ""
	for s := range headerSuffixes {
		if bare, ok := strings.CutSuffix(entry, s); ok && s != "" {
			name, suffix = bare, s
		}
	}
	if !httpguts.ValidHeaderFieldName(name) {
		return "", KeySource{}, fmt.Errorf("%q is not the name of a header", name)
	}
	source, err = keySources[headerSuffixes[suffix]](raw, o)
	return name, source, err
}

// ResolvedHeaders are the provider's headers by their names, with the values of where they stand.
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

func providerKey(kind keyKind) tableKey[Provider] {
	return func(p *Provider, raw any, o Origin) (err error) {
		if p.Key.Configured() {
			return fmt.Errorf("set only one of api_key, api_key_env and api_key_command; another stands in line %d", p.Key.Origin.Line)
		}
		p.Key, err = keySources[kind](raw, o)
		return err
	}
}

// provider takes one entry of `providers`.
func (l *loader) provider(e entry, o Origin) {
	name := strings.ToLower(e.name())
	if p, ok := l.cfg.Providers[name]; ok && len(e.path) == 4 && e.path[2] == "headers" {
		text, err := parseText(e.raw)
		if err == nil {
			_, _, err = headerSource(e.path[3], e.raw, o)
		}
		if err != nil {
			l.errs.add(o, e.key(), "%s", err)
			return
		}
		p.Headers[e.path[3]] = Value[string]{text, o}
		return
	}
	below(l, e, o, l.cfg.Providers, name, func() (Provider, bool) {
		_, table := e.raw.(map[string]any)
		switch {
		case !validProvider(name):
			l.errs.add(o, e.key(), "a provider's name is made of letters, digits, '.', '_' and '-'")
		case !table:
			l.errs.add(o, e.key(), "must be a table, like [providers.%s] with base_url = \"…\", not %s", name, typeName(e.raw))
		}
		p, again := l.cfg.Providers[name] // in other letters
		if !again {
			p = Provider{Name: name, Origin: o, Headers: map[string]Value[string]{}}
		}
		return p, table && validProvider(name)
	}, providerKeys, func() string {
		return fmt.Sprintf("; a name with a dot needs quotes: [providers.%q]", name+"."+e.path[2])
	})
}

// wantTable refuses what is no table where one must be.
func (l *loader) wantTable(e entry, o Origin) {
	if _, ok := e.raw.(map[string]any); !ok {
		l.errs.add(o, e.key(), "must be a table, not %s", typeName(e.raw))
	}
}

// validProvider says whether a name can stand before the slash of "provider/model".
func validProvider(name string) bool {
	return name != "" && len(name) <= 64 && !strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && !strings.ContainsRune("._-", r)
	})
}

// priceKeys are the keys of a [prices."MODEL"] table.
var priceKeys = map[string]tableKey[Price]{
	"input":        into(func(p *Price) *float64 { return &p.Input }, parseAmount),
	"cached_input": into(func(p *Price) *float64 { return &p.CachedInput }, parseAmount),
	"cache_write":  into(func(p *Price) *float64 { return &p.CacheWrite }, parseAmount),
	"output":       into(func(p *Price) *float64 { return &p.Output }, parseAmount),
}

// price takes one entry of `prices`.
func (l *loader) price(e entry, o Origin) {
	model := e.name()
	below(l, e, o, l.cfg.Prices, model, func() (Price, bool) {
		table, ok := e.raw.(map[string]any)
		if !ok {
			l.errs.add(o, e.key(), "must be a table, like [prices.%q] with input = 1.25 and output = 10, not %s", model, typeName(e.raw))
			return Price{}, false
		}
		for _, need := range []string{"input", "output"} {
			if _, ok := table[need]; !ok {
				l.errs.add(o, e.key(), "lacks %s, in dollars per million tokens", need)
			}
		}
		// A model whose cached input has no price of its own pays the full one.
		full, _ := parseAmount(table["input"])
		return Price{CachedInput: full, CacheWrite: full, Origin: o}, true
	}, priceKeys, func() string {
		return fmt.Sprintf("; a name with a dot needs quotes: [prices.%q]", model+"."+e.path[2])
	})
}

// near completes "unknown key" with the known key that was likely meant.
func near(key string, known []string) string {
	if best := text.Near(key, known); best != "" {
		return fmt.Sprintf("; did you mean %s?", best)
	}
	return "; `chatvault config init` lists them all"
}

// APIs are what [providers.NAME] api may be.
var APIs = []string{"chat", "messages", "responses"}

func parseAPI(raw any) (string, error) {
	api, err := parseName(raw)
	if err == nil && !slices.Contains(APIs, api) {
		err = fmt.Errorf("must be chat (OpenAI's chat completions, which nearly every endpoint has), messages (Anthropic's) or responses (OpenAI's newer one), not %q", api)
	}
	return api, err
}

// section takes one entry of a table whose keys are rows ("smarthole.url").
func (l *loader) section(e entry, at Origin) {
	table := e.path[0]
	switch len(e.path) {
	case 1:
		l.wantTable(e, at)
		return
	case 2:
	default:
		return // below a key that was refused as a whole
	}
	if r, ok := rowOf(l.rows, table+"."+e.path[1]); ok {
		l.set(r, e.raw, at)
		return
	}
	var keys []string
	for _, r := range l.rows {
		if key, ok := strings.CutPrefix(r.key, table+"."); ok {
			keys = append(keys, key)
		}
	}
	l.errs.add(at, e.key(), "unknown key%s", near(e.path[1], keys))
}

// vaultsTable is the table of what the user's own file says of single vaults, by their folders.
const vaultsTable = "vaults"

// vaultEntry takes one entry below `vaults`: [vaults."~/Notes"] with state = "vault".
func (l *loader) vaultEntry(e entry, at Origin) {
	dir := ""
	if len(e.path) > 1 {
		dir = ExpandHome(e.path[1], l.in.Home)
	}
	_, table := e.raw.(map[string]any)
	switch {
	case len(e.path) < 3 && !table:
		l.errs.add(at, e.key(), "must be a table, like [vaults.\"~/Notes\"] with state = \"vault\", not %s", typeName(e.raw))
	case len(e.path) == 2 && !filepath.IsAbs(dir):
		l.errs.add(at, e.key(), "must name a vault by its whole path, such as [vaults.\"~/Notes\"], not %q", e.path[1])
	case len(e.path) != 3 || !filepath.IsAbs(dir):
		// A table itself, or what is below a key that was refused.
	case e.path[2] != "state":
		l.errs.add(at, e.key(), "unknown key%s", near(e.path[2], []string{"state"}))
	default:
		where, err := parseChoice("user", "vault")(e.raw)
		if err != nil {
			l.errs.add(at, e.key(), "%s", err)
			return
		}
		l.cfg.Vaults[RealDir(dir)] = Value[bool]{where == "vault", at}
	}
}

// KeepsHistory says whether the history of the vault in dir (conversations, and what can be taken
// back) is kept in the vault itself.
func (s *Storage) KeepsHistory(dir string) bool { return s.Vaults[RealDir(dir)].V }

// keysTable is the table of the keys that are bound otherwise: [keys], with an action's name and
// the key, or a list of keys, or "none".
const keysTable = "keys"

// NoKey is what leaves an action without a key.
const NoKey = "none"

// maxBound bounds the keys of one action.
const maxBound = 8

// BindingFault is what is wrong with a binding: Text completes the sentence "keys.ACTION: …".
type BindingFault struct{ Action, Text string }

// binding takes one entry of [keys].
func (l *loader) binding(e entry, at Origin) {
	switch len(e.path) {
	case 1:
		if _, ok := e.raw.(map[string]any); !ok {
			l.errs.add(at, keysTable, "must be a table, like [keys] with details = \"ctrl+x\" below it, not %s", typeName(e.raw))
		}
		return
	case 2:
	default:
		return // below an entry that was refused as a whole
	}
	bound, err := parseBinding(e.raw)
	if err != nil {
		l.errs.add(at, e.key(), "%s", err)
		return
	}
	l.cfg.Keys[e.path[1]] = Value[[]string]{bound, at}
}

// parseBinding takes a key, a list of them, or "none", which is an empty list.
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
			return nil, fmt.Errorf(`must be a key in quotes such as "ctrl+x", a list of them, or "none", not %s`, typeName(item))
		case s == NoKey && len(list) > 1:
			return nil, fmt.Errorf(`must be keys or "none", not both`)
		case s == NoKey:
			return bound, nil
		}
		bound = append(bound, s)
	}
	if len(bound) > maxBound {
		return nil, fmt.Errorf("must be at most %d keys, not %d", maxBound, len(bound))
	}
	return bound, nil
}

// checkBindings has those who know the actions look at the bindings, the first line first.
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

// Bindings are the keys that are bound otherwise, by action, as they were written; an empty list
// is "none".
func (c *Screen) Bindings() map[string][]string {
	out := make(map[string][]string, len(c.Keys))
	for action, v := range c.Keys {
		out[action] = v.V
	}
	return out
}
