package llmtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Step is the scripted answer to one or more model calls. The zero value is an empty answer with
// finish reason "stop".
type Step struct {
	Line     int           // first line in the script, counted from 1; zero for steps made in Go
	When     []Condition   // conditions for the step to answer a call
	Expect   []Condition   // conditions that the call must meet
	Times    int           // number of calls to answer; zero means one, negative means no limit
	Status   int           // HTTP status; zero means 200
	Header   http.Header   // additional response headers
	Body     string        // response body if Raw is set
	Raw      bool          // the answer is Body; Parts only contribute delays
	Parts    []Part        // the answer unless Raw is set
	Split    int           // runes per piece; zero splits text at spaces and arguments at 12 runes
	Pace     time.Duration // pause between pieces
	Plain    bool          // send one JSON document even if the call requests a stream
	Unframed bool          // no chunked encoding; the body ends with the connection
	Forget   bool          // refuse all reasoning that was sealed before this step
	problems []error       // errors of options, which Start returns
}

// Part is an element of an answer.
type Part struct {
	kind partKind
	text string        // text, reasoning, arguments, wire bytes, comment, finish reason, error JSON
	name string        // tool name
	id   string        // call id; empty means that the server makes one
	wait time.Duration // duration of a delay
	used Tokens        // usage or progress

	repeat int             // number of times to send wire bytes; zero means once
	gate   <-chan struct{} // channel that a gate waits for
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

// Option modifies a Step. The parts of the answer keep the order of the options.
type Option func(*Step)

func add(p Part) Option { return func(s *Step) { s.Parts = append(s.Parts, p) } }

// Say returns a step made of opts.
func Say(opts ...Option) Step {
	var s Step
	for _, o := range opts {
		o(&s)
	}
	return s
}

// Reply returns a step that answers with text.
func Reply(text string, opts ...Option) Step {
	return Say(append([]Option{Text(text)}, opts...)...)
}

// ToolCall returns a step that answers with one tool call. args is marshaled to JSON, except that
// a string is used as the JSON text, valid or not.
func ToolCall(name string, args any, opts ...Option) Step {
	return Say(append([]Option{Call(name, args)}, opts...)...)
}

// Fail returns a step that answers with an HTTP error. headers alternates names and values.
func Fail(status int, body string, headers ...string) Step {
	s := Step{Status: status, Body: body, Raw: true}
	for i := 0; i+1 < len(headers); i += 2 {
		WithHeader(headers[i], headers[i+1])(&s)
	}
	return s
}

// Wire returns a step that answers 200 with exactly these bytes as text/event-stream and then closes the connection.
func Wire(bytes string, opts ...Option) Step {
	return Say(append([]Option{Bytes(bytes), func(s *Step) { s.Unframed = true }}, opts...)...)
}

// Progress reports how many tokens of the prompt have been processed, in the format of llama.cpp. It has no effect if
// the call does not request progress.
func Progress(read, total int) Option {
	return add(Part{kind: partProgress, used: Tokens{Prompt: total, Completion: read}})
}

// Text adds text to the answer.
func Text(text string) Option { return add(Part{kind: partText, text: text}) }

// Reasoning adds reasoning to the answer.
func Reasoning(text string) Option { return add(Part{kind: partReasoning, text: text}) }

// Call adds a tool call with an id that the server makes. For args see ToolCall.
func Call(name string, args any) Option { return CallID("", name, args) }

// CallID adds a tool call with the given id; an empty id means that the server makes one. For args see ToolCall.
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

// Delay pauses for d at this point of the answer.
func Delay(d time.Duration) Option { return add(Part{kind: partDelay, wait: d}) }

// Gate waits at this point of the answer until the channel is closed.
func Gate(open <-chan struct{}) Option { return add(Part{kind: partGate, gate: open}) }

// Hang sends nothing more until the client disconnects or the server closes.
func Hang() Option { return add(Part{kind: partHang}) }

// Cut closes the connection in the middle of the body.
func Cut() Option { return add(Part{kind: partCut}) }

// Reset resets the connection with RST.
func Reset() Option { return add(Part{kind: partReset}) }

// Flush flushes the output so far, or only the response headers.
func Flush() Option { return add(Part{kind: partFlush}) }

// Comment sends an SSE comment, like the keep-alives of some endpoints.
func Comment(text string) Option { return add(Part{kind: partComment, text: text}) }

// Bytes sends raw bytes in the body of a streamed answer. A step with Bytes gets no automatic end.
func Bytes(b string) Option { return add(Part{kind: partWire, text: b}) }

// StreamError sends {"error": …} as a data line. message is the error's message, or the error
// object itself if it starts with "{".
func StreamError(message string) Option {
	text := message
	if !strings.HasPrefix(strings.TrimSpace(message), "{") {
		b, _ := json.Marshal(map[string]string{"message": message})
		text = string(b)
	}
	return add(Part{kind: partError, text: text})
}

// Finish sends the finish reason at this point instead of the automatic one.
func Finish(reason string) Option { return add(Part{kind: partFinish, text: reason}) }

// NoFinish ends the body cleanly without a finish reason and without [DONE].
func NoFinish() Option { return Finish("") }

// Tokens is the token usage of a call. A negative Prompt means that no usage is reported.
type Tokens struct {
	Prompt, Completion int
	Cached             int      // cached tokens, included in Prompt
	Reasoning          int      // reasoning tokens, included in Completion
	Cost               *float64 // in dollars; nil means that no cost is reported
}

// UsageOf reports t instead of an estimate.
func UsageOf(t Tokens) Option { return add(Part{kind: partUsage, used: t}) }

// Usage reports these tokens instead of an estimate.
func Usage(prompt, completion int) Option {
	return UsageOf(Tokens{Prompt: prompt, Completion: completion})
}

// NoUsage reports no usage, even if the call requests it. The Messages and Responses APIs, which always report usage,
// report an estimate.
func NoUsage() Option { return Usage(-1, -1) }

// Split sets the number of runes of text or arguments per piece.
func Split(runes int) Option { return func(s *Step) { s.Split = runes } }

// Pace sets the pause between pieces.
func Pace(d time.Duration) Option { return func(s *Step) { s.Pace = d } }

// Plain answers with one JSON document instead of a stream.
func Plain() Option { return func(s *Step) { s.Plain = true } }

// Forget makes the server refuse, from this step on, all reasoning that it sealed before. A call with such
// reasoning gets the endpoint's error, is not a violation and leaves the step to the next call.
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

// Times makes the step answer n calls; a negative n means no limit.
func Times(n int) Option { return func(s *Step) { s.Times = n } }

// Forever makes the step answer any number of calls.
func Forever() Option { return Times(-1) }

// Expect adds a condition, in the syntax of ParseCondition, that the call must meet. Otherwise the server refuses the
// call and records a violation.
func Expect(cond string) Option {
	return func(s *Step) { s.Expect = append(s.Expect, s.condition(cond)) }
}

// When restricts the step to calls that meet cond, in the syntax of ParseCondition. Other calls skip the step.
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
