package endpoint

import (
	"crypto/rand"
	"fmt"

	"chatvault/agent/llm"
)

// Calls are the tool calls of a response, for APIs that say which call each piece belongs to.
type Calls struct {
	call  *Call
	used  map[string]bool // ids of the history and of this response
	calls []*openCall
}

type openCall struct {
	sentID string
	size   int
}

// NewCalls makes none yet.
func NewCalls(c *Call, req llm.Request) Calls { return Calls{call: c, used: UsedIDs(req)} }

// UsedIDs are the ids of the calls in a request.
func UsedIDs(req llm.Request) map[string]bool {
	used := map[string]bool{}
	for _, m := range req.Messages {
		for _, c := range m.ToolCalls {
			used[c.ID] = true
		}
	}
	return used
}

// Bounds of the calls of a response.
const (
	mostCalls = 256 // beyond it is no answer any more
	longestID = 256 // bytes
)

// FreshID is the id of a call, or another where there is none, or one that is used; it is marked used.
func FreshID(id string, used map[string]bool) string {
	if id == "" || len(id) > longestID || used[id] {
		id = "call_" + rand.Text()
	}
	used[id] = true
	return id
}

// KeptID is what is kept of an id as it came.
func KeptID(id string) string {
	if len(id) > longestID {
		return ""
	}
	return id
}

// TooMany is the failure of a response with calls without end; nil: it has not so many.
func TooMany(calls int) error {
	if calls < mostCalls {
		return nil
	}
	return &llm.Error{
		Kind: llm.KindInvalidRequest, Reason: llm.ReasonTooLarge,
		Message: fmt.Sprintf("the response has more than %d tool calls", mostCalls),
	}
}

// Begin begins a call and returns its ordinal.
func (c *Calls) Begin(id, name string) (int, error) {
	if err := TooMany(len(c.calls)); err != nil {
		return 0, err
	}
	c.call.Progress()
	n := len(c.calls)
	c.calls = append(c.calls, &openCall{sentID: KeptID(id)})
	return n, c.call.Send(llm.Chunk{ToolCall: &llm.ToolCallDelta{Index: n, ID: FreshID(id, c.used), Name: name}})
}

// Add adds to the arguments of a call.
func (c *Calls) Add(n int, arguments string) error {
	if arguments == "" {
		return nil
	}
	b := c.calls[n]
	if b.size += len(arguments); b.size > llm.MaxArguments {
		return TooLarge("the arguments of a tool call are larger than", llm.MaxArguments)
	}
	return c.call.Send(llm.Chunk{ToolCall: &llm.ToolCallDelta{Index: n, Arguments: arguments}})
}

// Empty says that a call has no arguments yet.
func (c *Calls) Empty(n int) bool { return c.calls[n].size == 0 }

// Len is how many there are.
func (c *Calls) Len() int { return len(c.calls) }

// End gives the calls that came without arguments an empty object.
func (c *Calls) End() error {
	for n := range c.calls {
		if c.Empty(n) {
			if err := c.Add(n, "{}"); err != nil {
				return err
			}
		}
	}
	return nil
}

// Echoed is what came with them.
func (c *Calls) Echoed() []llm.EchoedCall {
	out := make([]llm.EchoedCall, len(c.calls))
	for i, b := range c.calls {
		out[i].ID = b.sentID
	}
	return out
}
