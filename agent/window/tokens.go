package window

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"chatvault/agent/llm"
)

// Tokens estimates the number of tokens of a text: one for about four bytes of ASCII, and one for each other character.
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
	if m.Echo != nil && len(m.ToolCalls) > 0 { // reasoning that is returned, duplicates once
		most := 0
		for _, raw := range m.Echo.Fields {
			most = max(most, Tokens(string(raw)))
		}
		n += most
	}
	return n
}

// mediaTokens estimates a shown picture or document, or the text in its place.
func mediaTokens(m llm.Media) int {
	if m.Why != "" {
		return Tokens(m.Unshown())
	}
	return m.Tokens + Tokens(m.Label())
}

// HistoryTokens estimates the tokens of messages.
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

// Shows reports whether messages show media, whose size in tokens varies between providers.
func Shows(messages []llm.Message) bool {
	return slices.ContainsFunc(messages, func(m llm.Message) bool {
		return slices.ContainsFunc(m.Media, func(x llm.Media) bool { return x.Why == "" })
	})
}

// RequestTokens estimates a request.
func RequestTokens(req llm.Request) int { return HistoryTokens(req.Messages) + SpecTokens(req.Tools) }

// Used returns the usage of a model call: as reported by the server, else an estimate.
func Used(req llm.Request, resp llm.Response) llm.Usage {
	u := resp.Usage
	if resp.HasUsage && !u.Estimated {
		return u
	}
	out := Tokens(resp.Text) + Tokens(resp.Reasoning)
	for _, c := range resp.ToolCalls {
		out += Tokens(c.Name) + Tokens(c.Arguments)
	}
	u.PromptTokens, u.CompletionTokens, u.Estimated = cmp.Or(u.PromptTokens, RequestTokens(req)), max(u.CompletionTokens, out), true
	return u
}

// MaxOffered is the most tools that a request offers: OpenAI takes no more.
const MaxOffered = 128

// FitSpecs returns the tools offered to a model if their descriptions may take most tokens. The vault's tools do not
// depend on the servers': all are offered, in full or tersely described. If that is still too much, only the needed ones
// are, regardless of size. If all of the vault's fit, the servers' tools follow while there is room, tersely described
// if they do not all fit in full; left are the names of the others.
func FitSpecs(vault, needed, servers []llm.ToolSpec, most int) (offered []llm.ToolSpec, left []string) {
	offered = vault
	if SpecTokens(offered) > most {
		offered = terse(vault)
	}
	if SpecTokens(offered) > most {
		offered = terse(needed)
	}
	room := 0
	if len(offered) == len(vault) {
		room = most - SpecTokens(offered)
	}
	if SpecTokens(servers) > room {
		servers = terse(servers)
	}
	offered = slices.Clone(offered)
	for _, t := range servers {
		n := SpecTokens([]llm.ToolSpec{t})
		if n > room || len(offered) >= MaxOffered {
			left = append(left, t.Name)
			continue
		}
		room -= n
		offered = append(offered, t)
	}
	return offered, left
}

// terse returns tools described in the fewest words.
func terse(specs []llm.ToolSpec) []llm.ToolSpec {
	out := make([]llm.ToolSpec, len(specs))
	for i, t := range specs {
		out[i] = llm.ToolSpec{Name: t.Name, Description: sentence(t.Description), Parameters: undescribed(t.Parameters)}
	}
	return out
}

// sentence returns the first sentence of a text.
func sentence(text string) string {
	for i, c := range text {
		if c == '.' && strings.HasPrefix(text[i+1:], " ") || strings.HasPrefix(text[i:], ".\n") {
			return text[:i+1]
		}
	}
	return text
}

// undescribed returns a schema without descriptions.
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

// strip removes descriptions from a schema. named is set if v maps property names to schemas.
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
