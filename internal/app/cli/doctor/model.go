package doctor

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"chatvault/agent"
	"chatvault/agent/llm"
	"chatvault/agent/llm/endpoint"
	"chatvault/agent/response"
	"chatvault/agent/written"
	"chatvault/internal/app/config"
	"chatvault/internal/app/session/provider"
	"chatvault/internal/base/text"
)

// checkLocal tests with a short call whether a local model's tool calls are native. It reads the context size afterward,
// since some servers only know it of a loaded model.
func checkLocal(cfg *config.Config, s server, e provider.Endpoint, file string) findings {
	resp, err := shortCall(s, []llm.ToolSpec{countNotes})
	refusal := llm.AsError(err)
	refused := refusal != nil && (refusal.Reason == llm.ReasonToolsOff || refusal.Reason == llm.ReasonNoTools)
	if refused {
		_, err = shortCall(s, nil)
	}
	found, compact := checkModel(cfg, s, s.Facts(context.Background()), file)
	calls, why := finding{area: "tool calls"}, ""
	switch {
	case refused: // its turns work without tools
		calls.text, why, calls.warn, calls.todo = "refused", reason(refusal), compact || refusal.Reason == llm.ReasonNoTools, advice(refusal, e, file)
	case errors.Is(err, context.DeadlineExceeded):
		calls.text, calls.warn, calls.todo = "not known: no whole answer within "+callBound.String(), true, "try again: the model may have been loading"
	case err != nil:
		calls.text, why, calls.todo = "a short call failed", reason(err), advice(llm.AsError(err), e, file)
	case len(resp.ToolCalls) > 0:
		calls.text = "native"
	case written.Name(resp.Text) != "":
		calls.text, calls.warn, calls.todo = "written as text, and chatvault reads them", true, parsers[s.Server()]
	case resp.Finish == llm.FinishLength:
		calls.text = "unknown: the model did not finish"
	default:
		calls.text, calls.warn = "none: the model answered in words", true
		if !compact {
			calls.todo = "choose a model that can use tools"
		}
	}
	if compact && (refused || err == nil && len(resp.ToolCalls) == 0) {
		calls.text += "; the compact prompt needs none"
	}
	calls.text = text.Join("\n", calls.text, why)
	return findings{found, calls}
}

// parsers are how to configure servers to parse their model's tool calls, by preset. The other presets have no option
// for it.
var parsers = map[string]string{
	"":     "start llama-server with --jinja, or vLLM with --enable-auto-tool-choice and a --tool-call-parser",
	"vllm": "start vLLM with the --tool-call-parser of your model",
}

// callBound is the timeout of a short call.
const callBound = 20 * time.Second

// countNotes is the tool requested in a short call.
var countNotes = llm.ToolSpec{
	Name: "count_notes", Description: "Counts the notes in a folder.",
	Parameters: json.RawMessage(`{"type":"object","properties":{"folder":{"type":"string"}},"required":["folder"]}`),
}

// shortCall makes one call with tools. On a timeout it returns the error of its context.
func shortCall(p llm.Provider, tools []llm.ToolSpec) (llm.Response, error) {
	ctx, cancel := context.WithTimeout(context.Background(), callBound)
	defer cancel()
	req := llm.Request{
		Messages: []llm.Message{{Role: llm.RoleUser, Content: "How many notes are in the folder Recipes? Call the tool count_notes."}},
		Tools:    tools, MaxTokens: 200,
	}
	whole := response.New(nil)
	for c, err := range p.Stream(ctx, req) {
		if err = cmp.Or(ctx.Err(), err); err == nil {
			_, err = whole.Add(c)
		}
		if err != nil {
			return whole.Whole(), err
		}
	}
	return whole.Whole(), nil
}

// roomyWindow is the window in tokens below which doctor reports it as small: the system prompt and tools take about
// 4,000.
const roomyWindow = 8192

// checkModel describes a model as its server does, with advice if its context is small or less than what is sent.
// compact reports whether the model gets the compact prompt.
func checkModel(cfg *config.Config, s server, f endpoint.Facts, file string) (found finding, compact bool) {
	about, set := "context not known", cfg.ContextWindow.V
	if f.Window > 0 {
		about = fmt.Sprintf("context %s tokens", text.Thousands(f.Window))
	}
	if f.Parameters > 0 {
		about = fmt.Sprintf("%.3gB parameters, %s", f.Parameters/1e9, about)
	}
	prompt := agent.PromptFull
	if compact = agent.PromptSize(cfg.Prompt.V).CompactFor(context.Background(), s); compact {
		prompt = agent.PromptCompact
	}
	found = finding{area: "model", text: about + ", " + string(prompt) + " prompt"}
	switch {
	case !s.Local():
	case f.Window > 0 && set > f.Window:
		found.text += fmt.Sprintf("\ncontext_window is %s: more is sent than the server has room for, and it may silently drop some.", text.Thousands(set))
		found.todo = fmt.Sprintf("set context_window to at most %d in %s, or %s", f.Window, file, llm.Widen(s.Server()))
	case f.Window > 0 && f.Window < roomyWindow:
		found.text += "\nThat leaves little room for your notes beside what the model is told, and a server may silently drop what does not fit."
		found.todo = llm.Widen(s.Server())
	case f.Window == 0 && set == 0 && f.Server == "ollama":
		found.text += "\nOllama gives a model 4,096 tokens or fewer unless it is told otherwise, and silently drops what does not fit."
		found.todo = llm.Widen(s.Server())
	}
	found.warn = found.todo != ""
	return found, compact
}
