package acp

import (
	"encoding/json"
	"strings"
	"testing"

	protocol "github.com/coder/acp-go-sdk"

	"chatvault/agent/event"
	"chatvault/conversation/artifact"
	"chatvault/internal/app/session"
	"chatvault/tools"
)

// TestUpdates checks the updates for each event.
func TestUpdates(t *testing.T) {
	meta := event.Meta{TurnID: "t"}
	var updates []protocol.SessionUpdate
	r := renderer{dir: "/vault", send: func(u protocol.SessionUpdate) { updates = append(updates, u) }}
	brought := func(hash string, state artifact.State) event.ArtifactChanged {
		e := event.ArtifactChanged{Meta: meta, Artifact: artifact.Artifact{Hash: hash, Name: "a b.png", MediaType: "image/png"}, State: state}
		if state == artifact.Ready {
			e.File = "/state/a b.png"
		}
		return e
	}
	var state session.State
	for _, c := range []struct {
		name string
		e    event.Event
		want string // part of the JSON; empty if there is no update
	}{
		{"begins", event.TurnStarted{Meta: meta, MessageIDs: []string{"t"}}, ""},
		{"thinks", event.StateChanged{Meta: meta, State: event.StateThinking}, ""},
		{"thought", event.ReasoningDelta{Meta: meta, Text: "hm"}, `"sessionUpdate":"agent_thought_chunk"`},
		{"text", event.TextDelta{Meta: meta, Text: "I look"}, `"text":"I look"`},
		{"more text", event.TextDelta{Meta: meta, Text: "."}, `"text":"."`},
		{"fails", event.Retry{Meta: meta, Attempt: 2, Message: "slow down"}, `Ignore the answer so far.`},
		{"again", event.TextDelta{Meta: meta, Text: "I look."}, `"text":"\n\nI look."`},
		{"speaks", event.AgentMessage{Meta: meta, Content: "One\nmoment"}, `"text":"\n\n\u003e One\n\u003e moment"`},
		{"a call of another format", event.ToolStarted{Meta: meta, ID: "c0", Name: "weather", Arguments: json.RawMessage(`{"path":"../x"}`)}, `"kind":"other"`},
		{"outside", event.ToolFinished{Meta: meta, ID: "c0", Name: "weather", Result: "```"}, "````\\n```\\n````"},
		{"delegates", event.ToolStarted{Meta: meta, ID: "c1", Name: "delegate", Arguments: json.RawMessage(`{}`), Target: "find them"}, `"kind":"think"`},
		{"a step", event.Nested{Meta: meta, CallID: "c1", Event: event.ToolStarted{Name: "read_file", Target: "a.md"}}, `"text":"Reading a.md"`},
		{"another", event.Nested{Meta: meta, CallID: "c1", Event: event.ToolStarted{Name: "read_file", Target: "b.md"}}, `"text":"Reading b.md"`},
		{"only speaks", event.ToolStarted{Meta: meta, ID: "c2", Name: "send_message", Arguments: json.RawMessage(`{}`)}, ""},
		{"moves", event.ToolStarted{Meta: meta, ID: "c3", Name: "move_file", Arguments: json.RawMessage(`{"source":"a.md","destination":"b.md"}`), Target: "a.md"}, `"locations":[{"path":"/vault/a.md"}]`},
		{"denied", event.ToolFinished{Meta: meta, ID: "c3", Name: "move_file", IsError: true, Summary: "denied", Result: "Error: The user denied"}, `"status":"failed"`},
		{"is done", event.ToolFinished{Meta: meta, ID: "c1", Name: "delegate", Result: "found"}, `"status":"completed"`},
		{"reads", event.ToolStarted{Meta: meta, ID: "c5", Name: "read_file", Arguments: json.RawMessage(`{"path":"b.md"}`), Target: "b.md"}, `"sessionUpdate":"tool_call","status":"in_progress"`},
		{"steps", event.TaskList{Meta: meta, Items: []tools.TaskItem{{Text: "a"}, {Text: "b"}}}, `"status":"in_progress"},{"content":"b","priority":"medium","status":"pending"}`},
		{"usage", event.UsageReported{Meta: meta, Context: 10, Window: 100, Conversation: event.Totals{Cost: 0.5, Priced: true}}, `"cost":{"amount":0.5,"currency":"USD"},"sessionUpdate":"usage_update","size":100,"used":10`},
		{"usage of something else", event.UsageReported{Meta: meta}, ""},
		{"brings", brought("h1", artifact.Created), ""},
		{"a picture", brought("h1", artifact.Ready), `"name":"a b.png","type":"resource_link","uri":"file:///state/a%20b.png"`},
		{"not kept", brought("h4", artifact.Failed), `The artifact a b.png was not kept`},
		{"notice", event.Notice{Meta: meta, Text: "mind"}, `\u003e mind`},
		{"goal", event.GoalChanged{Goal: event.Goal{Text: "g", Status: event.GoalActive, MaxTurns: 3}}, `\u003e `},
		{"usage without counts", event.UsageReported{Meta: meta, Window: 100}, ""},
		{"stopped", event.TurnStopped{Meta: meta, Changed: []string{"created a.md"}}, `[{"sessionUpdate":"tool_call_update","status":"failed","toolCallId":"t/c5"},{"content"`},
		{"stopped without changes", event.TurnStopped{Meta: meta}, ""},
		{"unspoken answer", event.TurnFinished{Meta: meta, Result: event.Result{Response: "late"}}, `late`},
	} {
		updates = nil
		r.event(&state, c.e)
		state.Apply(c.e)
		out, err := json.Marshal(updates)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		for _, u := range updates {
			if err := u.Validate(); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		}
		if (c.want == "") != (len(updates) == 0) || !strings.Contains(string(out), c.want) {
			t.Errorf("%s: %s\nwant %s", c.name, out, c.want)
		}
	}
}

