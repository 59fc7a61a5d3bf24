package endpoint

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"net/http"
	"net/http/httptrace"
	"slices"
	"sync/atomic"
	"time"

	"chatvault/agent/llm"
)

// Call is a model call under way, carried to the transport by its context. One goroutine uses it:
// net/http calls RoundTrip and Read on that of the caller.
type Call struct {
	client *Client
	ctx    context.Context // the caller's
	inner  context.Context // the call's own, which the watchdog cancels
	watch  *watchdog

	body    []byte // what is sent in the place of what a library would
	events  *eventReader
	refused bool // it was answered with an error

	yield func(llm.Chunk, error) bool
	left  bool      // the caller left the loop
	held  llm.Chunk // text that came, to be passed on with what comes right behind it
	over  bool      // the answer said why it ended

	answered time.Time // when the model said something first
	began    time.Time // when the body was carried
	read     int       // tokens of the prompt, as the endpoint reported

	used  func() *llm.Usage // what the endpoint has reported so far; nil: nothing
	said  bool              // something was passed on
	wrote atomic.Bool       // the request was sent whole
}

type callKey struct{}

// heldMost is how many bytes of text are held: who looks for endless repetition looks between what
// is passed on.
const heldMost = 512

// errLeft ends a call whose caller left the loop.
var errLeft = errors.New("the caller left")

// Stream makes one model call, as llm.Provider says. run sends the request and passes on what is
// answered; what it returns ends the call.
func (c *Client) Stream(ctx context.Context, run func(*Call) error) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		call := &Call{client: c, ctx: ctx, yield: yield}
		err := call.watched(run)
		if passed := call.pass(); err == nil {
			err = passed
		}
		switch {
		case call.left:
		case err != nil:
			e := call.fail(err)
			c.log(e)
			if u := call.cut(); u == nil || yield(llm.Chunk{Usage: u}, nil) {
				yield(llm.Chunk{}, e)
			}
		default:
			call.keepPace()
			c.settle(ctx)
		}
	}
}

func (c *Call) watched(run func(*Call) error) error {
	inner, cancel := context.WithCancelCause(c.ctx)
	defer cancel(nil)
	c.watch = newWatchdog(cancel, c.client.opts.FirstByte, c.client.opts.Idle)
	defer c.watch.disarm()
	inner = httptrace.WithClientTrace(inner, &httptrace.ClientTrace{WroteRequest: func(i httptrace.WroteRequestInfo) { c.wrote.Store(i.Err == nil) }})
	c.inner = context.WithValue(inner, callKey{}, c)
	return run(c)
}

// cut is the usage of a call that failed: what the endpoint reported, marked as estimated where more was
// used. Nil: nothing was, as the endpoint never began to answer, unless it was given no time for that.
func (c *Call) cut() *llm.Usage {
	if c.used != nil {
		if u := c.used(); u != nil {
			u.Estimated = !c.over
			return u
		}
	}
	given := c.ctx.Err() == nil && !is[*llm.Error](context.Cause(c.inner))
	if !c.said && (given || c.refused || !c.wrote.Load()) {
		return nil
	}
	return &llm.Usage{Estimated: true}
}

// Uses sets the function that returns the usage reported so far, nil if there is none.
func (c *Call) Uses(used func() *llm.Usage) { c.used = used }

// Context is the one that requests of the call are sent with.
func (c *Call) Context() context.Context { return c.inner }

// Carry sets the body of the call's request. It yields an estimate of how long the endpoint will read it if earlier
// calls allow one.
func (c *Call) Carry(body []byte) error {
	c.body, c.began = body, time.Now()
	if r := c.client.expect(body); r.Total > 0 {
		return c.Send(llm.Chunk{Reading: &r})
	}
	return nil
}

// Progress says that the model said something: it may take its time again for more.
func (c *Call) Progress() {
	if c.answered.IsZero() {
		c.answered = time.Now()
	}
	c.watch.progress()
}

// Finished says that the answer said why it ended: what else may come is not needed.
func (c *Call) Finished() {
	c.over = true
	c.watch.hurry()
}

// Ended says of an error in reading whether the answer had ended before it: the connection failed, or
// fell silent, and nothing is missing but perhaps the usage. An error the endpoint sends there still counts.
func (c *Call) Ended(err error) bool {
	if c.ctx.Err() != nil {
		return false
	}
	if errors.Is(err, io.EOF) {
		return true
	}
	if !c.over || c.inner.Err() == nil && is[*llm.Error](err) {
		return false
	}
	c.client.opts.Logger.Debug("connection lost after the answer", "provider", c.client.Name(), "error", err.Error())
	return true
}

// Hold takes what the model thought, and what it said after that, to be passed on.
func (c *Call) Hold(reasoning, text string) error {
	if reasoning != "" && c.held.Text != "" {
		if err := c.pass(); err != nil {
			return err
		}
	}
	c.held.Reasoning += reasoning
	if text != "" && c.held.Reasoning != "" {
		if err := c.pass(); err != nil {
			return err
		}
	}
	c.held.Text += text
	if len(c.held.Text)+len(c.held.Reasoning) >= heldMost {
		return c.pass()
	}
	return nil
}

