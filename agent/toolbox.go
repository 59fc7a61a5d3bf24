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

// toolShare is how much of a model's window the descriptions of tools may take, in percent: where
// they take more, those that others can stand in for are not offered.
const toolShare = 40

// specs are the tools the model may call at this step.
func (r *run) specs() []llm.ToolSpec {
	var all, needed []llm.ToolSpec
	for _, t := range r.box.Tools() {
		if !r.offers(t) {
			continue
		}
		spec := llm.ToolSpec{Name: t.Name(), Description: t.Description(), Parameters: t.Schema()}
		all = append(all, spec)
		if !tools.Spare(t) {
			needed = append(needed, spec)
		}
	}
	if window.SpecTokens(all) > r.room().Window*toolShare/100 {
		return needed
	}
	return all
}
