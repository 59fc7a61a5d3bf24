// Package openai calls language models over the OpenAI chat-completions protocol, at any compatible endpoint, through
// go-openai.
//
// In addition to the promises of package endpoint:
//
//   - a response is complete only if it has a finish reason;
//   - tool calls have unambiguous ordinals and complete names, in the order in which the model began them.
package openai

import (
	"context"
	"encoding/json"
	"iter"

	openai "github.com/sashabaranov/go-openai"

	"chatvault/agent/llm"
	"chatvault/agent/llm/dialect"
	"chatvault/agent/llm/endpoint"
	"chatvault/internal/base/picture"
)

// Provider is an llm.Provider for one model at one endpoint. It is safe for concurrent use.
type Provider struct {
	*endpoint.Client
	dialect *dialect.Dialect
	client  *openai.Client
}

// Sees implements llm.Sighted; documents need a dialect with them.
func (p *Provider) Sees(mediaType string) (sees, known bool) {
	if mediaType == picture.PDF && !p.dialect.Documents {
		return false, true
	}
	return p.Client.Sees(mediaType)
}

// New returns a provider without sending anything. The error names the invalid option and the remedy.
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

// envelope is the request that go-openai sends; the call replaces its body with the dialect's, and reads the events,
// which go-openai knows only in part. go-openai does not check a model of this name.
var envelope = openai.ChatCompletionRequest{Model: "a model", Stream: true}

// Stream implements llm.Provider.
func (p *Provider) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return p.Client.Stream(ctx, func(c *endpoint.Call) error {
		s := &stream{p: p, call: c, calls: newAssembler(req, llm.MaxArguments)}
		return s.run(req)
	})
}

// stream reads one response.
type stream struct {
	p     *Provider
	call  *endpoint.Call
	calls *assembler
	think thinking
	echo  echoes
}

func (s *stream) run(req llm.Request) error {
	to := s.p.Target(s.p.dialect.Name)
	to.Progress = s.p.Server() == endpoint.LlamaCpp
	body, err := s.p.dialect.Body(to, req)
	if err != nil {
		return err
	}
	resp, err := s.p.client.CreateChatCompletionStream(s.call.Sending(body), envelope)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Close() }() // it was read or abandoned
	if err := s.call.Events(s.piece); err != nil {
		return err
	}
	s.end()
	return nil
}

// piece reads one event of the response. It implements the function for endpoint.Call.Events; [DONE] is the last.
func (s *stream) piece(raw []byte) (last bool) {
	var c chunk
	if err := json.Unmarshal(raw, &c); err != nil {
		s.call.Fail(endpoint.Garbled(raw, err))
	}
	s.call.Count(c.Usage)
	if p := c.Progress; p != nil {
		s.call.ReportReading(p.Processed.Count(), p.Total.Count())
	}
	first := c.first()
	if first == nil {
		return false
	}
	s.call.Count(first.Usage)
	d := first.delta()
	if d.reasoning() != "" || d.Content.text != "" || d.Refusal != "" {
		s.call.Progress()
	}
	s.echo.add(d)
	if d.reasoning() != "" {
		s.call.Buffer(d.reasoning(), "")
	}
	s.content(s.think.feed(d.Content.text))
	if d.Refusal != "" {
		s.call.Refused = true
		s.call.Buffer("", string(d.Refusal))
	}
	for _, part := range d.ToolCalls {
		known := len(s.calls.calls)
		deltas, err := s.calls.add(part)
		s.call.Fail(err)
		if len(deltas) > 0 || len(s.calls.calls) > known {
			s.call.Progress()
		}
		s.sendCalls(deltas)
	}
	if first.Finish == "error" {
		s.call.Fail(&llm.Error{Kind: llm.KindNetwork, Reason: llm.ReasonServer, Message: "the provider ended the answer with an error"})
		return false
	}
	s.call.Finished(string(first.Finish))
	return false
}

// end completes a response after its last byte.
func (s *stream) end() {
	if s.call.Finish != "" {
		s.content(s.think.end())
		s.sendCalls(s.calls.rest())
	}
	s.call.End(len(s.calls.calls), s.echo.whole(s.p.Target(s.p.dialect.Name), s.calls.calls))
}

// content passes on reasoning and text of the content. If thoughts were taken for text before, it reports that first.
func (s *stream) content(reasoning, text string) {
	if s.think.late {
		s.think.late = false
		s.call.Send(llm.Chunk{Thought: true})
	}
	s.echo.thoughts.WriteString(reasoning)
	s.call.Buffer(reasoning, text)
}

func (s *stream) sendCalls(deltas []llm.ToolCallDelta) {
	for i := range deltas {
		s.call.Send(llm.Chunk{ToolCall: &deltas[i]})
	}
}
