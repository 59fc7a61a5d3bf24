// Package anthropic calls language models over Anthropic's Messages API, at Anthropic or any endpoint that has it.
//
// In addition to the promises of package endpoint, signed thoughts go back unchanged, in their place, to the same model
// only, and requests mark the part that the next one begins with, so that it is cached.
package anthropic

import (
	"encoding/json"
	"fmt"

	"chatvault/agent/llm/endpoint"
)

// New returns a provider without sending anything. The error names the invalid option and the remedy.
func New(opts endpoint.Options) (*endpoint.EventProvider, error) {
	return endpoint.NewEventProvider(opts, endpoint.Codec{API: endpoint.Messages, Names: form.Names, Body: body, Read: read, Back: back})
}

// An answer is a series of events.
type (
	event struct {
		Type    string `json:"type"`
		Index   int    `json:"index"`
		Message struct {
			Usage *endpoint.Usage `json:"usage"`
		} `json:"message"` // message_start
		Block json.RawMessage `json:"content_block"`
		Delta piece           `json:"delta"`
		Usage *endpoint.Usage `json:"usage"`
	}
	// piece is a block, or a delta of one.
	piece struct {
		Type      string          `json:"type"`
		Text      string          `json:"text"`
		Thinking  string          `json:"thinking"`
		Signature string          `json:"signature"`
		ID        string          `json:"id"`
		Name      string          `json:"name"`
		Input     json.RawMessage `json:"input"`
		JSON      string          `json:"partial_json"`
		Stop      endpoint.Text   `json:"stop_reason"`
	}
)

// read implements endpoint.Codec.
func read(a *endpoint.Answer, raw []byte) (last bool) {
	var e event
	if err := json.Unmarshal(raw, &e); err != nil {
		a.Fail(endpoint.Garbled(raw, err))
	}
	a.Count(e.Message.Usage)
	a.Count(e.Usage)
	switch e.Type {
	case "content_block_start":
		begin(a, e.Index, e.Block)
	case "content_block_delta":
		more(a, e.Index, e.Delta)
	case "content_block_stop":
		done(a, e.Index)
	case "message_delta":
		a.Finished(string(e.Delta.Stop))
	}
	return e.Type == "message_stop"
}

// begin begins a block, which may already have content.
func begin(a *endpoint.Answer, index int, raw json.RawMessage) {
	var b piece
	if err := json.Unmarshal(raw, &b); err != nil {
		a.Fail(endpoint.Garbled(raw, err))
	}
	p := a.Part(index, b.Type)
	switch b.Type {
	case "text", "thinking":
		more(a, index, b)
	case "tool_use":
		p.Raw = b.Input
		a.Begin(p, b.ID, b.Name)
	default:
		a.Progress()
		p.Raw = raw
	}
}

// more appends to a block.
func more(a *endpoint.Answer, index int, d piece) {
	p := a.Has(index)
	if p == nil {
		a.Fail(endpoint.Garbled(nil, fmt.Errorf("block %d was not started", index)))
		return
	}
	switch p.Kind {
	case "text":
		a.Say(p, d.Text)
	case "thinking":
		if d.Signature != "" {
			a.Progress()
			p.Signature += d.Signature
		}
		a.Think(p, d.Thinking)
	case "tool_use":
		a.Add(p, d.JSON)
	}
}

// done ends a block. Some endpoints send all arguments of a call at its start.
func done(a *endpoint.Answer, index int) {
	if p := a.Has(index); p != nil && p.Kind == "tool_use" && string(p.Raw) != "{}" {
		a.Complete(p, string(p.Raw))
	}
}

// back implements endpoint.Codec.
func back(p *endpoint.Part) any {
	switch p.Kind {
	case "thinking":
		return map[string]string{"type": p.Kind, "thinking": p.Text.String(), "signature": p.Signature}
	case "redacted_thinking":
		return p.Raw
	}
	return nil
}
