package config

import (
	"fmt"
	"strings"
)

// Line is a setting as `config show` prints it: on one line, secrets hidden.
type Line struct {
	Key    string `json:"key"`
	Value  string `json:"value"` // empty: not set
	Origin string `json:"origin"`
}

// Describe lists every key with its value and where that came from, in the order of
// the documentation, the tables after it.
func (c *Config) Describe() []Line {
	var lines []Line
	add := func(key, value string, o Origin) {
		lines = append(lines, Line{key, oneLine(value), o.String()})
	}
	for _, f := range fields {
		if f.key == privateKey && len(c.Private) > 0 {
			lines = append(lines, c.describePrivate()...)
			continue
		}
		value, o := f.show(c)
		if f.key == "model" && c.ChosenCounts() {
			value, o = c.Chosen.V, c.Chosen.Origin
		}
		add(f.key, value, o)
	}
	for _, name := range sortedKeys(c.Providers) {
		p := c.Providers[name]
		prefix := "providers." + name + "."
		if p.BaseURL != "" {
			add(prefix+"base_url", p.BaseURL, p.baseURLOrigin)
		}
		switch p.Key.kind {
		case keyLiteral:
			add(prefix+"api_key", p.Key.String(), p.Key.Origin)
		case keyEnv:
			add(prefix+"api_key_env", p.Key.String(), p.Key.Origin)
		case keyCommand:
			add(prefix+"api_key_command", p.Key.String(), p.Key.Origin)
		}
		if p.Model != "" {
			add(prefix+"model", p.Model, p.Origin)
		}
		if p.AllowInsecure {
			add(prefix+"allow_insecure", "true", p.Origin)
		}
	}
	for _, model := range sortedKeys(c.Prices) {
		p := c.Prices[model]
		add("prices."+model, fmt.Sprintf("input %g, cached input %g, output %g dollars per million tokens", p.Input, p.CachedInput, p.Output), p.Origin)
	}
	for _, dir := range sortedKeys(c.Vaults) {
		where := "user"
		if c.Vaults[dir].V {
			where = "vault"
		}
		add("vaults."+dir+".state", where, c.Vaults[dir].Origin)
	}
	return append(lines, c.describeBindings()...)
}

// oneLine shortens a text of many lines to the beginning of its first.
func oneLine(text string) string {
	const longest = 72
	first, rest, many := strings.Cut(strings.TrimSpace(text), "\n")
	runes := []rune(first)
	cut := len(runes) > longest
	if cut {
		first = strings.TrimSpace(string(runes[:longest])) + "…"
	}
	if many {
		return fmt.Sprintf("%s (%d lines)", first, 2+strings.Count(rest, "\n"))
	}
	return first
}
