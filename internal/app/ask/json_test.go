package ask

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/internal/app/session"
	"chatvault/tools"
)

func TestJSONLines(t *testing.T) {
	at := event.Meta{TurnID: "t", Time: time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)}
	goal := event.Goal{Text: "tags", Status: event.GoalPaused, Why: "stopped", Turns: 2, MaxTurns: 10}
	_, published := schemaOf(t, "ask-event.json")
	for _, tt := range []struct {
		event event.Event
		want  string // without type and time
	}{
		{event.Answered{Meta: at, Value: []byte(`{"a":[1]}`)}, `"answer" "value":{"a":[1]}`},
		{event.Received{Meta: at, Message: event.Inbound{ID: "m1", Text: "hi"}}, `"received" "id":"m1","text":"hi","queued":false,"schema":1`},
		{event.AgentMessage{Meta: at, Content: "Which?", IsQuestion: true, Options: []string{"a", "b"}}, `"agent_message" "content":"Which?","is_question":true,"options":["a","b"]`},
		{event.AgentMessage{Meta: at, Content: "<hi>"}, `"agent_message" "content":"<hi>","is_question":false`},
		{event.Folded{Meta: at, MessageIDs: []string{"m1"}}, `"folded" "message_ids":["m1"]`},
		{event.TaskList{Meta: at, Items: []tools.TaskItem{{Text: "look", Done: true}}}, `"task_list" "items":[{"text":"look","done":true}]`},
		{event.TaskList{Meta: at}, `"task_list" "items":[]`},
		{event.Compacted{Meta: at, Summary: "s", Before: 9, After: 3}, `"compacted" "summary":"s","before":9,"after":3`},
		{event.GoalChanged{Meta: at, Goal: goal}, `"goal" "text":"tags","status":"paused","why":"stopped","turns":2,"max_turns":10`},
		{event.GoalChanged{Meta: at}, `"goal" "text":"","turns":0,"max_turns":0`},
		{event.Nested{Meta: at, CallID: "c1", Event: event.ToolStarted{Meta: at, ID: "s1", Name: "read_file", Arguments: []byte(`{"path":"a.md"}`)}}, `"tool_started" "parent":"c1","id":"s1","name":"read_file","arguments":{"path":"a.md"}`},
		{event.UsageReported{Meta: at, Usage: llm.Usage{PromptTokens: 5, CompletionTokens: 2, Cost: 0.5, HasCost: true}}, `"usage" "prompt_tokens":5,"completion_tokens":2,"cost":0.5`},
		{
			event.UsageReported{
				Meta: at, Usage: llm.Usage{PromptTokens: 5, CachedTokens: 1, CompletionTokens: 2, ReasoningTokens: 1, Estimated: true},
				Turn: event.Totals{Calls: 1, Prompt: 5, Completion: 2, Estimated: true},
				Day:  event.Totals{Calls: 9, Prompt: 50, Cached: 10, Completion: 20, Reasoning: 3, Cost: 0, Priced: true},
			},
			`"usage" "prompt_tokens":5,"cached_tokens":1,"completion_tokens":2,"reasoning_tokens":1,"estimated":true,` +
				`"turn":{"prompt_tokens":5,"completion_tokens":2,"estimated":true},` +
				`"day":{"prompt_tokens":50,"cached_tokens":10,"completion_tokens":20,"reasoning_tokens":3,"cost":0}`,
		},
		{event.FellBack{Meta: at, From: "a/x", To: "b/y", Code: llm.KindRateLimit, Reason: "slow down"}, `"fallback" "from":"a/x","to":"b/y","code":"rate_limit","reason":"slow down"`},
		{event.RetrospectionDelta{Meta: at, ConversationID: "c", ConversationTitle: "t", Text: "It went"}, `"retrospection_delta" "conversation_id":"c","text":"It went"`},
		{event.Retrospected{Meta: at, ConversationID: "c", Content: "It went well."}, `"retrospection" "conversation_id":"c","content":"It went well."`},
		{event.Retrospected{Meta: at, ConversationID: "c", Content: "It", Cut: "it was stopped"}, `"retrospection" "conversation_id":"c","content":"It","cut":"it was stopped"`},
		{event.Notice{Meta: at, Text: "for stderr"}, ""},
		{event.TurnStarted{Meta: at}, ""},
	} {
		var out, err strings.Builder
		if e := newJSONPrinter(&out, &err).event(&session.State{}, tt.event); e != nil {
			t.Fatal(e)
		}
		want := ""
		if kind, rest, ok := strings.Cut(tt.want, " "); ok {
			want = `{"type":` + kind + `,"time":"2026-11-21T10:00:00Z",` + rest + "}\n"
		}
		if out.String() != want {
			t.Errorf("%T:\n%s\nwant\n%s", tt.event, out.String(), want)
		}
		if want != "" && !json.Valid([]byte(out.String())) {
			t.Errorf("%T: not JSON", tt.event)
		}
		if want != "" {
			checkLine(t, published, out.String())
		}
		if n, ok := tt.event.(event.Notice); ok != (err.String() == n.Text+"\n") {
			t.Errorf("%T: stderr %q", tt.event, err.String())
		}
	}
}
