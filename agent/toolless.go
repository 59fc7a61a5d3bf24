package agent

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"chatvault/agent/event"
	"chatvault/agent/llm"
)

// toollessText tells a model that it has no tools, at the end of the system prompt, which speaks of some.
const toollessText = "You have no tools in this conversation, whatever is said above: you can neither read nor change notes, nor look anything up. Answer from what you are told, and where a request needs a note, say that this model cannot use tools."

// toolless are the models that said that they cannot use tools, by the names of their providers. They
// are called without from then on.
type toolless struct {
	mu    sync.Mutex
	names map[string]bool
}

func (t *toolless) has(name string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.names[name]
}

// add says whether the name is new.
func (t *toolless) add(name string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.names[name] {
		return false
	}
	if t.names == nil {
		t.names = map[string]bool{}
	}
	t.names[name] = true
	return true
}

// withoutToolsIfNone is a request as the provider's model can take it.
func (r *run) withoutToolsIfNone(req llm.Request) llm.Request {
	if hasTools(req) && r.toolless.has(r.Provider.Name()) {
		return withoutTools(req)
	}
	return req
}

// retryWithoutTools says whether a call failed because the model cannot use tools, and is made again without
// them. The user is told once.
func (r *run) retryWithoutTools(req llm.Request, err error) bool {
	var e *llm.Error
	if !errors.As(err, &e) || e.Reason != llm.ReasonNoTools || !hasTools(req) {
		return false
	}
	name := r.Provider.Name()
	if !r.toolless.add(name) {
		return false // it refused the request without tools as well
	}
	r.to(event.StateRetrying)
	if r.view.shown { // what it had said is void
		r.Emit(event.Retry{Meta: r.meta(), Attempt: 1, Delay: 0, Code: e.Kind, Reason: e.Reason, Message: e.Message})
	}
	r.notice(fmt.Sprintf("%s cannot use tools, so it answers without reading or changing notes. Choose another model for that, in the chat with /model.", name))
	return true
}

// hasTools says whether a request offers tools or speaks of calls.
func hasTools(req llm.Request) bool {
	if len(req.Tools) > 0 {
		return true
	}
	for _, m := range req.Messages {
		if len(m.ToolCalls) > 0 {
			return true
		}
	}
	return false
}

// withoutTools is a request that offers no tools, in whose history calls and results are told in words.
func withoutTools(req llm.Request) llm.Request {
	out := []llm.Message{}
	told := false
	var results []string
	flush := func() {
		if len(results) > 0 {
			out = append(out, llm.Message{Role: llm.RoleUser, Content: "(Results of earlier tool calls.)", Context: strings.Join(results, "\n\n")})
			results = nil
		}
	}
	for _, m := range req.Messages {
		if m.Role == llm.RoleTool {
			results = append(results, "Result of "+m.ToolName+":\n"+m.Content)
			continue
		}
		flush()
		if m.Role == llm.RoleSystem && !told {
			m.Content, told = strings.TrimSpace(m.Content+"\n\n"+toollessText), true
		}
		if len(m.ToolCalls) > 0 {
			said := []string{m.Content}
			for _, c := range m.ToolCalls {
				said = append(said, "(I called "+c.Name+" with "+c.Arguments+")")
			}
			m.Content, m.ToolCalls, m.Echo = strings.TrimSpace(strings.Join(said, "\n")), nil, nil
		}
		out = append(out, m)
	}
	flush()
	if !told {
		out = append([]llm.Message{{Role: llm.RoleSystem, Content: toollessText}}, out...)
	}
	req.Messages, req.Tools, req.NoCalls = out, nil, false
	return req
}
