package tui

import (
	"testing"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/internal/app/session"
)

// Covers every state, stopping or not, with and without queued messages.
func TestStatusText(t *testing.T) {
	states := map[event.State]string{
		event.StateIdle:                 "Starting… 12s",
		event.StateThinking:             "Thinking… 12s",
		event.StateActing:               "Reading Projects/Alpha.md… 12s",
		event.StateObserving:            "Reading the results… 12s",
		event.StateWaitingClarification: "Waiting for your answer 12s",
		event.StateWaitingDecision:      "Waiting for your decision 12s",
		event.StateRetrying:             "Trying again in 3s · Too many requests (attempt 2)",
		event.StateCompleted:            "Finishing… 12s",
		event.StateError:                "Failing… 12s",
	}
	for state, says := range states {
		for _, stopping := range []bool{false, true} {
			for queued := range 3 {
				want := says
				switch {
				case stopping && queued == 0:
					want = "Stopping…"
				case stopping && queued == 1:
					want = "Stopping… then running the queued message (↑ takes one back)"
				case stopping:
					want = "Stopping… then running 2 queued messages (↑ takes one back)"
				}
				got := statusText(standing{
					State: session.State{Turn: session.Turn{Running: true, State: state, Calls: make([]session.ToolCall, 1), Retry: &event.Retry{Attempt: 2}}}, stopping: stopping, queued: queued, elapsed: 12300 * time.Millisecond,
					doing: "reading Projects/Alpha.md", retryIn: 2100 * time.Millisecond, reason: "Too many requests",
				})
				if got != want {
					t.Errorf("%s, stopping %v, %d queued: %q, want %q", state, stopping, queued, got, want)
				}
			}
		}
	}
	if len(states) != 9 {
		t.Errorf("%d states", len(states))
	}
}

func TestStatusTextOutsideTurnStates(t *testing.T) {
	const long = 12 * time.Second
	tests := []struct {
		name string
		s    standing
		want string
	}{
		{"nothing", standing{}, ""},
		{"sent", standing{starting: true}, "Sending…"},
		{"sent, a question waits", standing{starting: true, question: true}, "Sending…"},
		{"a question waits", standing{question: true}, "Waiting for your answer"},
		{"with options", standing{question: true, options: true}, "↑ ↓ or a number, or type an answer"},
		{"writing", standing{State: session.State{Turn: session.Turn{Running: true, State: event.StateThinking, Writing: true}}, elapsed: long}, "Writing… 12s"},
		{"reading the prompt", standing{State: session.State{Turn: session.Turn{Running: true, State: event.StateThinking, Reading: event.PromptRead{Reading: llm.Reading{Read: 1240, Total: 2900}}}}, elapsed: long}, "Reading 1,240 of 2,900 tokens… 12s"},
		{"writing, before it was told to be read", standing{State: session.State{Turn: session.Turn{Running: true, State: event.StateThinking, Writing: true, Reading: event.PromptRead{Reading: llm.Reading{Total: 2900}}}}}, "Writing…"},
		{"no time yet", standing{State: session.State{Turn: session.Turn{Running: true, State: event.StateThinking}}, elapsed: 900 * time.Millisecond}, "Thinking…"},
		{"several tools", standing{State: session.State{Turn: session.Turn{Running: true, State: event.StateActing, Calls: make([]session.ToolCall, 3)}}, elapsed: long}, "Running 3 tools… 12s"},
		{"between tools", standing{State: session.State{Turn: session.Turn{Running: true, State: event.StateActing}}, elapsed: long}, "Working… 12s"},
		{"trying now", standing{State: session.State{Turn: session.Turn{Running: true, State: event.StateRetrying, Retry: &event.Retry{Attempt: 3}}}, reason: "Network error"}, "Trying again… · Network error (attempt 3)"},
		{"another provider", standing{State: session.State{Turn: session.Turn{Running: true, State: event.StateRetrying, Retry: &event.Retry{Attempt: 1}}}, reason: "Network error"}, "Switching to another model… · Network error"},
		{"summarising in a turn", standing{State: session.State{Turn: session.Turn{Running: true, State: event.StateThinking}, Compacting: true}, elapsed: long}, "Summarising earlier messages… 12s"},
		{"summarising", standing{State: session.State{Compacting: true}, elapsed: long}, "Summarising earlier messages… 12s"},
		{"done", standing{ended: "Done in 1m12s"}, "Done in 1m12s"},
		{"done, and asked", standing{question: true, ended: "Done in 12s"}, "Waiting for your answer"},
	}
	for _, tt := range tests {
		if got := statusText(tt.s); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
