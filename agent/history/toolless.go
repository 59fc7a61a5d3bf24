package history

import (
	"slices"
	"strings"

	"chatvault/agent/llm"
)

// withoutText is added to the system prompt of a model without tools.
const withoutText = "You have no tools in this conversation, whatever is said above: you can neither read nor change notes, nor look anything up. Answer from what you are told, and where a request needs a note, say that this model cannot use tools."

// UsesTools reports whether a request offers tools or contains calls.
func UsesTools(req llm.Request) bool {
	return len(req.Tools) > 0 || slices.ContainsFunc(req.Messages, func(m llm.Message) bool { return len(m.ToolCalls) > 0 })
}

// WithoutTools returns a request without tools, with calls and results as text and a remark at the end of the system
// prompt.
func WithoutTools(req llm.Request) llm.Request {
	req = InWords(req)
	for i, m := range req.Messages {
		if m.Role == llm.RoleSystem {
			req.Messages[i].Content = strings.TrimSpace(m.Content + "\n\n" + withoutText)
			return req
		}
	}
	req.Messages = append([]llm.Message{{Role: llm.RoleSystem, Content: withoutText}}, req.Messages...)
	return req
}

// InWords returns a request without tools, with calls and results as text.
func InWords(req llm.Request) llm.Request {
	out := []llm.Message{}
	var results []string
	var media []llm.Media
	flush := func() {
		if len(results) > 0 {
			out = append(out, llm.Message{Role: llm.RoleUser, Program: true, Content: "(Results of earlier tool calls.)", Context: strings.Join(results, "\n\n"), Media: media})
			results, media = nil, nil
		}
	}
	for _, m := range req.Messages {
		if m.Role == llm.RoleTool {
			results, media = append(results, "Result of "+m.ToolName+":\n"+m.Content), append(media, m.Media...)
			continue
		}
		flush()
		if len(m.ToolCalls) > 0 {
			said := []string{m.Content}
			for _, c := range m.ToolCalls {
				said = append(said, "(I called "+c.Name+" with "+c.Arguments+")")
			}
			m.Content, m.ToolCalls, m.Echo = strings.TrimSpace(strings.Join(said, "\n")), nil, nil
		}
		out = append(out, m)
	}
	flush()
	req.Messages, req.Tools, req.NoCalls = out, nil, false
	return req
}
