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
