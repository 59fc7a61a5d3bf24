// Package openai reaches a language model over the OpenAI chat-completions protocol, at any
// compatible endpoint, through go-openai.
//
// Beside what package endpoint promises of every call:
//
//   - a response counts as complete only when it said why it ended;
//   - tool calls come with unambiguous ordinals, unique ids and whole names, in the order the
//     model began them.
package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	openai "github.com/sashabaranov/go-openai"

	"chatvault/agent/llm"
	"chatvault/agent/llm/dialect"
	"chatvault/agent/llm/endpoint"
	"chatvault/internal/picture"
)

// Provider is an llm.Provider at one endpoint, for one model. It is safe for concurrent use.
type Provider struct {
	*endpoint.Client
	dialect *dialect.Dialect
	client  *openai.Client
}

// Sees says whether the model takes media of a type: documents only where the dialect has them
// (llm.Sighted).
func (p *Provider) Sees(mediaType string) (sees, known bool) {
	if mediaType == picture.PDF && !p.dialect.Documents {
		return false, true
	}
	return p.Client.Sees(mediaType)
}

// New checks the options and makes a provider; nothing is sent yet. An error says which option
// is wrong and what to do.
func New(opts endpoint.Options) (*Provider, error) {
	c, err := endpoint.New(opts)
	if err != nil {
		return nil, err
	}
	opts = c.Options()
	config := openai.DefaultConfig(opts.APIKey)
	config.BaseURL, config.HTTPClient = opts.BaseURL, c.HTTP()
	return &Provider{c, dialect.For(opts.Name, opts.BaseURL, opts.Model), openai.NewClientWithConfig(config)}, nil
}

// envelope is what go-openai is to send: the body in it is the dialect's (call.request). It says as
// much as go-openai needs to know a model that has no tools over this protocol.
func (p *Provider) envelope(req llm.Request) openai.ChatCompletionRequest {
	out := openai.ChatCompletionRequest{Model: p.Model(), Stream: true}
	if len(req.Tools) > 0 {
		out.Tools = []openai.Tool{{Type: openai.ToolTypeFunction}}
	}
	if p.Model() == openai.GPT6Sol || p.Model() == openai.GPT6Luna {
		out.ReasoningEffort = openai.ReasoningEffortNone // as the dialect says it
	}
	return out
}

// Stream calls the model once (llm.Provider).
func (p *Provider) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return p.Client.Stream(ctx, func(c *endpoint.Call) error {
		s := &stream{p: p, call: c, calls: newAssembler(req, llm.MaxArguments)}
		return s.run(req)
	})
}

// stream is one response being read.
type stream struct {
	p      *Provider
	call   *endpoint.Call
	calls  *assembler
	think  thinking
	echo   echoes
	finish llm.FinishReason
	usage  *llm.Usage
}

func (s *stream) run(req llm.Request) error {
	body, err := s.p.dialect.Body(s.p.Target(s.p.dialect.Name), req)
	if err != nil {
		return err
	}
	s.call.Carry(body)
	resp, err := s.p.client.CreateChatCompletionStream(s.call.Context(), s.p.envelope(req))
	if err != nil {
		return s.p.explained(err)
	}
	defer func() { _ = resp.Close() }() // the response is read or given up
	for {
		raw, err := resp.RecvRaw()
		switch {
		case err != nil && s.call.Ended(err):
			return s.end()
		case err != nil:
			return err
		}
		if err := s.piece(raw); err != nil {
			return err
		}
	}
}

// explained is an error of go-openai's own, where it says that the protocol is the wrong one.
func (p *Provider) explained(err error) error {
	switch {
	case errors.Is(err, openai.ErrReasoningToolsRequireResponses):
		return &llm.Error{
			Kind: llm.KindInvalidRequest, Reason: llm.ReasonNoTools, Err: err,
			Message: fmt.Sprintf("the model %s cannot use tools over the chat-completions protocol", p.Model()),
		}
	case errors.Is(err, openai.ErrChatCompletionInvalidModel):
		return &llm.Error{
			Kind: llm.KindInvalidRequest, Reason: llm.ReasonModelNotFound, Err: err,
			Message: fmt.Sprintf("the model %s cannot be reached over the chat-completions protocol", p.Model()),
		}
	}
	return err
}

// piece takes one event of the response.
func (s *stream) piece(raw []byte) error {
	var c chunk
	if err := json.Unmarshal(raw, &c); err != nil {
		return endpoint.Garbled(raw, err)
	}
	s.usage = cmp.Or(c.Usage.usage(), s.usage)
	first := c.first()
	if first == nil {
		return nil
	}
	s.usage = cmp.Or(first.Usage.usage(), s.usage)
	d := first.delta()
	if d.reasoning() != "" || d.Content.text != "" || d.Refusal != "" {
		s.call.Progress()
	}
	s.echo.add(d)
	if err := s.call.Hold(d.reasoning(), ""); err != nil {
		return err
	}
	if err := s.call.Hold(s.think.feed(d.Content.text)); err != nil {
		return err
	}
	if err := s.call.Hold("", string(d.Refusal)); err != nil {
		return err
	}
	for _, part := range d.ToolCalls {
		known := len(s.calls.calls)
		deltas, err := s.calls.add(part)
		if err != nil {
			return err
		}
		if len(deltas) > 0 || len(s.calls.calls) > known {
			s.call.Progress()
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
	s.finish = endpoint.FinishReason(string(first.Finish))
	s.call.Finished()
	return nil
}

// end completes a response whose bytes have ended.
func (s *stream) end() error {
	if s.finish == "" {
		return endpoint.CutOff()
	}
	if err := s.call.Hold(s.think.end()); err != nil {
		return err
	}
	if err := s.sendCalls(s.calls.rest()); err != nil {
		return err
	}
	echo := s.echo.whole(s.p.Target(s.p.dialect.Name), s.think.raw(), s.calls.calls)
	return s.call.End(s.finish, len(s.calls.calls) > 0, s.usage, echo)
}

func (s *stream) sendCalls(deltas []llm.ToolCallDelta) error {
	for i := range deltas {
		if err := s.call.Send(llm.Chunk{ToolCall: &deltas[i]}); err != nil {
			return err
		}
	}
	return nil
}
