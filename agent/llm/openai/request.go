package openai

import (
	"crypto/sha256"
	"fmt"
	"strings"

	openai "github.com/sashabaranov/go-openai"

	"chatvault/agent/llm"
	"chatvault/agent/llm/dialect"
)

// target is where the provider's requests go. What it is told from others by is kept with conversations:
// an address may have a key in its path.
func (p *Provider) target() dialect.Target {
	sum := sha256.Sum256([]byte(p.opts.BaseURL))
	return dialect.Target{Endpoint: strings.TrimSpace(fmt.Sprintf("%s %x", p.dialect.Name, sum[:8])), Model: p.opts.Model, Effort: p.opts.Effort, MaxTokens: p.opts.MaxTokens}
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
