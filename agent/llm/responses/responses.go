// Package responses reaches a language model over OpenAI's Responses API, at OpenAI or at any endpoint
// that has it. Nothing is stored there: how a model reasoned comes encrypted, and goes back to it as it
// came, in its place, and to no other model.
package responses

import (
	"context"
	"crypto/sha256"
	"fmt"
	"iter"

	"chatvault/agent/llm"
	"chatvault/agent/llm/dialect"
	"chatvault/agent/llm/endpoint"
)

// Provider is an llm.Provider at one endpoint, for one model. It is safe for concurrent use.
type Provider struct {
	*endpoint.Client
	opts endpoint.Options
}

// New checks the options and makes a provider; nothing is sent yet. An error says which option
// is wrong and what to do.
func New(opts endpoint.Options) (*Provider, error) {
	opts.API = endpoint.Responses
	c, err := endpoint.New(opts)
	if err != nil {
		return nil, err
	}
	return &Provider{Client: c, opts: c.Options()}, nil
}

// Stream calls the model once (llm.Provider).
func (p *Provider) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return p.Client.Stream(ctx, func(c *endpoint.Call) error {
		body, err := p.body(req)
		if err != nil {
			return err
		}
		r := newReader(c, p.target(), req)
		if _, err := c.Post("/responses", body, r.event); err != nil {
			return err
		}
		return r.end()
	})
}

// target is where the provider's requests go. What it is told from others by is kept with conversations:
// an address may have a key in its path.
func (p *Provider) target() dialect.Target {
	sum := sha256.Sum256([]byte(p.opts.BaseURL))
	return dialect.Target{Endpoint: fmt.Sprintf("responses %x", sum[:8]), Model: p.opts.Model, MaxTokens: p.opts.MaxTokens}
}
