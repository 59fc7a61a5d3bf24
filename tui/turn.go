package tui

import (
	"fmt"
	"maps"
	"time"

	"chatvault/agent/event"
	"chatvault/tui/chat"
	"chatvault/tui/list"
)

// turn is what the running turn has put into the transcript so far.
type turn struct {
	*shared
	stopping bool // the user asked to stop, or will have it stopped as it starts
	began    time.Time
	retryAt  time.Time
	folds    bool          // it takes what is sent while it runs
	asked    *chat.Message // the question that waited as it began; nil: none did
	tasks    []chat.Task
	opening  list.Item // its first item

	said      list.Item // what the agent said last
	answer    *chat.Assistant
	wrote     int // bytes of answer, as they came
	reasoning *chat.Reasoning
	tools     map[string]*chat.Tool
	// call is what the present model call brought: a retry takes it back.
	call []withdrawer
}

// opens notes the turn's first item.
func (t *turn) opens(it list.Item) {
	if t.opening == nil {
		t.opening = it
	}
}

// withdrawer is an item that can be taken off the screen.
type withdrawer interface{ Withdraw() }

// apply shows what the model and its tools do.
func (t *turn) apply(e event.Event) {
	switch e := e.(type) {
	case event.StateChanged:
		t.stateChanged(e.State)
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
		if event.TraitsOf(e.Name).Delegates {
			tool.Wait()
		}
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

func (t *turn) stateChanged(to event.State) {
	switch to {
	case event.StateThinking:
		t.endText()
		t.call = nil
	case event.StateActing:
		for _, tool := range t.tools {
			tool.Written()
		}
	}
}

// endText finishes what the model call that ended wrote.
func (t *turn) endText() {
	if t.answer != nil {
		t.answer.Finish()
		t.answer, t.wrote = nil, 0
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
		t.details = true
		t.reasoning = chat.NewReasoning(t.env, t.now())
		t.call = append(t.call, t.reasoning)
		t.say(t.reasoning)
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
		t.said = t.answer
		t.call = append(t.call, t.answer)
		t.say(t.answer)
	}
	t.wrote += len(text)
	t.answer.Append(text)
}

// textDone shows the whole text of a model call if it is not what arrived: a model that
// repeats itself without end is cut short.
func (t *turn) textDone(text string) {
	if t.answer == nil {
		return
	}
	if len(text) < t.wrote {
		t.answer.Withdraw()
		t.answer.Append(text)
	}
	t.answer.Finish() // what is said after it, by the program, stands for itself
	t.answer, t.wrote = nil, 0
}

// tool finds the item of a tool call, or adds one.
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
			t.say(tool)
		}
	}
	return tool
}

func (t *turn) toolFinished(e event.ToolFinished) {
	speaks := event.TraitsOf(e.Name).Speaks
	t.details = t.details || !speaks
	tool := t.tool(e.ID, e.Name)
	if e.IsError && t.stopping { // it is the stop that ended it
		tool.Stop()
		return
	}
	tool.Finish(e.Summary, e.IsError, e.Duration)
	tool.Gave(e.Result)
	tool.Replaced(e.Diff)
	if e.IsError && speaks {
		t.say(tool)
	}
}

// retrying takes back what the failed attempt wrote and shows the wait.
func (t *turn) retrying(e event.Retry) {
	for _, it := range t.call {
		it.Withdraw()
		maps.DeleteFunc(t.tools, func(_ string, tool *chat.Tool) bool { return it == withdrawer(tool) })
	}
	t.call, t.answer, t.reasoning, t.wrote = nil, nil, nil, 0
	t.retryAt = t.now().Add(e.Delay)
}

// nested shows what a sub-agent does, within the line of the call that started it.
func (t *turn) nested(e event.Nested) {
	tool := t.tool(e.CallID, "delegate")
	t.details = true
	switch e := e.Event.(type) {
	case event.ToolStarted:
		tool.StepStarted(e.ID, e.Name, e.Target, t.now())
	case event.ToolFinished:
		tool.StepFinished(e.ID, e.Summary, e.IsError, e.Duration)
	case event.Retry:
		if e.Delay <= 0 {
			tool.Nest("switching to another model")
			return
		}
		tool.Nest(fmt.Sprintf("%s, trying again in %s", retryReason(e), e.Delay.Round(time.Second)))
	case event.StateChanged:
		switch e.State {
		case event.StateThinking:
			tool.Nest("thinking")
		case event.StateCompleted:
			tool.Nest("reporting")
		}
	}
}

// end finishes what the turn left open: tool calls that did not run, and its task list, which
// stays in the transcript.
func (t *turn) end(tool func(*chat.Tool)) {
	t.endText()
	for _, it := range t.tools {
		tool(it)
	}
	if len(t.tasks) > 0 {
		t.say(chat.NewTasks(t.env, t.tasks))
		t.tasks = nil
	}
}
