package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"chatvault/agent/llm"
)

// Stream calls the model once (llm.Provider).
func (p *Provider) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		s := &stream{p: p, ctx: ctx, yield: yield, calls: newAssembler(req, p.opts.bounds.arguments)}
		err := s.run(req)
		if passed := s.pass(); err == nil {
			err = passed
		}
		switch {
		case s.left:
		case err != nil:
			e := s.fail(err)
			p.log(e)
			yield(llm.Chunk{}, e)
		default:
			p.askRunning(ctx)
		}
	}
}

// stream is one response being read.
type stream struct {
	p      *Provider
	ctx    context.Context // the caller's
	inner  context.Context // the call's own, which the watchdog cancels
	call   *call
	yield  func(llm.Chunk, error) bool
	left   bool // the caller left the loop
	calls  *assembler
	think  thinking
	echo   echoes
	finish llm.FinishReason
	usage  *llm.Usage
	held   llm.Chunk // text that came, to be passed on with what comes right behind it
}

// heldMost is how many bytes of text are held: who looks for endless repetition looks between what
// is passed on.
const heldMost = 512

// errLeft ends a stream whose caller left the loop.
var errLeft = errors.New("the caller left")

func (s *stream) run(req llm.Request) error {
	inner, cancel := context.WithCancelCause(s.ctx)
	defer cancel(nil)
	s.call = &call{bounds: s.p.opts.bounds, pass: s.pass}
	s.call.watch = newWatchdog(cancel, s.p.opts.FirstByte, s.p.opts.Idle)
	defer s.call.watch.disarm()
	s.inner = context.WithValue(inner, callKey{}, s.call)

	var err error
	if s.call.body, err = s.p.dialect.Body(s.p.target(), req); err != nil {
		return err
	}
	resp, err := s.p.client.CreateChatCompletionStream(s.inner, s.p.envelope(req))
	if err != nil {
		return err
	}
	defer func() { _ = resp.Close() }() // the response is read or given up
	if s.call.status != 0 {
		for err == nil { // a 3xx, which go-openai takes for success: read what it says
			_, err = resp.RecvRaw()
		}
		return err
	}
	for {
		raw, err := resp.RecvRaw()
		switch {
		case s.ctx.Err() != nil:
			return s.ctx.Err()
		case errors.Is(err, io.EOF):
			return s.end()
		case err != nil && s.complete(err):
			s.p.opts.Logger.Debug("connection lost after the answer", "provider", s.p.Name(), "error", err.Error())
			return s.end()
		case err != nil:
			return err
		}
		if err := s.piece(raw); err != nil {
			return err
		}
	}
}

// complete says that the connection failed, or fell silent, after the answer had ended: nothing
// is missing but perhaps the usage. An error the endpoint sends there still counts.
func (s *stream) complete(err error) bool {
	var sent *llm.Error
	return s.finish != "" && (s.inner.Err() != nil || !errors.As(err, &sent))
}

// piece takes one event of the response.
func (s *stream) piece(raw []byte) error {
	var c chunk
	if err := json.Unmarshal(raw, &c); err != nil {
		return &llm.Error{Kind: llm.KindNetwork, Reason: llm.ReasonBroken, Message: "a piece of the response has an unknown form", Err: fmt.Errorf("%w in %.500s", err, raw)}
	}
	s.usage = cmp.Or(c.Usage.usage(), s.usage)
	first := c.first()
	if first == nil {
		return nil
	}
	s.usage = cmp.Or(first.Usage.usage(), s.usage)
	d := first.delta()
	if d.reasoning() != "" || d.Content.text != "" || d.Refusal != "" {
		s.call.watch.progress()
	}
	s.echo.add(d)
	if err := s.hold(d.reasoning(), ""); err != nil {
		return err
	}
	if err := s.hold(s.think.feed(d.Content.text)); err != nil {
		return err
	}
	if err := s.hold("", string(d.Refusal)); err != nil {
		return err
	}
	for _, part := range d.ToolCalls {
		known := len(s.calls.calls)
		deltas, err := s.calls.add(part)
		if err != nil {
			return err
		}
		if len(deltas) > 0 || len(s.calls.calls) > known {
			s.call.watch.progress()
		}
		if err := s.sendCalls(deltas); err != nil {
			return err
		}
	}
	if first.Finish == "" {
		return nil
	}
	if first.Finish == "error" {
		return &llm.Error{Kind: llm.KindNetwork, Reason: llm.ReasonServer, Message: "the provider ended the answer with an error"}
	}
	s.finish = finishReason(string(first.Finish))
	s.call.watch.hurry()
	return nil
}

// hold takes what the model thought, and what it said after that, to be passed on.
func (s *stream) hold(reasoning, text string) error {
	if reasoning != "" && s.held.Text != "" {
		if err := s.pass(); err != nil {
			return err
		}
	}
	s.held.Reasoning += reasoning
	if text != "" && s.held.Reasoning != "" {
		if err := s.pass(); err != nil {
			return err
		}
	}
	s.held.Text += text
	if len(s.held.Text)+len(s.held.Reasoning) >= heldMost {
		return s.pass()
	}
	return nil
}

