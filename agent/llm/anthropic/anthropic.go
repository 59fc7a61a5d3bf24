// Package anthropic calls language models over Anthropic's Messages API, at Anthropic or any endpoint that has it.
//
// In addition to the promises of package endpoint, signed thoughts go back unchanged, in their place, to the same model
// only, and requests mark the part that the next one begins with, so that it is cached.
package anthropic

import (
	"cmp"
	"encoding/json"
	"fmt"

	"chatvault/agent/llm"
	"chatvault/agent/llm/endpoint"
)

// New returns a provider without sending anything. The error names the invalid option and the remedy.
func New(opts endpoint.Options) (*endpoint.EventProvider, error) {
	return endpoint.NewEventProvider(opts, endpoint.Messages, body, form.Names, func(a *endpoint.Answer) endpoint.Reader {
		return &reader{Answer: a}
	})
}

// reader reads one response.
type reader struct {
	*endpoint.Answer
	usage *llm.Usage
}

// An answer: events or, if the endpoint does not stream, the message.
type (
	event struct {
		Type    string `json:"type"`
		Index   int    `json:"index"`
		Message struct {
			Usage *endpoint.Usage `json:"usage"`
		} `json:"message"` // message_start
		Block   json.RawMessage `json:"content_block"`
		Delta   delta           `json:"delta"`
		Usage   *endpoint.Usage `json:"usage"`
		Content json.RawMessage `json:"content"` // of a whole message
		Stop    endpoint.Text   `json:"stop_reason"`
	}
	delta struct {
		Type      string        `json:"type"`
		Text      string        `json:"text"`
		Thinking  string        `json:"thinking"`
		Signature string        `json:"signature"`
		JSON      string        `json:"partial_json"`
		Stop      endpoint.Text `json:"stop_reason"`
	}
)

// Event implements endpoint.Reader.
func (r *reader) Event(raw []byte) (last bool, err error) {
	var e event
	if err := json.Unmarshal(raw, &e); err != nil {
		return false, endpoint.Garbled(raw, err)
	}
	r.count(e.Usage)
	switch e.Type {
	case "message_start":
		r.count(e.Message.Usage)
	case "content_block_start":
		return false, r.begin(e.Index, e.Block)
	case "content_block_delta":
		return false, r.more(e.Index, e.Delta)
	case "content_block_stop":
		return false, r.done(e.Index)
	case "message_delta":
		r.stop(e.Delta.Stop)
	case "message_stop":
		return true, nil
	case "message":
		return true, r.document(e)
	}
	return false, nil
}

// document reads an answer that is not streamed.
func (r *reader) document(e event) error {
	var blocks []json.RawMessage
	if err := json.Unmarshal(e.Content, &blocks); err != nil {
		return endpoint.Garbled(e.Content, err)
	}
	for i, b := range blocks {
		if err := r.begin(i, b); err != nil {
			return err
		}
		if err := r.done(i); err != nil {
			return err
		}
	}
	r.stop(e.Stop)
	return nil
}

func (r *reader) stop(reason endpoint.Text) {
	if reason != "" {
		r.Finish = endpoint.FinishReason(string(reason))
		r.Finished()
	}
}

// begin begins a block, which may already have content.
func (r *reader) begin(index int, raw json.RawMessage) error {
	var b struct {
		Type      string          `json:"type"`
		Text      string          `json:"text"`
		Thinking  string          `json:"thinking"`
		Signature string          `json:"signature"`
		ID        string          `json:"id"`
		Name      string          `json:"name"`
		Input     json.RawMessage `json:"input"`
	}
	if err := json.Unmarshal(raw, &b); err != nil {
		return endpoint.Garbled(raw, err)
	}
	a := r.Part(index, b.Type)
	switch b.Type {
	case "text":
		b.Text = r.Paragraph(b.Text)
	case "thinking":
	case "tool_use":
		call, err := r.Begin(b.ID, b.Name)
		a.Call, a.Raw = call, b.Input
		return err
	default:
		r.Progress()
		a.Raw = raw
		return nil
	}
	return r.more(index, delta{Text: b.Text, Thinking: b.Thinking, Signature: b.Signature})
}

// more appends to a block.
func (r *reader) more(index int, d delta) error {
	a := r.Has(index)
	if a == nil {
		return endpoint.Garbled(nil, fmt.Errorf("block %d was not started", index))
	}
	if d.Text+d.Thinking+d.Signature+d.JSON != "" {
		r.Progress()
	}
	switch a.Kind {
	case "text":
		a.Text.WriteString(d.Text)
		return r.Say(d.Text)
	case "thinking":
		a.Text.WriteString(d.Thinking)
		a.Signature.WriteString(d.Signature)
		return r.Buffer(d.Thinking, "")
	case "tool_use":
		return r.Add(a.Call, d.JSON)
	}
	return nil
}

// done ends a block.
func (r *reader) done(index int) error {
	a := r.Has(index)
	if a == nil || a.Kind != "tool_use" {
		return nil
	}
	whole := ""
	if r.Empty(a.Call) && len(a.Raw) > 0 && string(a.Raw) != "{}" {
		whole = string(a.Raw) // some endpoints send it all at once
	}
	a.Raw = nil
	return r.Add(a.Call, whole)
}

// count reads usage. Later figures are totals; some lack what was reported before.
func (r *reader) count(u *endpoint.Usage) {
	next := u.Tokens()
	if next == nil || r.usage == nil {
		r.usage = cmp.Or(next, r.usage)
		return
	}
	next.PromptTokens = max(next.PromptTokens, r.usage.PromptTokens)
	next.CachedTokens = max(next.CachedTokens, r.usage.CachedTokens)
	next.CacheWriteTokens = max(next.CacheWriteTokens, r.usage.CacheWriteTokens)
	next.CompletionTokens = max(next.CompletionTokens, r.usage.CompletionTokens)
	next.ReasoningTokens = max(next.ReasoningTokens, r.usage.ReasoningTokens)
	r.usage = next
}

// Usage implements endpoint.Reader.
func (r *reader) Usage() *llm.Usage { return r.usage }

// Back implements endpoint.Reader.
func (r *reader) Back(p *endpoint.Part) any {
	switch p.Kind {
	case "thinking":
		return map[string]string{"type": p.Kind, "thinking": p.Text.String(), "signature": p.Signature.String()}
	case "redacted_thinking":
		return p.Raw
	}
	return nil
}
