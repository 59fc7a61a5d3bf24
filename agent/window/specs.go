package window

import (
	"encoding/json"
	"strings"

	"chatvault/agent/llm"
)

// FitSpecs are the tools that a model is told of where their descriptions may take most tokens: all of
// them; where they take more, those that no others can stand in for; and where these take more, too,
// they in the fewest words, however many tokens that takes.
func FitSpecs(all, needed []llm.ToolSpec, most int) []llm.ToolSpec {
	for _, specs := range [][]llm.ToolSpec{all, needed} {
		if SpecTokens(specs) <= most {
			return specs
		}
	}
	terse := make([]llm.ToolSpec, len(needed))
	for i, t := range needed {
		terse[i] = llm.ToolSpec{Name: t.Name, Description: sentence(t.Description), Parameters: undescribed(t.Parameters)}
	}
	return terse
}

// sentence is the first sentence of a text.
func sentence(text string) string {
	first, _, cut := strings.Cut(text, ". ")
	if cut {
		first += "."
	}
	return first
}

// undescribed is a schema without the descriptions of what it describes by name and type.
func undescribed(schema json.RawMessage) json.RawMessage {
	var doc any
	if json.Unmarshal(schema, &doc) != nil {
		return schema
	}
	strip(doc, false)
	b, err := json.Marshal(doc)
	if err != nil || len(b) > len(schema) {
		return schema
	}
	return b
}

// strip takes the descriptions out of a schema; named says that v holds schemas by the names of
// properties, of which one may be called so.
func strip(v any, named bool) {
	switch v := v.(type) {
	case map[string]any:
		if !named {
			delete(v, "description")
		}
		for key, inner := range v {
			strip(inner, !named && key == "properties")
		}
	case []any:
		for _, inner := range v {
			strip(inner, false)
		}
	}
}