// pass passes on the text that is held: before anything else is, and before more is waited for.
func (c *Call) pass() error {
	held := c.held
	if c.held = (llm.Chunk{}); held == (llm.Chunk{}) || c.left {
		return nil
	}
	return c.Send(held)
}

// Send passes a chunk on, after what is held.
func (c *Call) Send(chunk llm.Chunk) error {
	if err := c.pass(); err != nil {
		return err
	}
	if err := c.ctx.Err(); err != nil {
		return err
	}
	if !c.yield(chunk, nil) {
		c.left = true
		return errLeft
	}
	c.said = c.said || chunk.Reading == nil
	return nil
}

// Post sends a body to a path below the base URL and has each event of the answer read, a JSON object.
// It returns where read fails or says that it was the last, or where events end without.
func (c *Call) Post(path string, body []byte, read func(event []byte) (last bool, err error)) error {
	c.body = body
	resp, err := c.client.send(c.inner, http.MethodPost, c.client.opts.BaseURL+path, body, "text/event-stream")
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }() // it is read or given up
	lines := bufio.NewReader(resp.Body)
	for {
		line, err := lines.ReadBytes('\n')
		switch event := bytes.TrimSpace(bytes.TrimPrefix(line, []byte("data:"))); {
		case c.ctx.Err() != nil:
			return c.ctx.Err()
		case len(event) > 0 && event[0] == '{':
			last, err := read(event)
			if err != nil {
				return err
			}
			if last { // nothing is missing: its connection may be used again
				c.events.events.done = true
				return nil
			}
		}
		if err != nil {
			if c.Ended(err) {
				return nil
			}
			return err
		}
	}
}

// End completes an answer that said why it ended: what it used, what goes back with it, and why.
func (c *Call) End(finish llm.FinishReason, called bool, usage *llm.Usage, echo *llm.Echo) error {
	if called && finish == llm.FinishStop {
		finish = llm.FinishToolCalls
	}
	for _, chunk := range []llm.Chunk{{Usage: usage}, {Echo: echo}, {Finish: finish}} {
		if chunk == (llm.Chunk{}) {
			continue
		}
		if err := c.Send(chunk); err != nil {
			return err
		}
	}
	return nil
}

// CutOff is the failure of an answer that did not say why it ended.
func CutOff() *llm.Error {
	return &llm.Error{Kind: llm.KindNetwork, Reason: llm.ReasonBroken, Message: "the answer was cut off before its end"}
}

// Garbled is the failure of an answer of which a piece has a form that is not the API's.
func Garbled(piece []byte, err error) *llm.Error {
	e := garbled("part of the response has an unknown form")
	e.Err = fmt.Errorf("%w in %.500s", err, piece)
	return e
}

// fail makes the *llm.Error of whatever ended the call: the caller's own stop first, then the
// watchdog's, then what the endpoint said, then the connection.
func (c *Call) fail(err error) *llm.Error {
	if c.ctx.Err() != nil {
		return &llm.Error{Kind: llm.KindAborted, Err: context.Cause(c.ctx)}
	}
	e := c.cause(err)
	secrets := slices.AppendSeq([]string{c.client.opts.APIKey}, maps.Values(c.client.opts.Headers))
	e.Message = Tidy(llm.Redact(e.Message, secrets...))
	if e.Kind == llm.KindAuth && e.KeyEnv == "" {
		e.KeyEnv = KeyEnv(c.client.opts.Name, c.client.opts.BaseURL)
	}
	if e.Err != nil {
		e.Err = &redacted{text: llm.Redact(e.Err.Error(), secrets...), err: e.Err}
	}
	return e
}

func (c *Call) cause(err error) *llm.Error {
	var e *llm.Error
	if errors.As(err, &e) || errors.As(context.Cause(c.inner), &e) {
		copied := *e
		return &copied
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		e = CutOff()
		e.Err = err
		return e
	}
	return classifyNetwork(err, c.client.host)
}

// redacted is a cause whose text holds no key; errors.Is and As still see what it was.
type redacted struct {
	text string
	err  error
}

func (r *redacted) Error() string { return r.text }
func (r *redacted) Unwrap() error { return r.err }

// log writes the whole error, which the user is shown only in short.
func (c *Client) log(e *llm.Error) {
	if e.Kind == llm.KindAborted {
		return
	}
	detail := ""
	if e.Err != nil {
		detail = e.Err.Error()
	}
	c.opts.Logger.Error("model call failed",
		"provider", c.Name(), "kind", string(e.Kind), "reason", string(e.Reason), "status", e.Status,
		"message", e.Message, "retry_after", e.RetryAfter.String(), "final", e.Final, "detail", detail)
}
