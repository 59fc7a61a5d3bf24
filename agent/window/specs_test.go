package window

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"chatvault/agent/llm"
)

// Descriptions of tools shrink with the window: first the tools go that others can stand in for, then
// the words that those left can be called without.
func TestFitSpecs(t *testing.T) {
	long := func(name string) llm.ToolSpec {
		return llm.ToolSpec{
			Name: name, Description: "Does " + name + ". " + strings.Repeat("More of it. ", 40),
			Parameters: json.RawMessage(`{"type":"object","properties":{"description":{"type":"string","description":"Of the thing, e.g. small."},"list":{"type":"array","items":{"type":"object","properties":{"a":{"type":"integer","description":"How many."}}}}},"required":["description"]}`),
		}
	}
	all := []llm.ToolSpec{long("one"), long("two"), long("three")}
	needed := []llm.ToolSpec{all[0], all[2]}
	whole, fewer := SpecTokens(all), SpecTokens(needed)
	for _, c := range []struct {
		most  int
		names string
		terse bool
	}{
		{whole, "one two three", false},
		{whole - 1, "one three", false},
		{fewer, "one three", false},
		{fewer - 1, "one three", true},
		{0, "one three", true},
	} {
		got := FitSpecs(all, needed, c.most)
		var names []string
		for _, s := range got {
			names = append(names, s.Name)
		}
		if terse := SpecTokens(got)*2 < fewer; strings.Join(names, " ") != c.names || terse != c.terse {
			t.Errorf("of %d tokens: %v, terse %v; want %s, %v", c.most, names, terse, c.names, c.terse)
		}
	}
	got := FitSpecs(all, needed, 0)[0]
	const schema = `{"properties":{"description":{"type":"string"},"list":{"items":{"properties":{"a":{"type":"integer"}},"type":"object"},"type":"array"}},"required":["description"],"type":"object"}`
	if got.Description != "Does one." || string(got.Parameters) != schema {
		t.Errorf("%q, %s", got.Description, got.Parameters)
	}
	if !slices.EqualFunc(all, []llm.ToolSpec{long("one"), long("two"), long("three")}, func(a, b llm.ToolSpec) bool {
		return a.Description == b.Description && string(a.Parameters) == string(b.Parameters)
	}) {
		t.Error("the tools themselves were changed")
	}
}
