package agent

import (
	"fmt"
	"maps"
	"strings"
	"time"

	"chatvault/agent/llm"
)

// maxIndex bounds the ordinals of a response's tool calls: what is beyond it is no list of calls but a
// broken stream.
const maxIndex = 1024

// response puts a streamed response together, in time linear in its length.
type response struct {
	text, reasoning strings.Builder
	calls           []*callText
	ids             map[string]bool // of the history, and of these calls
	rest            llm.Response    // usage, echo, finish
}

type callText struct {
	id, name  string
	arguments strings.Builder
	shown     int // bytes of arguments when it was last shown to grow; -1: not yet
	shownAt   time.Time
	target    string // what it acts on, as soon as the arguments say
}

// newResponse begins a response whose calls get ids that are not among those of the history.
func newResponse(history map[string]bool) *response {
	r := &response{ids: make(map[string]bool, len(history))}
	maps.Copy(r.ids, history)
	return r
}

// add takes a chunk. It returns the call the chunk belongs to, if any. A call has the id it
// ends up with from its first piece on, so that every event of it has.
func (r *response) add(c llm.Chunk) (*callText, error) {
	r.text.WriteString(c.Text)
	r.reasoning.WriteString(c.Reasoning)
	if c.Usage != nil {
		r.rest.Usage, r.rest.HasUsage = *c.Usage, true
	}
	if c.Echo != nil {
		r.rest.Echo = c.Echo
	}
	if c.Finish != "" {
		r.rest.Finish = c.Finish
	}
	d := c.ToolCall
	if d == nil {
		return nil, nil
	}
	if d.Index < 0 || d.Index >= maxIndex {
		return nil, &llm.Error{Kind: llm.KindNetwork, Reason: llm.ReasonBroken, Final: true, Message: fmt.Sprintf("the response numbers a tool call %d", d.Index)}
	}
	for len(r.calls) <= d.Index {
		r.calls = append(r.calls, &callText{shown: -1})
	}
	t := r.calls[d.Index]
	if t.id == "" {
		t.id = r.freshID(d.ID)
	}
	if d.Name != "" {
		t.name = d.Name
	}
	t.arguments.WriteString(d.Arguments)
	return t, nil
}

// whole is the response so far.
func (r *response) whole() llm.Response {
	out := r.rest
	out.Text, out.Reasoning = r.text.String(), r.reasoning.String()
	for _, t := range r.calls {
		if t.id == "" { // an ordinal that was left out
			t.id = r.freshID("")
		}
		out.ToolCalls = append(out.ToolCalls, llm.ToolCall{ID: t.id, Name: t.name, Arguments: t.arguments.String()})
	}
	return out
}

func (r *response) freshID(id string) string { return llm.FreshID(id, r.ids) }
