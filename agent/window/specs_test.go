package window

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"chatvault/agent/llm"
)

// TestFitSpecs: tool descriptions shrink with the window: first optional words are dropped, then tools that others
// can replace. Tools of MCP servers get the remaining space.
func TestFitSpecs(t *testing.T) {
	long := func(name string) llm.ToolSpec {
		return llm.ToolSpec{
			Name: name, Description: "Does " + name + ". " + strings.Repeat("More of it. ", 40),
			Parameters: json.RawMessage(`{"type":"object","properties":{"description":{"type":"string","description":"Of the thing, e.g. small."},"list":{"type":"array","items":{"type":"object","properties":{"a":{"type":"integer","description":"How many."}}}}},"required":["description"]}`),
		}
	}
	all := []llm.ToolSpec{long("one"), long("two"), long("three")}
	needed := []llm.ToolSpec{all[0], all[2]}
	servers := []llm.ToolSpec{long("s1"), {Name: "s2", Description: strings.Repeat("Endless ", 2000)}, long("s3")}
	whole, fewer, most := SpecTokens(all), SpecTokens(terse(all)), SpecTokens(slices.Concat(all, servers))
	each, least := SpecTokens(terse(servers[:1])), SpecTokens(terse(needed))
	for _, c := range []struct {
		most        int
		names, left string
		terse       bool // of the vault's tools
	}{
		{most, "one two three s1 s2 s3", "", false},
		{most - 1, "one two three s1 s2 s3", "", false},
		{whole + 2*each, "one two three s1 s3", "s2", false},
		{whole + 2*each - 1, "one two three s1", "s2 s3", false},
		{whole, "one two three", "s1 s2 s3", false},
		{fewer + each, "one two three s1", "s2 s3", true},
		{fewer, "one two three", "s1 s2 s3", true},
		{fewer - 1, "one three", "s1 s2 s3", true},
		{least, "one three", "s1 s2 s3", true},
		{0, "one three", "s1 s2 s3", true},
	} {
		got, left := FitSpecs(all, needed, servers, c.most)
		var names []string
		for _, s := range got {
			names = append(names, s.Name)
		}
		short := len(got[0].Description) < len(all[0].Description)
		if strings.Join(names, " ") != c.names || strings.Join(left, " ") != c.left || short != c.terse {
			t.Errorf("with %d tokens: %v, left %v, terse %v; want %s, %s, %v", c.most, names, left, short, c.names, c.left, c.terse)
		}
	}
	many := slices.Repeat(servers[:1], 300)
	if got, left := FitSpecs(all, needed, many, 1<<30); len(got) != MaxOffered || len(left) != 303-MaxOffered {
		t.Errorf("with many servers: %d offered, %d left", len(got), len(left))
	}
	offered, _ := FitSpecs(all, needed, nil, 0)
	got := offered[0]
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
