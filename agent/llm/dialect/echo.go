package dialect

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"chatvault/agent/llm"
)

// signed are the fields that only the model that wrote them can read.
var signed = []string{reasoningDetails, extraContent}

// Own returns the echo of a message if the target's endpoint wrote it, or nil.
func Own(to Target, m llm.Message) *llm.Echo {
	e := m.Echo
	if e == nil || e.Endpoint != to.Endpoint || len(e.Calls) != len(m.ToolCalls) {
		return nil
	}
	return e
}

// back returns the received fields that go back.
func (d *Dialect) back(to Target, e *llm.Echo, came map[string]json.RawMessage) fields {
	out := fields{}
	for name, value := range came {
		switch {
		case name == InContent, d.Back != nil && !slices.Contains(d.Back, name):
		case slices.Contains(signed, name) && e.Model != to.Model:
		default:
			out[name] = string(value)
		}
	}
	return out
}

// messageFields returns the extra fields of an assistant message with calls.
func (d *Dialect) messageFields(to Target, m llm.Message, text bool) fields {
	out := fields{}
	maps.Copy(out, d.WithCalls)
	if e := Own(to, m); e != nil && (!text || !d.NotBothThoughtsAndText) {
		maps.Copy(out, d.back(to, e, e.Fields))
	}
	return out
}

// callFields returns the extra fields of the message's ith call. An extra_content of the message belongs to the first
// call: Gemini may send its signature in a separate chunk.
func (d *Dialect) callFields(to Target, m llm.Message, i int) fields {
	e := Own(to, m)
	if e == nil || e.Model != to.Model {
		return d.WithCall
	}
	came := e.Calls[i].Fields
	if beside := e.Fields[extraContent]; i == 0 && came[extraContent] == nil && beside != nil && d.WithCall != nil {
		came = map[string]json.RawMessage{extraContent: beside}
	}
	return d.back(to, e, came)
}

// InContent is the Echo field for the thoughts at the start of the content.
const InContent = "content"

// thoughts returns the thoughts at the start of a message's content, if they go back.
func (d *Dialect) thoughts(to Target, m llm.Message) (text string) {
	if e := Own(to, m); e != nil && d.ThoughtsInContent && json.Unmarshal(e.Fields[InContent], &text) == nil {
		return "<think>" + text + "</think>\n\n"
	}
	return ""
}

// MaxEcho bounds an echo in bytes. A longer one would fill the model's window, and half of one is useless.
const MaxEcho = 1 << 20

// Kept is a part of an assistant message as its Echo keeps it: text, the place of a call, or any other part with all
// its data.
type Kept struct {
	Type  string `json:"type"`
	Text  string `json:"text,omitempty"`
	Phase string `json:"phase,omitempty"`
}

// Form describes how an API writes the parts of an assistant message.
type Form struct {
	Names
	Say  func(words Kept) any          // returns a text
	Back func(raw json.RawMessage) any // returns a received part unchanged
}

// Names are an API's names for the Echo's field of parts, and the types of text and of calls in it.
type Names struct{ Field, Words, Call string }

// Parts returns the parts of an assistant message, with its calls. If it came from the target, they include thoughts
// and keep their order.
func (f Form) Parts(to Target, m llm.Message, calls []any) []any {
	var raw []json.RawMessage
	if e := Own(to, m); e != nil && e.Model == to.Model {
		_ = json.Unmarshal(e.Fields[f.Field], &raw) // invalid data counts as none
	}
	came, said := make([]Kept, len(raw)), ""
	for i, r := range raw {
		if json.Unmarshal(r, &came[i]) != nil {
			came, said = nil, ""
			break
		}
		said += came[i].Text
	}
	var out, text []any
	if m.Content != "" {
		text = []any{f.Say(Kept{Text: m.Content})}
	}
	for i, p := range came {
		switch {
		case p.Type == f.Call:
			out, text = append(out, text...), nil
			if len(calls) > 0 {
				out, calls = append(out, calls[0]), calls[1:]
			}
		case p.Type == f.Words && said != m.Content: // the text has changed since
			out, text = append(out, text...), nil
		case p.Type == f.Words:
			text = nil
			if strings.TrimSpace(p.Text) != "" {
				out = append(out, f.Say(p))
			}
		default:
			out = append(out, f.Back(raw[i]))
		}
	}
	return append(append(out, text...), calls...)
}

// WithPortableIDs returns a normal history with unique ids, portable names and arguments of its calls. A call made by the
// target keeps its original id. Others get an id that every endpoint accepts, nine letters and digits derived from the
// call's own id, so that it is stable across requests; format is Dialect.ID.
func WithPortableIDs(to Target, history []llm.Message, format string) []llm.Message {
	original := map[string]bool{}
	for _, m := range history {
		if e := Own(to, m); e != nil {
			for _, c := range e.Calls {
				original[c.ID] = true
			}
		}
	}
	out, used, nth := slices.Clone(history), map[string]bool{}, 0
	var open []string // IDs of the calls that are answered next, in order
	for i := range out {
		if out[i].Role == llm.RoleTool {
			out[i].ToolCallID, open = open[0], open[1:]
		}
		own := Own(to, out[i])
		out[i].ToolCalls = slices.Clone(out[i].ToolCalls)
		for k, c := range out[i].ToolCalls {
			id := ""
			if own != nil && !used[own.Calls[k].ID] {
				id = own.Calls[k].ID
			}
			for try := 0; id == ""; try++ {
				if made := newID(format, c, nth, try); !used[made] && !original[made] {
					id = made
				}
			}
			out[i].ToolCalls[k] = llm.ToolCall{ID: id, Name: llm.PortableName(c.Name), Arguments: string(llm.Arguments(c.Arguments))}
			open, used[id], nth = append(open, id), true, nth+1
		}
	}
	return out
}

// newID returns an id for the nth call of a history.
func newID(format string, c llm.ToolCall, nth, try int) string {
	if format != "" {
		return fmt.Sprintf(format, llm.PortableName(c.Name), nth+try)
	}
	text := c.ID
	if try > 0 {
		text = fmt.Sprintf("%s %d", c.ID, try)
	}
	const length, base = 9, 62
	sum := sha256.Sum256([]byte(text))
	s := new(big.Int).SetBytes(sum[:]).Text(base)
	return s[len(s)-length:]
}
