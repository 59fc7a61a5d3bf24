package agent

import (
	"context"
	"encoding/json"

	"chatvault/agent/llm"
	"chatvault/tools"
)

// Toolbox is a turn's set of tools; *tools.Turn is one.
type Toolbox interface {
	Tools() []tools.Tool
	Lookup(name string) (tools.Tool, bool)
	Call(ctx context.Context, name string, args json.RawMessage) tools.Result
	Changes() []string // what the turn changed so far, a line each
}

// specs are the tools the model may call at this step.
func (r *run) specs() []llm.ToolSpec {
	var out []llm.ToolSpec
	for _, t := range r.box.Tools() {
		if !r.offers(t) {
			continue
		}
		out = append(out, llm.ToolSpec{Name: t.Name(), Description: t.Description(), Parameters: t.Schema()})
	}
	return out
}
