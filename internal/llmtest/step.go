package llmtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Step answers one model call, or Times of them. Its zero value is an empty answer that
// ends with finish reason "stop".
type Step struct {
	Line     int // line of the script it begins at; 0 where it came from Go
	When     []Condition
	Expect   []Condition
	Times    int // calls it answers: 0 means one, below 0 all that come
	Status   int // HTTP status; 0 means 200
	Header   http.Header
	Body     string        // sent as it is where Status is an error or Raw is set
	Raw      bool          // Body is the whole answer
	Parts    []Part        // streamed, in order
	Split    int           // runes in a piece; 0: words, and 12 for arguments
	Pace     time.Duration // pause between pieces
	Plain    bool          // one JSON document, though a stream was asked for
	Unframed bool          // no chunked encoding: the body ends with the connection
	Forget   bool          // the server can no longer read the reasoning that it sealed before this step
	problems []error
}

// Part is a piece of a streamed answer.
type Part struct {
	kind partKind
	text string // text, reasoning, arguments, wire bytes, comment, finish reason, error JSON
	name string // of the tool
	id   string // of the call; empty lets the server make one
	wait time.Duration
	used Tokens // usage

	repeat int // of wire bytes: sent so often; 0 means once
	gate   <-chan struct{}
}

type partKind int

const (
	partText partKind = iota
	partReasoning
	partTool
	partDelay
	partHang
	partCut
	partReset
	partFlush
	partComment
	partWire
	partError
	partFinish
	partUsage
	partGate
	partProgress
)

// Option adds to a Step; those that stream something keep their order.
type Option func(*Step)

func add(p Part) Option { return func(s *Step) { s.Parts = append(s.Parts, p) } }

// Say is the general step: the answer its options make.
func Say(opts ...Option) Step {
	var s Step
	for _, o := range opts {
		o(&s)
	}
	return s
}

// Reply answers with text.
func Reply(text string, opts ...Option) Step {
	return Say(append([]Option{Text(text)}, opts...)...)
}

// ToolCall answers with one tool call. args is marshalled to JSON; a string is taken as the
// JSON text itself, valid or not.
func ToolCall(name string, args any, opts ...Option) Step {
	return Say(append([]Option{Call(name, args)}, opts...)...)
}

// Fail answers with an HTTP error. headers are names and values in turn.
func Fail(status int, body string, headers ...string) Step {
	s := Step{Status: status, Body: body, Raw: true}
	for i := 0; i+1 < len(headers); i += 2 {
		WithHeader(headers[i], headers[i+1])(&s)
	}
	return s
}

// Wire answers 200 with exactly these bytes as text/event-stream, ended by the connection.
func Wire(bytes string, opts ...Option) Step {
	return Say(append([]Option{Bytes(bytes), func(s *Step) { s.Unframed = true }}, opts...)...)
}

// Progress reports, where the call asks for it, how many tokens of its prompt are read, as llama.cpp does.
func Progress(read, total int) Option {
	return add(Part{kind: partProgress, used: Tokens{Prompt: total, Completion: read}})
}

// Text streams a part of the answer.
func Text(text string) Option { return add(Part{kind: partText, text: text}) }

// Reasoning streams a part of the model's reasoning.
func Reasoning(text string) Option { return add(Part{kind: partReasoning, text: text}) }

// Call streams a tool call under an id of the server's making.
func Call(name string, args any) Option { return CallID("", name, args) }

// CallID streams a tool call under the given id.
func CallID(id, name string, args any) Option {
	return func(s *Step) {
		text, ok := args.(string)
		if !ok {
			b, err := json.Marshal(args)
			if err != nil {
				s.problems = append(s.problems, fmt.Errorf("llmtest: arguments of %s: %w", name, err))
			}
			text = string(b)
		}
		add(Part{kind: partTool, id: id, name: name, text: text})(s)
	}
}

