package window

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"chatvault/agent/llm"
)

// Tokens estimates how many tokens a text is: about four bytes of English make one, and a
// character of most other scripts is one.
func Tokens(s string) int {
	other := utf8.RuneCountInString(s)
	ascii := 0
	for i := range len(s) {
		if s[i] < utf8.RuneSelf {
			ascii++
		}
	}
	return (ascii+3)/4 + other - ascii
}

// MessageTokens estimates what a message adds to a request.
func MessageTokens(m llm.Message) int {
	n := Tokens(m.Prompt()) + 4
	for _, x := range m.Media {
		n += mediaTokens(x)
	}
	for _, c := range m.ToolCalls {
		n += Tokens(c.Name) + Tokens(c.Arguments)
	}
	if m.Echo != nil && len(m.ToolCalls) > 0 {
		n += echoTokens(m.Echo)
	}
	return n
}

// mediaTokens estimates what is shown, or the words in its place.
func mediaTokens(m llm.Media) int {
	if m.Why != "" {
		return Tokens(m.Unshown())
	}
	return m.Tokens + Tokens(m.Label())
}

// echoTokens estimates what reasoning that goes back adds: once, under however many names it does.
func echoTokens(e *llm.Echo) int {
	most := 0
	for _, raw := range e.Fields {
		most = max(most, Tokens(string(raw)))
	}
	return most
}

// HistoryTokens estimates what messages come to.
func HistoryTokens(messages []llm.Message) int {
	n := 0
	for _, m := range messages {
		n += MessageTokens(m)
	}
	return n
}

// SpecTokens estimates what the descriptions of tools add to a request.
func SpecTokens(specs []llm.ToolSpec) int {
	n := 0
	for _, t := range specs {
		n += Tokens(t.Description) + Tokens(string(t.Parameters))
	}
	return n
}

// Shows says whether messages show media: how many tokens these are taken for differs much.
func Shows(messages []llm.Message) bool {
	return slices.ContainsFunc(messages, func(m llm.Message) bool {
		return slices.ContainsFunc(m.Media, func(x llm.Media) bool { return x.Why == "" })
	})
}

// RequestTokens estimates a request.
func RequestTokens(req llm.Request) int { return HistoryTokens(req.Messages) + SpecTokens(req.Tools) }

// Estimate counts the tokens of a model call where a server reports none.
func Estimate(req llm.Request, resp llm.Response) llm.Usage {
	out := Tokens(resp.Text) + Tokens(resp.Reasoning)
	for _, c := range resp.ToolCalls {
		out += Tokens(c.Name) + Tokens(c.Arguments)
	}
	return llm.Usage{PromptTokens: RequestTokens(req), CompletionTokens: out, Estimated: true}
}

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
