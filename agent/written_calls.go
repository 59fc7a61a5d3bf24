package agent

import (
	"chatvault/agent/llm"
	"chatvault/agent/written"
)

// writesCalls marks a model that writes tool calls as text in learned.unable.
const writesCalls = "writes calls "

// readWritten puts calls that the model wrote as text in the place that calls have in a response, and reports
// whether there were any. They go back to the model as native calls.
func (c *caller) readWritten(req llm.Request, resp *llm.Response, ids map[string]bool) bool {
	if c.small != nil && req.Purpose == llm.PurposeTurn {
		c.small.readCalls(req, resp, ids)
		return len(resp.ToolCalls) > 0
	}
	if len(req.Tools) == 0 || req.NoCalls || !readCalls(req, resp, req.Tools, ids) {
		return false
	}
	if _, known := c.unable.LoadOrStore(writesCalls+c.Provider.Name(), true); !known {
		c.notice(c.Provider.Name() + " writes tool calls as text, so chatvault reads them from the answer. Servers that know the model's form parse them: llama.cpp started with --jinja, vLLM with --enable-auto-tool-choice and a --tool-call-parser.")
	}
	return true
}

// readCalls puts calls of the offered tools that the text of a response consists of in their place.
func readCalls(req llm.Request, resp *llm.Response, offered []llm.ToolSpec, ids map[string]bool) bool {
	if len(resp.ToolCalls) > 0 || resp.Finish == llm.FinishContentFilter {
		return false
	}
	var shown []string
	for _, m := range req.Messages {
		if m.Role == llm.RoleUser || m.Role == llm.RoleTool {
			shown = append(shown, m.Prompt())
		}
	}
	before, calls := written.Read(resp.Text, offered, shown...)
	for i := range calls {
		calls[i].ID = llm.FreshID("", ids)
	}
	if calls != nil {
		resp.Text, resp.ToolCalls, resp.Echo, resp.Finish = before, calls, nil, llm.FinishToolCalls
	}
	return calls != nil
}
