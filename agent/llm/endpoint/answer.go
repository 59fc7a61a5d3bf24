package endpoint

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"chatvault/agent/llm"
	"chatvault/agent/llm/dialect"
)

// Codec is an API whose events name the part of the answer that they belong to.
type Codec struct {
	API   API
	Names dialect.Names
	// Body encodes a request: system text, a history in normal form with portable ids, and the tools. If the model may
	// call none, they are those that the history calls.
	Body func(to dialect.Target, system string, history []llm.Message, req llm.Request) ([]byte, error)
	// Read reads one event, a JSON object. last is true if no event follows.
	Read func(a *Answer, event []byte) (last bool)
	// Back returns a part that is neither text nor a call as the endpoint wants it back, or nil.
	Back func(p *Part) any
}

// EventProvider is an llm.Provider over an API with a Codec. It is safe for concurrent use.
type EventProvider struct {
	*Client
	codec Codec
}

// NewEventProvider returns a provider without sending anything. The error names the invalid option and the remedy.
func NewEventProvider(opts Options, codec Codec) (*EventProvider, error) {
	opts.API = codec.API
	c, err := New(opts)
	if err != nil {
		return nil, err
	}
	return &EventProvider{c, codec}, nil
}

// Stream implements llm.Provider.
func (p *EventProvider) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return p.Client.Stream(ctx, func(c *Call) error {
		a := &Answer{Call: c, parts: map[int]*Part{}}
		to := p.Target(string(p.codec.API))
		system, history := dialect.Turns(req.Messages, false)
		if len(req.Tools) == 0 {
			req.Tools, req.NoCalls = dialect.Called(history), true
		}
		sent, err := p.codec.Body(to, system, dialect.WithPortableIDs(to, history, ""), req)
		if err != nil {
			return err
		}
		if err := c.Post("/"+string(p.codec.API), sent, func(event []byte) bool { return p.codec.Read(a, event) }); err != nil {
			return err
		}
		for _, call := range a.calls {
			a.Complete(call, "{}")
		}
		a.End(len(a.calls), a.echo(to, p.codec))
		return nil
	})
}

// Answer is a partial answer.
type Answer struct {
	*Call
	Thought bool // it has reasoning

	parts map[int]*Part
	calls []*Part // the calls among them, by ordinal
	open  bool    // its text does not end with a line end
}

// Part is a part of an answer, such as text, reasoning or a call.
type Part struct {
	Kind, Phase string
	Text        strings.Builder
	Signature   string
	Raw         json.RawMessage // original data to keep; may be empty

	ordinal int // of a call
	begun   bool
	sentID  string
	size    int // bytes of its arguments
}

// Part returns the part with an index, creating it if necessary.
func (a *Answer) Part(index int, kind string) *Part {
	if a.parts[index] == nil {
		a.parts[index] = &Part{Kind: kind}
	}
	return a.parts[index]
}

// Has returns the part with an index, or nil.
func (a *Answer) Has(index int) *Part { return a.parts[index] }

// Say adds text of the model, with a paragraph break between two parts.
func (a *Answer) Say(p *Part, text string) {
	if text == "" {
		return
	}
	a.Progress()
	if a.open && p.Text.Len() == 0 {
		text = "\n\n" + text
	}
	a.open = !strings.HasSuffix(text, "\n")
	p.Text.WriteString(text)
	a.Buffer("", text)
}

// Think adds reasoning of the model.
func (a *Answer) Think(p *Part, text string) {
	if text == "" {
		return
	}
	a.Progress()
	a.Thought = true
	p.Text.WriteString(text)
	a.Buffer(text, "")
}

// Bounds of the calls of a response.
const (
	mostCalls = 256 // more are an error
	longestID = 256 // bytes
)

// BoundedID returns an original id, or "" if it is too long to keep.
func BoundedID(id string) string {
	if len(id) > longestID {
		return ""
	}
	return id
}

// CheckCallCount returns an error if a response has too many calls.
func CheckCallCount(calls int) error {
	if calls < mostCalls {
		return nil
	}
	return &llm.Error{
		Kind: llm.KindInvalidRequest, Reason: llm.ReasonTooLarge,
		Message: fmt.Sprintf("the response has more than %d tool calls", mostCalls),
	}
}

// Begin begins a call, unless it has begun.
func (a *Answer) Begin(p *Part, id, name string) {
	if p.begun {
		return
	}
	a.Fail(CheckCallCount(len(a.calls)))
	a.Progress()
	p.begun, p.ordinal, p.sentID = true, len(a.calls), BoundedID(id)
	a.calls = append(a.calls, p)
	a.Send(llm.Chunk{ToolCall: &llm.ToolCallDelta{Index: p.ordinal, ID: id, Name: name}})
}

// Add appends to the arguments of a call.
func (a *Answer) Add(p *Part, arguments string) {
	if arguments == "" {
		return
	}
	a.Progress()
	if p.size += len(arguments); p.size > llm.MaxArguments {
		a.Fail(TooLarge("the arguments of a tool call are larger than", llm.MaxArguments))
	}
	a.Send(llm.Chunk{ToolCall: &llm.ToolCallDelta{Index: p.ordinal, Arguments: arguments}})
}

// Complete adds the arguments of a call if none came in pieces.
func (a *Answer) Complete(p *Part, arguments string) {
	if p.size == 0 {
		a.Add(p, arguments)
	}
}

// echo returns the echo of the answer: the original IDs of its calls and, if some part goes back, all parts in order.
func (a *Answer) echo(from dialect.Target, codec Codec) *llm.Echo {
	out := &llm.Echo{Endpoint: from.Endpoint, Model: from.Model, Fields: map[string]json.RawMessage{}}
	for _, c := range a.calls {
		out.Calls = append(out.Calls, llm.EchoedCall{ID: c.sentID})
	}
	var parts []any
	goesBack := false
	for _, index := range slices.Sorted(maps.Keys(a.parts)) {
		p := a.parts[index]
		switch p.Kind {
		case codec.Names.Call:
			parts = append(parts, dialect.Kept{Type: p.Kind})
		case codec.Names.Words:
			parts = append(parts, dialect.Kept{Type: p.Kind, Text: p.Text.String(), Phase: p.Phase})
		default:
			if back := codec.Back(p); back != nil {
				parts, goesBack = append(parts, back), true
			}
		}
	}
	if b, err := json.Marshal(parts); goesBack && err == nil && len(b) <= dialect.MaxEcho {
		out.Fields[codec.Names.Field] = b
	}
	return out
}
