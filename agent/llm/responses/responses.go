// Package responses reaches a language model over OpenAI's Responses API, at OpenAI or at any endpoint
// that has it. Nothing is stored there: how a model reasoned comes encrypted, and goes back to it as it
// came, in its place, and to no other model.
package responses

import (
	"context"
	"iter"

	"chatvault/agent/llm"
	"chatvault/agent/llm/endpoint"
)

// Provider is an llm.Provider at one endpoint, for one model. It is safe for concurrent use.
type Provider struct{ *endpoint.Client }

// New checks the options and makes a provider; nothing is sent yet. An error says which option
// is wrong and what to do.
func New(opts endpoint.Options) (*Provider, error) {
	opts.API = endpoint.Responses
	c, err := endpoint.New(opts)
	if err != nil {
		return nil, err
	}
	return &Provider{c}, nil
}

// Stream calls the model once (llm.Provider).
func (p *Provider) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return p.Client.Stream(ctx, func(c *endpoint.Call) error {
		to := p.Target("responses")
		body, err := body(to, req)
		if err != nil {
			return err
		}
		r := &reader{call: c, from: to, calls: endpoint.NewCalls(c, req), items: map[int]*receivedItem{}}
		if err := c.Post("/responses", body, r.event); err != nil {
			return err
		}
		return r.end()
	})
}
