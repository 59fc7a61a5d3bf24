// Package anthropic reaches a language model over Anthropic's Messages API, at Anthropic or at any
// endpoint that has it.
//
// Beside what package endpoint promises of every call: what a model thought, signed, goes back to it as
// it came, in its place, and to no other model; and a request marks what the next one begins with, so
// that it is read from the cache.
package anthropic

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
	opts.API = endpoint.Messages
	c, err := endpoint.New(opts)
	if err != nil {
		return nil, err
	}
	return &Provider{c}, nil
}

// Stream calls the model once (llm.Provider).
func (p *Provider) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return p.Client.Stream(ctx, func(c *endpoint.Call) error {
		to := p.Target("messages")
		body, err := body(to, req)
		if err != nil {
			return err
		}
		r := &reader{call: c, from: to, calls: endpoint.NewCalls(c, req), blocks: map[int]*answered{}}
		if err := c.Post("/messages", body, r.event); err != nil {
			return err
		}
		return r.end()
	})
}
