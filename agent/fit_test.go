package agent

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"chatvault/agent/event"
	"chatvault/agent/history"
	"chatvault/agent/llm"
	"chatvault/agent/window"
	"chatvault/conversation"
	"chatvault/internal/llmtest/historytest"
	"chatvault/tools"
)

// under is a run in the middle of a turn whose history is messages: what follows the last
// question but one in it was recorded by the turn itself.
func under(messages []llm.Message, most int, model llm.Provider, box func(tools.Messenger) Toolbox) *run {
	at := slices.IndexFunc(messages, func(m llm.Message) bool { return m.Content == "Now this." })
	task := Task{System: messages[0].Content, Request: messages[at : at+1], Tools: box, Emit: func(event.Event) {}}
	for _, m := range messages[1:at] {
		if m.Role == llm.RoleUser {
			task.Past = append(task.Past, history.Past{Turn: fmt.Sprint(len(task.Past))})
		}
		last := &task.Past[len(task.Past)-1]
		last.Messages = append(last.Messages, m)
	}
	r := newRun(Agent{Provider: model, Window: most, MaxRounds: 10, Log: slog.New(slog.DiscardHandler)}, task)
	for _, m := range messages[at+1:] {
		c := conversation.Message{Role: conversation.Role(m.Role), Content: m.Content, ToolCallID: m.ToolCallID, ToolName: m.ToolName, IsError: m.IsError}
		for _, call := range m.ToolCalls {
			c.ToolCalls = append(c.ToolCalls, conversation.ToolCall{ID: call.ID, Name: call.Name, Arguments: call.Arguments})
		}
		r.out.Messages = append(r.out.Messages, c)
	}
	return r
}

// TestRequestsAreAlwaysValid: whatever the history and the window, and however often it is made
// to fit, what is sent is valid and no longer than before, the newest messages of the user are
// whole, what is on record is untouched, and a summary is asked for only where it helps.
func TestRequestsAreAlwaysValid(t *testing.T) {
	box := box(fakeTool{name: "read_file", readOnly: true}, fakeTool{name: "search_files", readOnly: true}, fakeTool{name: "edit_file"})
	rapid.Check(t, func(rt *rapid.T) {
		messages := historytest.Histories.Draw(rt, "history")
		most := rapid.SampledFrom([]int{1024, 2000, 5000, 20_000, 100_000}).Draw(rt, "window")
		model := &fakeModel{t: t, replies: []reply{say("In short.")}}
		r := under(messages, most, model, box)
		if got := r.view.messages(); !slices.EqualFunc(got, messages, historytest.EqualMessages) {
			rt.Fatalf("before anything was done: %d messages of %d", len(got), len(messages))
		}
		before, record := r.view.total(), fmt.Sprint(r.out.Messages)
		calls := 0
		for range 3 {
			var err error
			if rapid.Bool().Draw(rt, "refused") {
				r.view.refused, r.view.sent = false, r.view.total()
				err = r.view.makeRoom(context.Background(), &llm.Error{Kind: llm.KindInvalidRequest, Reason: llm.ReasonContextLength})
			} else {
				err = r.view.fit(context.Background())
			}
			e := llm.AsError(err)
			if err != nil && (e.Reason != llm.ReasonContextLength || e.Message == "") {
				rt.Fatal(err)
			}
			sent, n := r.view.messages(), r.view.total()
			if f := historytest.Faults(sent); len(f) > 0 || n > before {
				rt.Fatalf("%v; %d tokens, before %d", f, n, before)
			}
			if said := asUser(sent); !strings.HasSuffix(said, asUser(messages[slices.IndexFunc(messages, func(m llm.Message) bool { return m.Content == "Now this." }):])) {
				rt.Fatalf("the user's newest messages are %q", said)
			}
			if made := len(model.calls()) - calls; made > 2 || made > 0 && r.view.sent == 0 && before <= window.RoomIn(most).Compact {
				rt.Fatalf("%d summaries of %d tokens in a window of %d", made, before, most)
			}
			before, calls = n, len(model.calls())
		}
		if fmt.Sprint(r.out.Messages) != record {
			rt.Fatal("what is on record was changed")
		}
	})
}

// asUser is all that the user says in messages.
func asUser(messages []llm.Message) string {
	var b strings.Builder
	for _, m := range messages {
		if m.Role == llm.RoleUser {
			b.WriteString(m.Content + "\n")
		}
	}
	return b.String()
}
