package mcpclient

import (
	"context"
	"encoding/json"

	"chatvault/tools"
)

// Toolbox is a turn's tools with those of servers after them, as they are at each moment.
type Toolbox struct {
	*tools.Turn
	servers   *Servers
	messenger tools.Messenger
}

// Toolbox adds the servers' tools to a turn's.
func (s *Servers) Toolbox(t *tools.Turn, m tools.Messenger) Toolbox {
	return Toolbox{t, s, m}
}

// Tools are the turn's own, and after them those of servers in the order in which they came.
func (b Toolbox) Tools() []tools.Tool {
	b.servers.used.Store(true)
	all := b.Turn.Tools()
	for _, r := range b.servers.tools() {
		all = append(all, bound{r, b.messenger})
	}
	return all
}

// Lookup finds a tool by its exact name.
func (b Toolbox) Lookup(name string) (tools.Tool, bool) {
	if t, ok := b.Turn.Lookup(name); ok {
		return t, true
	}
	if r := b.servers.lookup(name); r != nil {
		return bound{r, b.messenger}, true
	}
	return nil, false
}

// Call runs the named tool.
func (b Toolbox) Call(ctx context.Context, name string, args json.RawMessage) tools.Result {
	if _, own := b.Turn.Lookup(name); !own {
		if t, ok := b.Lookup(name); ok {
			return t.Call(ctx, args)
		}
	}
	return b.Turn.Call(ctx, name, args)
}
