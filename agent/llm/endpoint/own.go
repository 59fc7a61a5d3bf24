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

// Own is an llm.Provider over an API that says which tool call each piece of an answer belongs to. It is
// safe for concurrent use.
type Own struct {
	*Client
	body   Body
	reader func(*Answer) Reader
}

// Body is a request as it is sent: what the system says, a history in its normal form, addressed, and the tools
// that the model may call, or that the history called where it may call none.
type Body func(to dialect.Target, system string, history []llm.Message, req llm.Request) ([]byte, error)

// Reader reads one answer.
type Reader interface {
	// Event takes one event of it, a JSON object; last: nothing follows it.
	Event(raw []byte) (last bool, err error)
	// Whole is, of an answer that ended, what it used and what the endpoint wants back with it.
	Whole() (*llm.Usage, *llm.Echo)
}

// NewOwn checks the options and makes a provider of what a request is and what reads an answer to it.
// Nothing is sent yet. An error says which option is wrong and what to do.
func NewOwn(opts Options, api API, body Body, reader func(*Answer) Reader) (*Own, error) {
	opts.API = api
	c, err := New(opts)
	if err != nil {
		return nil, err
	}
	return &Own{c, body, reader}, nil
}

// Stream calls the model once (llm.Provider).
func (p *Own) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return p.Client.Stream(ctx, func(c *Call) error {
		a := &Answer{Call: c, parts: map[int]*Part{}, from: p.Target(string(p.opts.API)), used: UsedIDs(req)}
		system, history := dialect.Turns(req.Messages, false)
		if len(req.Tools) == 0 {
			req.Tools, req.NoCalls = dialect.Called(history), true
		}
		sent, err := p.body(a.from, system, dialect.Addressed(a.from, history, nil), req)
		if err != nil {
			return err
		}
		r := p.reader(a)
		c.Uses(func() *llm.Usage {
			u, _ := r.Whole()
			return u
		})
		if err := c.Post("/"+string(p.opts.API), sent, r.Event); err != nil {
			return err
		}
		return a.end(r)
	})
}

// Answer is an answer as far as it came.
type Answer struct {
	*Call
	Finish llm.FinishReason // why it ended; empty: it did not say
	Parts  []*Part          // in the order in which they came

	from  dialect.Target
	used  map[string]bool // ids of the history and of this response
	calls []*openCall
	said  strings.Builder
	parts map[int]*Part
}

// Part is a part of an answer, as far as it came: words, thoughts, a call, or something else.
type Part struct {
	Kind, Phase     string
	Text, Signature strings.Builder
	Call            int             // ordinal, once it is begun
	Begun           bool            // a call
	Raw             json.RawMessage // what of it stays as it came; may be empty
}

// Part is the part of an index, which is begun where there is none.
func (a *Answer) Part(index int, kind string) *Part {
	p := a.parts[index]
	if p == nil {
		p = &Part{Kind: kind}
		a.parts[index] = p
		a.Parts = append(a.Parts, p)
	}
	return p
}

// Has is the part of an index; nil: there is none.
func (a *Answer) Has(index int) *Part { return a.parts[index] }

type openCall struct {
	sentID string
	size   int
}

// Paragraph is the beginning of a text that stands by itself: what was said before ends a paragraph.
func (a *Answer) Paragraph(text string) string {
	if s := a.said.String(); s != "" && !strings.HasSuffix(s, "\n") {
		return "\n\n" + text
	}
	return text
}

// Say takes what the model says next.
func (a *Answer) Say(text string) error {
	a.said.WriteString(text)
	return a.Hold("", text)
}

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
func (a *Answer) Begin(id, name string) (int, error) {
	if err := TooMany(len(a.calls)); err != nil {
		return 0, err
	}
	a.Progress()
	n := len(a.calls)
	a.calls = append(a.calls, &openCall{sentID: KeptID(id)})
	return n, a.Send(llm.Chunk{ToolCall: &llm.ToolCallDelta{Index: n, ID: llm.FreshID(id, a.used), Name: name}})
}

// Add adds to the arguments of a call.
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

// Empty says that a call has no arguments yet.
func (a *Answer) Empty(n int) bool { return a.calls[n].size == 0 }

// end completes an answer whose events have ended. Calls that came without arguments get an empty object.
func (a *Answer) end(r Reader) error {
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
	usage, echo := r.Whole()
	return a.End(a.Finish, len(a.calls) > 0, usage, echo)
}

// Echo is what came with the answer: its calls, and, where something goes back, its parts, under a name.
func (a *Answer) Echo(name string, parts []any, goesBack bool) *llm.Echo {
	out := &llm.Echo{Endpoint: a.from.Endpoint, Model: a.from.Model, Calls: make([]llm.EchoedCall, len(a.calls)), Fields: map[string]json.RawMessage{}}
	for i, c := range a.calls {
		out.Calls[i].ID = c.sentID
	}
	if b, err := json.Marshal(parts); goesBack && err == nil && len(b) <= dialect.MaxEcho {
		out.Fields[name] = b
	}
	return out
}
