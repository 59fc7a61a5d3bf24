package endpoint

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"

	"chatvault/agent/llm"
	"chatvault/agent/llm/dialect"
)

// EventProvider is an llm.Provider over an API whose events name the tool call they belong to. It is safe for concurrent use.
type EventProvider struct {
	*Client
	body   Body
	names  dialect.Names
	reader func(*Answer) Reader
}

// Body encodes a request: system text, a history in normal form with portable ids, and the tools. If the model may call
// none, they are those that the history calls.
type Body func(to dialect.Target, system string, history []llm.Message, req llm.Request) ([]byte, error)

// Reader reads one answer.
type Reader interface {
	// Event reads one event, a JSON object. last is true if no event follows.
	Event(raw []byte) (last bool, err error)
	// Usage returns the usage so far, or nil.
	Usage() *llm.Usage
	// Back returns a part that is neither text nor a call as the endpoint wants it back, or nil.
	Back(p *Part) any
}

// NewEventProvider returns a provider for an API, given the encoder of requests and the reader of answers. It sends nothing. The
// error names the invalid option and the remedy.
func NewEventProvider(opts Options, api API, body Body, names dialect.Names, reader func(*Answer) Reader) (*EventProvider, error) {
	opts.API = api
	c, err := New(opts)
	if err != nil {
		return nil, err
	}
	return &EventProvider{c, body, names, reader}, nil
}

// Stream implements llm.Provider.
func (p *EventProvider) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return p.Client.Stream(ctx, func(c *Call) error {
		a := &Answer{Call: c, parts: map[int]*Part{}, from: p.Target(string(p.opts.API))}
		system, history := dialect.Turns(req.Messages, false)
		if len(req.Tools) == 0 {
			req.Tools, req.NoCalls = dialect.Called(history), true
		}
		sent, err := p.body(a.from, system, dialect.WithPortableIDs(a.from, history, nil), req)
		if err != nil {
			return err
		}
		r := p.reader(a)
		c.OnUsage(r.Usage)
		if err := c.Post("/"+string(p.opts.API), sent, r.Event); err != nil {
			return err
		}
		return a.end(r, p.names)
	})
}

// Answer is a partial answer.
type Answer struct {
	*Call
	Finish llm.FinishReason // empty until it came
	Parts  []*Part          // in order

	from  dialect.Target
	calls []*openCall
	said  strings.Builder
	parts map[int]*Part
}

// Part is a part of an answer, such as text, thoughts or a call.
type Part struct {
	Kind, Phase     string
	Text, Signature strings.Builder
	Call            int             // its ordinal, if Begun
	Begun           bool            // the call has begun
	Raw             json.RawMessage // original data to keep; may be empty
}

// Part returns the part with an index, creating it if necessary.
func (a *Answer) Part(index int, kind string) *Part {
	p := a.parts[index]
	if p == nil {
		p = &Part{Kind: kind}
		a.parts[index] = p
		a.Parts = append(a.Parts, p)
	}
	return p
}

// Has returns the part with an index, or nil.
func (a *Answer) Has(index int) *Part { return a.parts[index] }

type openCall struct {
	sentID string
	size   int
}

// Paragraph returns text with a paragraph break before it, if other text precedes it.
func (a *Answer) Paragraph(text string) string {
	if s := a.said.String(); s != "" && !strings.HasSuffix(s, "\n") {
		return "\n\n" + text
	}
	return text
}

// Say adds text of the model.
func (a *Answer) Say(text string) error {
	a.said.WriteString(text)
	return a.Buffer("", text)
}

// Bounds of the calls of a response.
const (
	mostCalls = 256 // more are an error
	longestID = 256 // bytes
)

// BoundedID returns an original id as it is kept, or "" if it is too long.
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

// Begin begins a call and returns its ordinal.
func (a *Answer) Begin(id, name string) (int, error) {
	if err := CheckCallCount(len(a.calls)); err != nil {
		return 0, err
	}
	a.Progress()
	n := len(a.calls)
	a.calls = append(a.calls, &openCall{sentID: BoundedID(id)})
	return n, a.Send(llm.Chunk{ToolCall: &llm.ToolCallDelta{Index: n, ID: id, Name: name}})
}

// Add appends to the arguments of a call.
func (a *Answer) Add(n int, arguments string) error {
	if arguments == "" {
		return nil
	}
	c := a.calls[n]
	if c.size += len(arguments); c.size > llm.MaxArguments {
		return TooLarge("the arguments of a tool call are larger than", llm.MaxArguments)
	}
	return a.Send(llm.Chunk{ToolCall: &llm.ToolCallDelta{Index: n, Arguments: arguments}})
}

// Empty reports whether a call has no arguments yet.
func (a *Answer) Empty(n int) bool { return a.calls[n].size == 0 }

// end completes an answer after its last event. Calls without arguments get an empty object.
func (a *Answer) end(r Reader, names dialect.Names) error {
	if a.Finish == "" {
		return CutOff()
	}
	for n := range a.calls {
		if a.Empty(n) {
			if err := a.Add(n, "{}"); err != nil {
				return err
			}
		}
	}
	return a.End(a.Finish, len(a.calls) > 0, r.Usage(), a.echo(r, names))
}

// echo returns the echo of the answer: the original IDs of its calls and, if some part goes back, all parts in order.
func (a *Answer) echo(r Reader, names dialect.Names) *llm.Echo {
	out := &llm.Echo{Endpoint: a.from.Endpoint, Model: a.from.Model, Fields: map[string]json.RawMessage{}}
	for _, c := range a.calls {
		out.Calls = append(out.Calls, llm.EchoedCall{ID: c.sentID})
	}
	var parts []any
	goesBack := false
	for _, p := range a.Parts {
		switch p.Kind {
		case names.Call:
			parts = append(parts, dialect.Kept{Type: p.Kind})
		case names.Words:
			parts = append(parts, dialect.Kept{Type: p.Kind, Text: p.Text.String(), Phase: p.Phase})
		default:
			if back := r.Back(p); back != nil {
				parts, goesBack = append(parts, back), true
			}
		}
	}
	if b, err := json.Marshal(parts); goesBack && err == nil && len(b) <= dialect.MaxEcho {
		out.Fields[names.Field] = b
	}
	return out
}
