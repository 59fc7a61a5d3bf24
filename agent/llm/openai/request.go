package openai

import (
	"strings"

	openai "github.com/sashabaranov/go-openai"

	"chatvault/agent/llm"
	"chatvault/agent/llm/openai/dialect"
)

// target is where the provider's requests go.
func (p *Provider) target() dialect.Target {
	return dialect.Target{Endpoint: strings.TrimSpace(p.dialect.Name + " " + p.opts.BaseURL), Model: p.opts.Model, MaxTokens: p.opts.MaxTokens}
}

// envelope is what go-openai is to send: the body in it is the dialect's (call.request). It says as
// much as go-openai needs to know a model that has no tools over this protocol.
func (p *Provider) envelope(req llm.Request) openai.ChatCompletionRequest {
	out := openai.ChatCompletionRequest{Model: p.opts.Model, Stream: true}
	if len(req.Tools) > 0 {
		out.Tools = []openai.Tool{{Type: openai.ToolTypeFunction}}
	}
	if p.opts.Model == openai.GPT6Sol || p.opts.Model == openai.GPT6Luna {
		out.ReasoningEffort = openai.ReasoningEffortNone // as the dialect says it
	}
	return out
}
