// Package response assembles a streamed response and finds what its tool calls act on while they grow.
package response

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"chatvault/agent/llm"
	"chatvault/tools"
)

// maxIndex bounds the ordinals of a response's tool calls; a stream with higher ones is broken.
const maxIndex = 1024

// Response assembles a streamed response, in time linear in its length.
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
	Target    string // what it acts on, as soon as the arguments say
}

// New returns an empty response. Its calls get IDs that the history does not have.
func New(history map[string]bool) *Response {
	r := &Response{IDs: make(map[string]bool, len(history))}
	maps.Copy(r.IDs, history)
	return r
}

// Add adds a chunk and returns the call that it belongs to, if any. A call has its final ID from its first piece on, so
// that all its events do.
func (r *Response) Add(c llm.Chunk) (*Call, error) {
	if c.Thought {
		r.reasoning.WriteString(r.Text.String())
		r.Text.Reset()
	}
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
		r.Calls = append(r.Calls, &Call{})
	}
	t := r.Calls[d.Index]
	if t.ID == "" {
		t.ID = llm.FreshID(d.ID, r.IDs)
	}
	if d.Name != "" {
		t.Name = d.Name
	}
	t.Arguments.WriteString(d.Arguments)
	if t.Target == "" {
		t.findTarget()
	}
	return t, nil
}

// Whole returns the response so far.
func (r *Response) Whole() llm.Response {
	out := r.rest
	out.Text, out.Reasoning = r.Text.String(), r.reasoning.String()
	for _, t := range r.Calls {
		if t.ID == "" { // an ordinal that was left out
			t.ID = llm.FreshID("", r.IDs)
		}
		out.ToolCalls = append(out.ToolCalls, llm.ToolCall{ID: t.ID, Name: t.Name, Arguments: t.Arguments.String()})
	}
	return out
}

// targetWithin is how much of the arguments is searched for a call's target, in bytes: most calls name it first.
const targetWithin = 4 << 10

// findTarget looks for the target in the members of the arguments that are complete.
func (t *Call) findTarget() {
	if args := t.Arguments.String(); t.Name != "" && len(args) <= targetWithin {
		t.Target = tools.Target(t.Name, wholeMembers(args))
	}
}

// wholeMembers returns an object with the members of a truncated JSON object that another one or its end follows; nil if
// there are none, or the truncated one has a comma.
func wholeMembers(beginning string) json.RawMessage {
	if end := strings.LastIndexAny(beginning, ",}"); end > 0 && json.Valid([]byte(beginning[:end]+"}")) {
		return json.RawMessage(beginning[:end] + "}")
	}
	return nil
}
