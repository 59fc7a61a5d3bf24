// Package response puts a streamed response together, and tells how the calls in it grow.
package response

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

// Response puts a streamed response together, in time linear in its length.
type Response struct {
	Text, reasoning strings.Builder
	Calls           []*Call
	IDs             map[string]bool // of the history, and of these calls
	rest            llm.Response    // usage, echo, finish
}

// Call is a tool call as far as it has arrived.
type Call struct {
	ID, Name  string
	Arguments strings.Builder
	Shown     int // bytes of arguments when it was last shown to grow; -1: not yet
	shownAt   time.Time
	Target    string // what it acts on, as soon as the arguments say
}

// New begins a response whose calls get ids that are not among those of the history.
func New(history map[string]bool) *Response {
	r := &Response{IDs: make(map[string]bool, len(history))}
	maps.Copy(r.IDs, history)
	return r
}

// Add takes a chunk. It returns the call the chunk belongs to, if any. A call has the id it
// ends up with from its first piece on, so that every event of it has.
func (r *Response) Add(c llm.Chunk) (*Call, error) {
	r.Text.WriteString(c.Text)
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
	for len(r.Calls) <= d.Index {
		r.Calls = append(r.Calls, &Call{Shown: -1})
	}
	t := r.Calls[d.Index]
	if t.ID == "" {
		t.ID = r.freshID(d.ID)
	}
	if d.Name != "" {
		t.Name = d.Name
	}
	t.Arguments.WriteString(d.Arguments)
	return t, nil
}

// Whole is the response so far.
func (r *Response) Whole() llm.Response {
	out := r.rest
	out.Text, out.Reasoning = r.Text.String(), r.reasoning.String()
	for _, t := range r.Calls {
		if t.ID == "" { // an ordinal that was left out
			t.ID = r.freshID("")
		}
		out.ToolCalls = append(out.ToolCalls, llm.ToolCall{ID: t.ID, Name: t.Name, Arguments: t.Arguments.String()})
	}
	return out
}

func (r *Response) freshID(id string) string { return llm.FreshID(id, r.IDs) }