// end completes a response whose bytes have ended.
func (s *stream) end() error {
	if s.finish == "" {
		return &llm.Error{Kind: llm.KindNetwork, Reason: llm.ReasonBroken, Message: "the answer was cut off before its end"}
	}
	if err := s.hold(s.think.end()); err != nil {
		return err
	}
	if err := s.sendCalls(s.calls.rest()); err != nil {
		return err
	}
	if len(s.calls.calls) > 0 && s.finish == llm.FinishStop {
		s.finish = llm.FinishToolCalls
	}
	if s.usage != nil {
		if err := s.send(llm.Chunk{Usage: s.usage}); err != nil {
			return err
		}
	}
	if echo := s.echo.whole(s.p.target(), s.think.raw(), s.calls.calls); echo != nil {
		if err := s.send(llm.Chunk{Echo: echo}); err != nil {
			return err
		}
	}
	return s.send(llm.Chunk{Finish: s.finish})
}

func (s *stream) sendCalls(deltas []llm.ToolCallDelta) error {
	for i := range deltas {
		if err := s.send(llm.Chunk{ToolCall: &deltas[i]}); err != nil {
			return err
		}
	}
	return nil
}

// pass passes on the text that is held: before anything else is, and before more is waited for.
func (s *stream) pass() error {
	c := s.held
	if s.held = (llm.Chunk{}); c == (llm.Chunk{}) || s.left {
		return nil
	}
	return s.send(c)
}

func (s *stream) send(c llm.Chunk) error {
	if err := s.pass(); err != nil {
		return err
	}
	if err := s.ctx.Err(); err != nil {
		return err
	}
	if !s.yield(c, nil) {
		s.left = true
		return errLeft
	}
	return nil
}

// fail makes the *llm.Error of whatever ended the call: the caller's own stop first, then the
// watchdog's, then what the endpoint said, then the connection.
func (s *stream) fail(err error) *llm.Error {
	if s.ctx.Err() != nil {
		return &llm.Error{Kind: llm.KindAborted, Err: context.Cause(s.ctx)}
	}
	e := s.cause(err)
	secrets := s.p.secrets()
	e.Message = tidy(llm.Redact(e.Message, secrets...))
	if e.Kind == llm.KindAuth && e.KeyEnv == "" {
		e.KeyEnv = KeyEnv(s.p.opts.Name, s.p.opts.BaseURL)
	}
	if e.Err != nil {
		e.Err = &redacted{text: llm.Redact(e.Err.Error(), secrets...), err: e.Err}
	}
	return e
}

func (s *stream) cause(err error) *llm.Error {
	if s.call.status != 0 { // also where the rest of its words never came
		return classifyHTTP(s.call.status, s.call.header, s.call.report.Bytes(), time.Now())
	}
	var e *llm.Error
	if errors.As(context.Cause(s.inner), &e) || errors.As(err, &e) {
		copied := *e
		return &copied
	}
	switch {
	case errors.Is(err, openai.ErrReasoningToolsRequireResponses):
		return &llm.Error{
			Kind: llm.KindInvalidRequest, Reason: llm.ReasonNoTools, Err: err,
			Message: fmt.Sprintf("the model %s cannot use tools over the chat-completions protocol", s.p.opts.Model),
		}
	case errors.Is(err, openai.ErrChatCompletionInvalidModel):
		return &llm.Error{
			Kind: llm.KindInvalidRequest, Reason: llm.ReasonModelNotFound, Err: err,
			Message: fmt.Sprintf("the model %s cannot be reached over the chat-completions protocol", s.p.opts.Model),
		}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &llm.Error{Kind: llm.KindNetwork, Reason: llm.ReasonBroken, Message: "the answer was cut off before its end", Err: err}
	}
	return classifyNetwork(err, s.p.host)
}

// redacted is a cause whose text holds no key; errors.Is and As still see what it was.
type redacted struct {
	text string
	err  error
}

func (r *redacted) Error() string { return r.text }
func (r *redacted) Unwrap() error { return r.err }

func (p *Provider) secrets() []string {
	if p.opts.APIKey == "" {
		return nil
	}
	return []string{p.opts.APIKey}
}

// log writes the whole error, which the user is shown only in short.
func (p *Provider) log(e *llm.Error) {
	if e.Kind == llm.KindAborted {
		return
	}
	detail := ""
	if e.Err != nil {
		detail = e.Err.Error()
	}
	p.opts.Logger.Error("model call failed",
		"provider", p.Name(), "kind", string(e.Kind), "reason", string(e.Reason), "status", e.Status,
		"message", e.Message, "retry_after", e.RetryAfter.String(), "final", e.Final, "detail", detail)
}
