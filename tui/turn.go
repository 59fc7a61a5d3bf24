package tui

import (
	"maps"
	"time"

	"chatvault/agent/event"
	"chatvault/tui/chat"
	"chatvault/tui/list"
)

// turn tracks the items of the running turn.
type turn struct {
	*shared
	stopping bool // the user asked to stop it, possibly before it started
	began    time.Time
	retryAt  time.Time
	folds    bool          // it accepts messages while it runs
	asked    *chat.Message // the question open when it began, or nil
	tasks    []chat.Task
	opening  list.Item // its first item

	answer    *chat.Assistant
	reasoning *chat.Reasoning
	tools     map[string]*chat.Tool
	// call holds the items of the current model call, which a retry withdraws.
	call []withdrawer
}

// opens records the turn's first item.
func (t *turn) opens(it list.Item) {
	if t.opening == nil {
		t.opening = it
	}
}

// withdrawer is an item that can be removed from the screen.
type withdrawer interface{ Withdraw() }

// apply handles events of the model and its tools.
func (t *turn) apply(e event.Event) {
	switch e := e.(type) {
	case event.StateChanged:
		if e.State == event.StateThinking {
			t.endText()
			t.call = nil
		}
	case event.ReasoningDelta:
		t.reasoned(e.Text)
	case event.TextDelta:
		t.write(e.Text)
	case event.TextDone:
		t.textDone(e.Text)
	case event.ToolCallDelta:
		known := t.tools[e.ID] != nil
		tool := t.tool(e.ID, e.Name)
		if !known {
			t.call = append(t.call, tool)
		}
		tool.Writing(e.Bytes, e.Target)
	case event.ToolStarted:
		tool := t.tool(e.ID, e.Name)
		tool.Start(e.Target, t.now())
		tool.Called(e.Arguments)
	case event.ToolFinished:
		t.toolFinished(e)
	case event.Nested:
		t.nested(e)
	case event.TaskList:
		t.tasks = nil
		for _, it := range e.Items {
			t.tasks = append(t.tasks, chat.Task{Text: it.Text, Done: it.Done})
		}
	case event.Retry:
		t.retrying(e)
	}
}

// endText completes the text of the last model call.
func (t *turn) endText() {
	if t.answer != nil {
		t.answer.Finish()
		t.answer = nil
	}
	t.endReasoning()
}

func (t *turn) endReasoning() {
	if t.reasoning != nil {
		t.reasoning.Finish(t.now())
		t.reasoning = nil
	}
}

func (t *turn) reasoned(text string) {
	if t.reasoning == nil {
		t.reasoning = chat.NewReasoning(t.env, t.now())
		t.call = append(t.call, t.reasoning)
		t.appendItem(t.reasoning)
	}
	t.reasoning.Append(text)
}

func (t *turn) write(text string) {
	if text == "" {
		return
	}
	t.endReasoning()
	if t.answer == nil {
		t.answer = chat.NewAssistant(t.env)
		t.call = append(t.call, t.answer)
		t.appendItem(t.answer)
		t.list.Hold(t.answer)
	}
	t.answer.Append(text)
}

// textDone replaces the answer by the final text if that is shorter, because the model repeated itself endlessly.
func (t *turn) textDone(text string) {
	if t.answer == nil {
		return
	}
	if len(text) < len(t.answer.Raw()) {
		t.answer.Withdraw()
		t.answer.Append(text)
	}
	t.answer.Finish() // text that the program adds becomes a new answer
	t.answer = nil
}

// tool returns the item of a tool call and adds it if necessary.
func (t *turn) tool(id, name string) *chat.Tool {
	tool := t.tools[id]
	if tool == nil {
		tool = chat.NewTool(t.env, name)
		if t.tools == nil {
			t.tools = map[string]*chat.Tool{}
		}
		t.tools[id] = tool
		if !event.TraitsOf(name).Speaks {
			t.endReasoning()
			t.appendItem(tool)
		}
	}
	return tool
}

func (t *turn) toolFinished(e event.ToolFinished) {
	speaks := event.TraitsOf(e.Name).Speaks
	tool := t.tool(e.ID, e.Name)
	if e.IsError && t.stopping { // the stop caused the error
		tool.Stop()
		return
	}
	tool.Finish(e.Summary, e.IsError, e.Duration)
	tool.Gave(e.Result)
	tool.Replaced(e.Diff)
	if e.IsError && speaks {
		t.appendItem(tool)
	}
}

// retrying withdraws the items of the failed attempt and shows the wait.
func (t *turn) retrying(e event.Retry) {
	for _, it := range t.call {
		it.Withdraw()
		maps.DeleteFunc(t.tools, func(_ string, tool *chat.Tool) bool { return it == withdrawer(tool) })
	}
	t.call, t.answer, t.reasoning = nil, nil, nil
	t.retryAt = t.now().Add(e.Delay)
}

// nested shows a sub-agent's step under its parent call.
func (t *turn) nested(e event.Nested) {
	tool := t.tool(e.CallID, "delegate")
	switch e := e.Event.(type) {
	case event.ToolStarted:
		tool.StepStarted(e.ID, e.Name, e.Target, t.now())
	case event.ToolFinished:
		tool.StepFinished(e.ID, e.Summary, e.IsError, e.Duration)
	}
}

// end completes the turn's items, such as tool calls that did not run.
func (t *turn) end(tool func(*chat.Tool)) {
	t.endText()
	for _, it := range t.tools {
		tool(it)
	}
	t.tasks = nil
}
