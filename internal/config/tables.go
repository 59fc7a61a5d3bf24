package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"chatvault/internal/text"
)

// providerKeys are the keys of a [providers.NAME] table.
var providerKeys = []string{"base_url", "api_key", "api_key_env", "api_key_command", "model", "api", "allow_insecure"}

// priceKeys are the keys of a [prices."MODEL"] table.
var priceKeys = []string{"input", "cached_input", "cache_write", "output"}

// provider takes one entry of `providers`.
func (l *loader) provider(e entry, o Origin) {
	if len(e.path) == 1 {
		l.wantTable(e, o)
		return
	}
	name := strings.ToLower(e.path[1])
	if !validProvider(name) {
		if len(e.path) == 2 {
			l.errs.add(o, e.key(), "a provider's name is made of letters, digits, '.', '_' and '-'")
		}
		return
	}
	p := l.cfg.Providers[name]
	p.Name = name
	if p.Origin.Kind == Default {
		p.Origin = o
	}
	if len(e.path) == 2 {
		if _, ok := e.raw.(map[string]any); !ok {
			l.errs.add(o, e.key(), "must be a table, like [providers.%s] with base_url = \"…\", not %s", name, typeName(e.raw))
			return
		}
		l.cfg.Providers[name] = p
		return
	}
	if len(e.path) > 3 {
		return // the entry above it was refused
	}
	var err error
	switch key := e.path[2]; key {
	case "base_url":
		p.BaseURL, err = parseURL(e.raw)
		p.baseURLOrigin = o
	case "model":
		p.Model, err = parseName(e.raw)
	case "api":
		p.API, err = parseAPI(e.raw)
	case "allow_insecure":
		p.AllowInsecure, err = parseBool(e.raw)
	case "api_key", "api_key_env", "api_key_command":
		if p.Key.Configured() {
			l.errs.add(o, e.key(), "set only one of api_key, api_key_env and api_key_command; another stands in line %d", p.Key.Origin.Line)
			return
		}
		p.Key, err = keySources[keyKinds[key]](e.raw, o)
	default:
		hint := ""
		if _, table := e.raw.(map[string]any); table {
			hint = fmt.Sprintf("; a name with a dot needs quotes: [providers.%q]", name+"."+key)
		}
		l.errs.add(o, e.key(), "unknown key%s%s", near(key, providerKeys), hint)
		return
	}
	if err != nil {
		l.errs.add(o, e.key(), "%s", err)
		return
	}
	l.cfg.Providers[name] = p
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

// price takes one entry of `prices`.
func (l *loader) price(e entry, o Origin) {
	if len(e.path) == 1 {
		l.wantTable(e, o)
		return
	}
	model := e.path[1]
	if len(e.path) == 2 {
		table, ok := e.raw.(map[string]any)
		if !ok {
			l.errs.add(o, e.key(), "must be a table, like [prices.%q] with input = 1.25 and output = 10, not %s", model, typeName(e.raw))
			return
		}
		for _, need := range []string{"input", "output"} {
			if _, ok := table[need]; !ok {
				l.errs.add(o, e.key(), "lacks %s, in dollars per million tokens", need)
			}
		}
		price := Price{Origin: o}
		// A model whose cached input has no price of its own pays the full one.
		if _, ok := table["cached_input"]; !ok {
			price.CachedInput, _ = parseAmount(table["input"])
		}
		if _, ok := table["cache_write"]; !ok {
			price.CacheWrite, _ = parseAmount(table["input"])
		}
		l.cfg.Prices[model] = price
		return
	}
	price, ok := l.cfg.Prices[model]
	if !ok || len(e.path) > 3 {
		return // the entry above it was refused
	}
	if !slices.Contains(priceKeys, e.path[2]) {
		hint := ""
		if _, table := e.raw.(map[string]any); table {
			hint = fmt.Sprintf("; a name with a dot needs quotes: [prices.%q]", model+"."+e.path[2])
		}
		l.errs.add(o, e.key(), "unknown key%s%s", near(e.path[2], priceKeys), hint)
		return
	}
	amount, err := parseAmount(e.raw)
	if err != nil {
		l.errs.add(o, e.key(), "%s", err)
		return
	}
	switch e.path[2] {
	case "input":
		price.Input = amount
	case "cached_input":
		price.CachedInput = amount
	case "cache_write":
		price.CacheWrite = amount
	case "output":
		price.Output = amount
	}
	l.cfg.Prices[model] = price
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

// describeProviders has a line for each key of each endpoint.
func (m *Models) describeProviders() []tableLine {
	var lines []tableLine
	for _, name := range sortedKeys(m.Providers) {
		p := m.Providers[name]
		add := func(key, value string, at Origin) {
			if value != "" {
				lines = append(lines, tableLine{"providers." + name + "." + key, value, at})
			}
		}
		add("base_url", p.BaseURL, p.baseURLOrigin)
		for _, key := range sortedKeys(keyKinds) {
			if keyKinds[key] == p.Key.kind {
				add(key, p.Key.String(), p.Key.Origin)
			}
		}
		add("model", p.Model, p.Origin)
		add("api", p.API, p.Origin)
		if p.AllowInsecure {
			add("allow_insecure", "true", p.Origin)
		}
	}
	return lines
}

// describePrices has a line for each model.
func (s *Spending) describePrices() []tableLine {
	var lines []tableLine
	for _, model := range sortedKeys(s.Prices) {
		p := s.Prices[model]
		said := fmt.Sprintf("input %g, cached input %g, cache write %g, output %g dollars per million tokens", p.Input, p.CachedInput, p.CacheWrite, p.Output)
		lines = append(lines, tableLine{"prices." + model, said, p.Origin})
	}
	return lines
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
		dir = expandHome(e.path[1], l.in.Home)
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
		l.cfg.Vaults[realDir(dir)] = Value[bool]{where == "vault", at}
	}
}

// KeepsHistory says whether the history of the vault in dir (conversations, and what can be taken
// back) is kept in the vault itself.
func (s *Storage) KeepsHistory(dir string) bool { return s.Vaults[realDir(dir)].V }

// describeVaults has a line for each vault.
func (s *Storage) describeVaults() []tableLine {
	var lines []tableLine
	for _, dir := range sortedKeys(s.Vaults) {
		where := "user"
		if s.Vaults[dir].V {
			where = "vault"
		}
		lines = append(lines, tableLine{"vaults." + dir + ".state", where, s.Vaults[dir].Origin})
	}
	return lines
}
