package endpoint

import (
	"cmp"
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

	yield    func(llm.Chunk, error) bool
	err      error     // the first failure; nothing is yielded after it
	buffered llm.Chunk // text and reasoning to flush

	read  int         // reported tokens of the prompt
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
		call.Fail(call.watched(run))
		call.flush()
		switch {
		case call.err == errLeft: //nolint:errorlint // it is never wrapped
		case call.err != nil:
			e := call.failure(call.err)
			c.log(e)
			if u := call.partialUsage(); u == nil || yield(llm.Chunk{Usage: u}, nil) {
				yield(llm.Chunk{}, e)
			}
		default:
			c.settleOllama(ctx)
		}
	}
}

func (c *Call) watched(run func(*Call) error) error {
	inner, cancel := context.WithCancelCause(c.ctx)
	defer cancel(nil)
	c.watch = &watchdog{cancel: cancel, first: c.client.opts.FirstByte, idle: c.client.opts.Idle}
	c.watch.begin()
	defer c.watch.stop()
	inner = httptrace.WithClientTrace(inner, &httptrace.ClientTrace{WroteRequest: func(i httptrace.WroteRequestInfo) { c.wrote.Store(i.Err == nil) }})
	c.inner = context.WithValue(inner, callKey{}, c)
	return run(c)
}

// partialUsage returns the usage of a failed call, marked as estimated if more was used. It is nil if nothing was used: the
// endpoint did not begin to answer although it had time.
func (c *Call) partialUsage() *llm.Usage {
	if c.usage != nil {
		c.usage.Estimated = c.Finish == ""
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
		next.Cost, next.HasCost = max(next.Cost, known.Cost), next.HasCost || known.HasCost
	}
	c.usage = next
}

// Sending sets the body of the call's request and returns the request's context.
func (c *Call) Sending(body []byte) context.Context {
	c.body = body
	return c.inner
}

// Fail ends the call with an error after the buffered text, unless it is nil or the call has failed before.
func (c *Call) Fail(err error) {
	if err != nil {
		c.flush()
		c.err = cmp.Or(c.err, err)
	}
}

// Progress restarts the wait for output, after some came.
func (c *Call) Progress() { c.watch.progress() }

// ReportReading yields how many tokens of the prompt the endpoint has read. Progress restarts the wait for the answer.
func (c *Call) ReportReading(read, total int) {
	if read > c.read {
		c.watch.begin()
	}
	c.read = max(c.read, read)
	c.Send(llm.Chunk{Reading: &llm.Reading{Read: min(read, total), Total: total}})
}

// Finished records the finish reason in the words of the endpoint, if it is not empty; the rest of the answer is
// optional.
func (c *Call) Finished(reason string) {
	if reason != "" {
		c.Finish = FinishReason(reason)
		c.watch.hurry()
	}
}

// ended reports whether the answer was complete before a read error, except perhaps for the usage. Errors sent by the
// endpoint still count.
func (c *Call) ended(err error) bool {
	if c.ctx.Err() != nil {
		return false
	}
	if errors.Is(err, io.EOF) {
		return true
	}
	if c.Finish == "" || c.inner.Err() == nil && is[*llm.Error](err) {
		return false
	}
	c.client.opts.Logger.Debug("connection lost after the answer", "provider", c.client.Name(), "error", err.Error())
	return true
}

// Buffer buffers reasoning, and text that follows it.
func (c *Call) Buffer(reasoning, text string) {
	if reasoning != "" && c.buffered.Text != "" {
		c.flush()
	}
	c.buffered.Reasoning += reasoning
	if text != "" && c.buffered.Reasoning != "" {
		c.flush()
	}
	c.buffered.Text += text
	if len(c.buffered.Text)+len(c.buffered.Reasoning) >= maxBuffered {
		c.flush()
	}
}

// flush yields the buffered text.
func (c *Call) flush() {
	if buffered := c.buffered; buffered != (llm.Chunk{}) {
		c.buffered = llm.Chunk{}
		c.Send(buffered)
	}
}

// Send yields a chunk, after the buffered text.
func (c *Call) Send(chunk llm.Chunk) {
	c.flush()
	switch {
	case c.err != nil:
	case c.ctx.Err() != nil:
		c.err = c.ctx.Err()
	case !c.yield(chunk, nil):
		c.err = errLeft
	default:
		c.said = c.said || chunk.Reading == nil
	}
}

// Post sends a body to a path below the base URL and reads the events of the answer.
func (c *Call) Post(path string, body []byte, read func(event []byte) (last bool)) error {
	c.body = body
	resp, err := c.client.send(c.inner, http.MethodPost, c.client.opts.BaseURL+path, body, "text/event-stream")
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }() // it was read or abandoned
	return c.Events(read)
}

// Events calls read with each event of the answer, a JSON object. It returns when the call has failed, read reports the
// last event, or events end.
func (c *Call) Events(read func(event []byte) (last bool)) error {
	for {
		event, err := c.events.next()
		last := err == nil && c.ctx.Err() == nil && read(event)
		switch {
		case c.err != nil:
			return c.err
		case last: // complete: the connection can be reused
			c.events.events.done = true
			return nil
		case err != nil && c.ended(err):
			return nil
		case err != nil:
			return err
		}
	}
}

// End yields the last chunks of a complete answer with a number of calls.
func (c *Call) End(calls int, echo *llm.Echo) {
	switch {
	case c.Finish == "":
		c.Fail(CutOff())
	case c.Finish != llm.FinishStop:
	case c.Refused:
		c.Finish = llm.FinishRefusal
	case calls > 0:
		c.Finish = llm.FinishToolCalls
	}
	for _, chunk := range []llm.Chunk{{Usage: c.usage}, {Echo: echo}, {Finish: c.Finish}} {
		if chunk != (llm.Chunk{}) {
			c.Send(chunk)
		}
	}
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

// failure returns the *llm.Error for what ended the call: first the caller's cancellation, then the watchdog, then an
// error from the endpoint, then the connection.
func (c *Call) failure(err error) *llm.Error {
	if c.ctx.Err() != nil {
		return &llm.Error{Kind: llm.KindAborted, Err: context.Cause(c.ctx)}
	}
	e := c.cause(err)
	secrets := slices.AppendSeq([]string{c.client.opts.APIKey}, maps.Values(c.client.opts.Headers))
	e.Message = Tidy(llm.Redact(e.Message, secrets...))
	if e.Err != nil {
		e.Err = errors.New(llm.Redact(e.Err.Error(), secrets...))
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

// log writes the whole error; the user sees only a summary.
func (c *Client) log(e *llm.Error) {
	if e.Kind == llm.KindAborted {
		return
	}
	c.opts.Logger.Error("model call failed",
		"provider", c.Name(), "kind", string(e.Kind), "reason", string(e.Reason), "status", e.Status,
		"message", e.Message, "retry_after", e.RetryAfter.String(), "final", e.Final, "detail", e.Err)
}