// Delay pauses at this place of the answer.
func Delay(d time.Duration) Option { return add(Part{kind: partDelay, wait: d}) }

// Gate waits at this place of the answer until the channel is closed.
func Gate(open <-chan struct{}) Option { return add(Part{kind: partGate, gate: open}) }

// Hang sends nothing more until the client leaves or the server closes.
func Hang() Option { return add(Part{kind: partHang}) }

// Cut closes the connection in the middle of the body.
func Cut() Option { return add(Part{kind: partCut}) }

// Reset resets the connection (RST).
func Reset() Option { return add(Part{kind: partReset}) }

// Flush sends what was said so far, or the response headers alone.
func Flush() Option { return add(Part{kind: partFlush}) }

// Comment sends an SSE comment line, as keep-alives are.
func Comment(text string) Option { return add(Part{kind: partComment, text: text}) }

// Bytes sends these bytes in the body as they are. A step with Bytes gets no automatic end.
func Bytes(b string) Option { return add(Part{kind: partWire, text: b}) }

// StreamError sends {"error": …} as a data line; message is the error's message, or, where it
// is a JSON object, the error itself.
func StreamError(message string) Option {
	text := message
	if !strings.HasPrefix(strings.TrimSpace(message), "{") {
		b, _ := json.Marshal(map[string]string{"message": message})
		text = string(b)
	}
	return add(Part{kind: partError, text: text})
}

// Finish sends the finish reason at this place instead of the automatic one.
func Finish(reason string) Option { return add(Part{kind: partFinish, text: reason}) }

// NoFinish ends the body cleanly without finish reason and without [DONE].
func NoFinish() Option { return Finish("") }

// Tokens is the usage a call reports. Prompt below 0 stands for none.
type Tokens struct {
	Prompt, Completion int
	Cached             int      // part of Prompt
	Reasoning          int      // part of Completion
	Cost               *float64 // dollars; nil reports none
}

// UsageOf reports this usage instead of an estimate.
func UsageOf(t Tokens) Option { return add(Part{kind: partUsage, used: t}) }

// Usage reports these tokens instead of an estimate.
func Usage(prompt, completion int) Option {
	return UsageOf(Tokens{Prompt: prompt, Completion: completion})
}

// NoUsage reports no usage, although it was asked for.
func NoUsage() Option { return Usage(-1, -1) }

// Split sets how many runes of text or arguments go into one piece.
func Split(runes int) Option { return func(s *Step) { s.Split = runes } }

// Pace sets the pause between pieces.
func Pace(d time.Duration) Option { return func(s *Step) { s.Pace = d } }

// Plain answers with one JSON document instead of a stream.
func Plain() Option { return func(s *Step) { s.Plain = true } }

// Forget makes the server refuse, from this step on, all reasoning that it sealed before: a call with some
// of it gets the endpoint's own words, is no violation, and leaves the step to the next call.
func Forget() Option { return func(s *Step) { s.Forget = true } }

// WithHeader adds a response header.
func WithHeader(name, value string) Option {
	return func(s *Step) {
		if s.Header == nil {
			s.Header = http.Header{}
		}
		s.Header.Add(name, value)
	}
}

// Times makes the step answer n calls; below 0 all that come.
func Times(n int) Option { return func(s *Step) { s.Times = n } }

// Forever makes the step answer all calls that come to it.
func Forever() Option { return Times(-1) }

// Expect states what must hold of the call, in the words of a script's COND.
func Expect(cond string) Option {
	return func(s *Step) { s.Expect = append(s.Expect, s.condition(cond)) }
}

// When lets the step answer only calls for which cond holds; others pass it by.
func When(cond string) Option {
	return func(s *Step) { s.When = append(s.When, s.condition(cond)) }
}

func (s *Step) condition(text string) Condition {
	c, err := ParseCondition(text)
	if err != nil {
		s.problems = append(s.problems, err)
	}
	return c
}
