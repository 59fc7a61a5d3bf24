package agent

import (
	"context"
	"encoding/json"

	"chatvault/agent/llm"
	"chatvault/agent/window"
	"chatvault/tools"
)

// Toolbox is a turn's set of tools; *tools.Turn is one.
type Toolbox interface {
	Tools() []tools.Tool
	Lookup(name string) (tools.Tool, bool)
	Call(ctx context.Context, name string, args json.RawMessage) tools.Result
	Changes() []string // what the turn changed so far, a line each
}

// toolShare is how much of a model's window the descriptions of tools may take, in percent, so that
// the system prompt and the conversation have room beside them.
const toolShare = 25

// specs are the tools that the model is told of: the same at every step, also where not all of them
// may be called, so that what a provider has computed of the request stays of use.
func (r *run) specs() []llm.ToolSpec {
	var all, needed []llm.ToolSpec
	for _, t := range r.box.Tools() {
		spec := llm.ToolSpec{Name: t.Name(), Description: t.Description(), Parameters: t.Schema()}
		all = append(all, spec)
		if !tools.Spare(t) {
			needed = append(needed, spec)
		}
	}
	size := r.windows.Size(r.Provider, r.configuredWindow()) // not the room, which each answer measures anew
	return window.FitSpecs(all, needed, size*toolShare/100)
}
