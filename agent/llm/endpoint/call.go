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

// Call is a running model call. The transport finds it in the request's context. It is used by one goroutine: net/http
// calls RoundTrip and Read on the caller's.
type Call struct {
	client *Client
	ctx    context.Context // of the caller
	inner  context.Context // of the call; the watchdog cancels it
	watch  *watchdog

	body    []byte // the body to send, whatever a library encoded
	events  *eventReader
	refused bool // the endpoint answered with an error

	yield     func(llm.Chunk, error) bool
	abandoned bool      // the caller left the loop
	buffered  llm.Chunk // text and reasoning to flush
	finished  bool      // the finish reason came

	answered time.Time // time of the first output
	began    time.Time // time of SetBody
	read     int       // reported tokens of the prompt

	said  bool        // a chunk was yielded
	wrote atomic.Bool // the request was sent completely

	Finish  llm.FinishReason // empty until it came
	Refused bool             // the answer has a refusal
	usage   *llm.Usage       // reported so far; nil if none
}

type callKey struct{}

// maxBuffered is the size in bytes at which buffered text is flushed; callers look for endless repetition between flushes.
const maxBuffered = 512

// errLeft ends a call whose caller left the loop.
var errLeft = errors.New("the caller left")

// Stream makes one model call (llm.Provider). run sends the request and yields the answer; its return value ends the
// call.
func (c *Client) Stream(ctx context.Context, run func(*Call) error) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		call := &Call{client: c, ctx: ctx, yield: yield}
		err := call.watched(run)
		if passed := call.flush(); err == nil {
			err = passed
		}
		switch {
		case call.abandoned:
		case err != nil:
			e := call.fail(err)
			c.log(e)
			if u := call.partialUsage(); u == nil || yield(llm.Chunk{Usage: u}, nil) {
				yield(llm.Chunk{}, e)
			}
		default:
			call.keepPace()
			c.settleOllama(ctx)
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

// partialUsage returns the usage of a failed call, marked as estimated if more was used. It is nil if nothing was used: the
// endpoint did not begin to answer although it had time.
func (c *Call) partialUsage() *llm.Usage {
	if c.usage != nil {
		c.usage.Estimated = !c.finished
		return c.usage
	}
	given := c.ctx.Err() == nil && !is[*llm.Error](context.Cause(c.inner))
	if !c.said && (given || c.refused || !c.wrote.Load()) {
		return nil
	}
	return &llm.Usage{Estimated: true}
}

// Count records usage. Later figures are totals; some lack what was reported before.
func (c *Call) Count(u *Usage) {
	next, known := u.Tokens(), c.usage
	if next == nil {
		return
	}
	if known != nil {
		next.PromptTokens = max(next.PromptTokens, known.PromptTokens)
		next.CachedTokens = max(next.CachedTokens, known.CachedTokens)
		next.CacheWriteTokens = max(next.CacheWriteTokens, known.CacheWriteTokens)
		next.CompletionTokens = max(next.CompletionTokens, known.CompletionTokens)
		next.ReasoningTokens = max(next.ReasoningTokens, known.ReasoningTokens)
	}
	c.usage = next
}

// Context returns the context for requests of the call.
func (c *Call) Context() context.Context { return c.inner }

// SetBody sets the body of the call's request. It yields an estimate of the reading time if earlier calls allow one.
func (c *Call) SetBody(body []byte) error {
	c.body, c.began = body, time.Now()
	if r := c.client.expect(body); r.Total > 0 {
		return c.Send(llm.Chunk{Reading: &r})
	}
	return nil
}

// Progress restarts the wait for output, after some came.
func (c *Call) Progress() {
	if c.answered.IsZero() {
		c.answered = time.Now()
	}
	c.watch.progress()
}

// Finished records the finish reason in the words of the endpoint, if it is not empty; the rest of the answer is
// optional.
func (c *Call) Finished(reason string) {
	if reason != "" {
		c.Finish, c.finished = FinishReason(reason), true
		c.watch.hurry()
	}
}

// Ended reports whether the answer was complete before a read error, except perhaps for the usage. Errors sent by the
// endpoint still count.
func (c *Call) Ended(err error) bool {
	if c.ctx.Err() != nil {
		return false
	}
	if errors.Is(err, io.EOF) {
		return true
	}
	if !c.finished || c.inner.Err() == nil && is[*llm.Error](err) {
		return false
	}
	c.client.opts.Logger.Debug("connection lost after the answer", "provider", c.client.Name(), "error", err.Error())
	return true
}

// Buffer buffers reasoning, and text that follows it.
func (c *Call) Buffer(reasoning, text string) error {
	if reasoning != "" && c.buffered.Text != "" {
		if err := c.flush(); err != nil {
			return err
		}
	}
	c.buffered.Reasoning += reasoning
	if text != "" && c.buffered.Reasoning != "" {
		if err := c.flush(); err != nil {
			return err
		}
	}
	c.buffered.Text += text
	if len(c.buffered.Text)+len(c.buffered.Reasoning) >= maxBuffered {
		return c.flush()
	}
	return nil
}

// flush yields the buffered text.
func (c *Call) flush() error {
	buffered := c.buffered
	if c.buffered = (llm.Chunk{}); buffered == (llm.Chunk{}) || c.abandoned {
		return nil
	}
	return c.Send(buffered)
}

// Send yields a chunk, after the buffered text.
func (c *Call) Send(chunk llm.Chunk) error {
	if err := c.flush(); err != nil {
		return err
	}
	if err := c.ctx.Err(); err != nil {
		return err
	}
	if !c.yield(chunk, nil) {
		c.abandoned = true
		return errLeft
	}
	c.said = c.said || chunk.Reading == nil
	return nil
}

// Post sends a body to a path below the base URL and calls read with each event of the answer, a JSON object. It
// returns when read fails or reports the last event, or when events end.
func (c *Call) Post(path string, body []byte, read func(event []byte) (last bool, err error)) error {
	c.body = body
	resp, err := c.client.send(c.inner, http.MethodPost, c.client.opts.BaseURL+path, body, "text/event-stream")
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }() // it was read or abandoned
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
			if last { // complete: the connection can be reused
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

// End yields the last chunks of a complete answer with a number of calls.
func (c *Call) End(calls int, echo *llm.Echo) error {
	switch {
	case c.Finish == "":
		return CutOff()
	case c.Finish != llm.FinishStop:
	case c.Refused:
		c.Finish = llm.FinishRefusal
	case calls > 0:
		c.Finish = llm.FinishToolCalls
	}
	for _, chunk := range []llm.Chunk{{Usage: c.usage}, {Echo: echo}, {Finish: c.Finish}} {
		if chunk == (llm.Chunk{}) {
			continue
		}
		if err := c.Send(chunk); err != nil {
			return err
		}
	}
	return nil
}

// CutOff returns the error for an answer without a finish reason.
func CutOff() *llm.Error {
	return &llm.Error{Kind: llm.KindNetwork, Reason: llm.ReasonBroken, Message: "the answer was cut off before its end"}
}

// Garbled returns the error for a piece of an answer that does not fit the API.
func Garbled(piece []byte, err error) *llm.Error {
	e := garbled("part of the response has an unknown form")
	e.Err = fmt.Errorf("%w in %.500s", err, piece)
	return e
}

// fail returns the *llm.Error for what ended the call: first the caller's cancellation, then the watchdog, then an
// error from the endpoint, then the connection.
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

// redacted is a cause with the keys removed from its text; errors.Is and As see the original.
type redacted struct {
	text string
	err  error
}

func (r *redacted) Error() string { return r.text }
func (r *redacted) Unwrap() error { return r.err }

// log writes the whole error; the user sees only a summary.
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
