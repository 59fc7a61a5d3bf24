package tools

import (
	"context"
	"encoding/json"

	"chatvault/vault"
)

// Request says for whom calls are made: what they change is shown, and taken back, together.
type Request struct {
	Turn         string // a message's id
	Source       string // "chat", "ask", "tool"
	Title        string // the first words of what was asked for
	Conversation string
}

// WithRequest returns a context whose calls belong to r.
func WithRequest(ctx context.Context, r Request) context.Context {
	o := vault.OriginOf(ctx)
	o.Turn, o.Source, o.Title, o.Conversation = r.Turn, r.Source, r.Title, r.Conversation
	return vault.WithOrigin(ctx, o)
}

// WithCall returns a context for the tool call with this id.
func WithCall(ctx context.Context, id string) context.Context {
	o := vault.OriginOf(ctx)
	o.Call = id
	return vault.WithOrigin(ctx, o)
}

// withTool says in whose call, with what arguments, the vault is used.
func withTool(ctx context.Context, name string, args json.RawMessage) context.Context {
	o := vault.OriginOf(ctx)
	o.Tool, o.Arguments = name, args
	return vault.WithOrigin(ctx, o)
}