// TestReplayed checks that a change is replayed as a diff, and a file that was read as text.
func TestReplayed(t *testing.T) {
	var updates []protocol.SessionUpdate
	r := renderer{dir: "/vault", send: func(u protocol.SessionUpdate) { updates = append(updates, u) }}
	r.history([]session.HistoryItem{
		{Role: session.HistoryTool, Content: "edit_file", Target: "a.md", Arguments: json.RawMessage(`{"path":"a.md"}`), Detail: "Replaced 1 occurrence in \"a.md\".\n\n--- a.md\n+++ a.md\n@@ -1 +1 @@\n-old\n+new"},
		{Role: session.HistoryTool, Content: "read_file", Target: "a.md", Arguments: json.RawMessage(`{"path":"a.md"}`), Detail: "1: new"},
		{Role: session.HistoryTool, Content: "list_tags", Arguments: json.RawMessage(""), Detail: "none"}, // its call is not on record
		{Role: session.HistoryGoal, Content: "Keep working."}, // by the program, not the user
	})
	out, err := json.Marshal(updates)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(out), "user_message_chunk") {
		t.Errorf("%s", out)
	}
	for _, want := range []string{"Keep working.", `"content":[{"newText":"new\n","oldText":"old\n","path":"/vault/a.md","type":"diff"}]`, "1: new"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %s in %s", want, out)
		}
	}
}

// TestStopReasons checks the stop reason of each outcome of a turn, and the error of a failed one.
func TestStopReasons(t *testing.T) {
	finished := func(r event.StopReason) event.Event { return event.TurnFinished{Result: event.Result{StopReason: r}} }
	for _, c := range []struct {
		last event.Event
		want protocol.StopReason
	}{
		{nil, "end_turn"},
		{finished(event.StopCompleted), "end_turn"},
		{finished(event.StopWaiting), "end_turn"},
		{finished(event.StopLength), "max_tokens"},
		{finished(event.StopToolLimit), "max_turn_requests"},
		{finished(event.StopLoop), "max_turn_requests"},
		{finished(event.StopNoProgress), "max_turn_requests"},
		{finished(event.StopBudget), "max_turn_requests"},
		{event.TurnStopped{}, "cancelled"},
	} {
		if got, err := ended(c.last); got != c.want || err != nil {
			t.Errorf("%+v: %s, %v", c.last, got, err)
		}
	}
	if _, err := ended(event.TurnFailed{Text: "No key."}); err == nil || !strings.Contains(err.Error(), "No key.") {
		t.Errorf("a failure: %v", err)
	}
}

func TestPathsOutsideAreHidden(t *testing.T) {
	r := renderer{dir: "/vault"}
	content, at := r.diffs("--- ../a\n+++ ../a\n@@ -1 +1 @@\n-x\n+y\n")
	if len(content) > 0 || len(at) > 0 {
		t.Errorf("a file outside the vault is shown: %+v", content)
	}
}
