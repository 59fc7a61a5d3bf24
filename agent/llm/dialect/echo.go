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

// signed are what only the model can read that wrote it; another one at the same endpoint cannot.
var signed = []string{reasoningDetails, extraContent}

// Own is what came with a message that the target's endpoint wrote; nil where another one did.
func Own(to Target, m llm.Message) *llm.Echo {
	e := m.Echo
	if e == nil || e.Endpoint != to.Endpoint || len(e.Calls) != len(m.ToolCalls) {
		return nil
	}
	return e
}

// back are those of some fields that go back.
func (d *Dialect) back(to Target, e *llm.Echo, came map[string]json.RawMessage) fields {
	out := fields{}
	for name, value := range came {
		switch {
		case name == inContent, d.Back != nil && !slices.Contains(d.Back, name):
		case slices.Contains(signed, name) && e.Model != to.Model:
		default:
			out[name] = string(value)
		}
	}
	return out
}

// messageFields are the fields that an assistant message with calls has beside those of the protocol.
func (d *Dialect) messageFields(to Target, m llm.Message, text bool) fields {
	out := fields{}
	maps.Copy(out, d.WithCalls)
	if e := Own(to, m); e != nil && (!text || !d.NotBothThoughtsAndText) {
		maps.Copy(out, d.back(to, e, e.Fields))
	}
	return out
}

// callFields are the fields that a message's ith call has beside those of the protocol. What came beside
// the calls, not with one, is the first one's too: Gemini may send its signature in a piece of its own.
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

// inContent is the place, among the fields of an Echo, of thoughts that the content began with.
const inContent = "content"

// thoughts are those that the content of a message began with, where they go back.
func (d *Dialect) thoughts(to Target, m llm.Message) string {
	e := Own(to, m)
	if e == nil || !d.ThoughtsInContent {
		return ""
	}
	var text string
	if json.Unmarshal(e.Fields[inContent], &text) != nil {
		return ""
	}
	return text
}

// MaxEcho bounds what is kept of an answer to be given back with it, in bytes: what is longer would
// fill the model's window itself, and half of it is worth nothing.
const MaxEcho = 1 << 20

// Kept is a part of an assistant's message as it is kept among the fields of its Echo: words, the place of a call,
// or something else, of which all that came is kept.
type Kept struct {
	Type  string `json:"type"`
	Text  string `json:"text,omitempty"`
	Phase string `json:"phase,omitempty"`
}

// Form is how an API writes the parts of an assistant's message.
type Form[T any] struct {
	Field       string                                   // of an Echo, that keeps them
	Words, Call string                                   // the types of these
	Say         func(words Kept) T                       // writes words
	Back        func(kind string, raw json.RawMessage) T // gives back what came
}

// Parts are those of an assistant's message: where it came from here, in the order they came, thoughts among them.
// calls are its calls.
func (f Form[T]) Parts(to Target, m llm.Message, calls []T) []T {
	raw := kept(to, m, f.Field)
	came, said := make([]Kept, len(raw)), ""
	for i, r := range raw {
		if json.Unmarshal(r, &came[i]) != nil {
			came, said = nil, ""
			break
		}
		said += came[i].Text
	}
	var out, text []T
	if m.Content != "" {
		text = []T{f.Say(Kept{Text: m.Content})}
	}
	for i, p := range came {
		switch {
		case p.Type == f.Call:
			out, text = append(out, text...), nil
			if len(calls) > 0 {
				out, calls = append(out, calls[0]), calls[1:]
			}
		case p.Type == f.Words && said != m.Content: // the words are no longer those that came
			out, text = append(out, text...), nil
		case p.Type == f.Words:
			text = nil
			if strings.TrimSpace(p.Text) != "" {
				out = append(out, f.Say(p))
			}
		default:
			out = append(out, f.Back(p.Type, raw[i]))
		}
	}
	return append(append(out, text...), calls...)
}

// kept are the parts of a message, kept in a field of its Echo, that this model wrote here; none where another did.
func kept(to Target, m llm.Message, field string) (parts []json.RawMessage) {
	if e := Own(to, m); e != nil && e.Model == to.Model {
		_ = json.Unmarshal(e.Fields[field], &parts) // what makes no sense is none
	}
	return parts
}

// IDs are the ids of the calls of a normal history, in order. A call that the target made itself has
// the id it came with. Others get one of nine letters and digits, which every endpoint takes, and
// which is the same in each request: it is made of the call's own id. No id occurs twice.
// form makes another kind of id; it may be nil.
func IDs(to Target, history []llm.Message, form func(name string, nth int) string) []string {
	var out []string
	used := map[string]bool{}
	for _, m := range history {
		for i := range m.ToolCalls {
			id := ""
			if e := Own(to, m); e != nil && !used[e.Calls[i].ID] {
				id = e.Calls[i].ID
				used[id] = true
			}
			out = append(out, id)
		}
	}
	nth := 0
	for _, m := range history {
		for _, c := range m.ToolCalls {
			for try := 0; out[nth] == ""; try++ {
				id := newID(form, c, nth, try)
				if !used[id] {
					out[nth], used[id] = id, true
				}
			}
			nth++
		}
	}
	return out
}

// Addressed is a normal history whose calls, and the answers to them, have the ids of IDs, and whose calls have
// names and arguments as every endpoint takes them.
func Addressed(to Target, history []llm.Message, form func(name string, nth int) string) []llm.Message {
	ids, out := IDs(to, history, form), slices.Clone(history)
	answered := map[string]string{}
	for i := range out {
		out[i].ToolCallID = answered[out[i].ToolCallID]
		out[i].ToolCalls = slices.Clone(out[i].ToolCalls)
		for k, c := range out[i].ToolCalls {
			answered[c.ID], ids = ids[0], ids[1:]
			out[i].ToolCalls[k] = llm.ToolCall{ID: answered[c.ID], Name: Name(c.Name), Arguments: string(llm.Arguments(c.Arguments))}
		}
	}
	return out
}

// newID is an id for the nth call of a history: nine letters and digits, unless it has a form.
func newID(form func(name string, nth int) string, c llm.ToolCall, nth, try int) string {
	if form != nil {
		return form(Name(c.Name), nth+try)
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
