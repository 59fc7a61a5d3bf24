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

	"chatvault/agent/llm/dialect"
	"chatvault/agent/llm/endpoint"
	"chatvault/internal/picture"
)

// Provider is an llm.Provider at one endpoint, for one model. It is safe for concurrent use.
type Provider struct {
	*endpoint.Client
	opts    endpoint.Options
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
	p := &Provider{Client: c, opts: c.Options()}
	p.dialect = dialect.For(p.opts.Name, p.opts.BaseURL, p.opts.Model)
	config := openai.DefaultConfig(p.opts.APIKey)
	config.BaseURL = p.opts.BaseURL
	config.HTTPClient = c.HTTP()
	p.client = openai.NewClientWithConfig(config)
	return p, nil
}
