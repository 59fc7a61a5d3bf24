package agent

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"chatvault/agent/event"
	"chatvault/agent/inbox"
	"chatvault/tools"
)

// asking is box with ask_user and task_list.
func asking(list ...fakeTool) func(tools.Messenger) Toolbox {
	return func(m tools.Messenger) Toolbox {
		b := fakeBox{}
		for _, t := range list {
			b.list = append(b.list, t)
		}
		b.list = append(b.list, fakeTool{name: askUser, call: func(ctx context.Context, args json.RawMessage) tools.Result {
			var a struct {
				Question string
				Options  []string
			}
			asker, ok := m.(tools.Asker)
			if err := json.Unmarshal(args, &a); err != nil || !ok || asker.AskUser(ctx, a.Question, a.Options) != nil {
				return tools.Result{Text: "Error: not asked", IsError: true}
			}
			return tools.Result{Text: "asked"}
		}}, fakeTool{name: taskList, call: func(ctx context.Context, args json.RawMessage) tools.Result {
			var a struct{ Items []tools.TaskItem }
			lister, ok := m.(tools.TaskLister)
			if err := json.Unmarshal(args, &a); err != nil || !ok || lister.SetTasks(ctx, a.Items) != nil {
				return tools.Result{Text: "Error: not shown", IsError: true}
			}
			return tools.Result{Text: "shown"}
		}})
		return b
	}
}

// TestAskUser: a question with options ends the turn, waiting for a decision; what comes after
// it in the response is not run, and the record has the options.
func TestAskUser(t *testing.T) {
	root := state(t)
	h := start(t, root, asking(tool("write_file", false, "written")),
		use(askUser, `{"question":"Which?","options":["this","that"]}`, "write_file", `{}`, askUser, `{"question":"And?","options":["a","b"]}`))
	h.send("go")
	f := wait[event.TurnFinished](h)
	if !f.IsWaitingForResponse || f.StopReason != event.StopWaiting || f.Response != "Which?" {
		t.Errorf("%+v", f)
	}
	if got := strings.Join(kinds(h.seen), " "); !strings.Contains(got, "StateChanged:waiting_decision TurnFinished") || strings.Count(got, "AgentMessage") != 1 {
		t.Errorf("events %v", got)
	}
	turn := h.turns()[0]
	if turn.Question != "Which?" || !slices.Equal(turn.Options, []string{"this", "that"}) {
		t.Errorf("recorded %+v", turn)
	}
	for _, m := range turn.Messages {
		if m.ToolName == "write_file" && !strings.Contains(m.Content, "you asked the user a question first") {
			t.Errorf("%+v", m)
		}
	}
}

// TestToolsThatOnlyReport keeps the order of the calls and marks no message as one whose tools ran.
func TestToolsThatOnlyReport(t *testing.T) {
	root := state(t)
	list := func(done string) string { return `{"items":[{"text":"Read","done":` + done + `}]}` }
	h := start(t, root, asking(tool("read_file", true, "1: text")),
		use(taskList, list("false"), "read_file", `{}`, "read_file", `{}`, taskList, list("true")), hang)
	m := h.send("go")
	h.until(func(e event.Event) bool { _, ok := e.(event.TextDelta); return ok })
	if e, err := inbox.Open(root).Load(m.ID); err != nil || e.ToolsRan {
		t.Errorf("%+v, %v", e, err)
	}
	h.Stop()
	wait[event.TurnStopped](h)
	var order []string
	for _, e := range h.seen {
		switch e := e.(type) {
		case event.TaskList:
			order = append(order, map[bool]string{true: "done", false: "open"}[e.Items[0].Done])
		case event.ToolFinished:
			order = append(order, e.Name)
		}
	}
	if want := []string{"open", taskList, "read_file", "read_file", "done", taskList}; !slices.Equal(order, want) {
		t.Errorf("%v, want %v", order, want)
	}
}
