package status

import (
	"testing"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/internal/session"
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
		event.StateRetrying:             "Too many requests · trying again in 3s (attempt 2)",
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
				got := Texts(Standing{
					Turn: session.Turn{Running: true, State: state, Calls: make([]session.ToolCall, 1), Retry: &event.Retry{Attempt: 2}}, Stopping: stopping, Queued: queued, Elapsed: 12300 * time.Millisecond,
					Doing: "reading Projects/Alpha.md", RetryIn: 2100 * time.Millisecond, Reason: "Too many requests",
				})[0]
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

func TestStatusTextBesideTheStates(t *testing.T) {
	const long = 12 * time.Second
	tests := []struct {
		name string
		s    Standing
		want string
	}{
		{"nothing", Standing{}, ""},
		{"leaving", Standing{Turn: session.Turn{Running: true}, Leaving: true, Stopping: true}, "Saving your message, then quitting…"},
		{"sent", Standing{Starting: true}, "Sending…"},
		{"sent, a question waits", Standing{Starting: true, Question: true}, "Sending…"},
		{"a question waits", Standing{Question: true}, "Waiting for your answer"},
		{"with options", Standing{Question: true, Options: true}, "Pick with ↑ ↓ or a number, or type an answer"},
		{"writing", Standing{Turn: session.Turn{Running: true, State: event.StateThinking, Writing: true}, Elapsed: long}, "Writing… 12s"},
		{"reading the prompt", Standing{Turn: session.Turn{Running: true, State: event.StateThinking, Reading: event.PromptRead{Reading: llm.Reading{Read: 1240, Total: 2900}}}, Elapsed: long}, "Reading 1,240 of 2,900 tokens… 12s"},
		{"that, as far as is known", Standing{Turn: session.Turn{Running: true, State: event.StateThinking, Reading: event.PromptRead{Reading: llm.Reading{Read: 1240, Total: 2900, Estimated: true}}}, Elapsed: long}, "Reading about 1,240 of 2,900 tokens… 12s"},
		{"writing, before it was told to be read", Standing{Turn: session.Turn{Running: true, State: event.StateThinking, Writing: true, Reading: event.PromptRead{Reading: llm.Reading{Total: 2900}}}}, "Writing…"},
		{"no time yet", Standing{Turn: session.Turn{Running: true, State: event.StateThinking}, Elapsed: 900 * time.Millisecond}, "Thinking…"},
		{"several tools", Standing{Turn: session.Turn{Running: true, State: event.StateActing, Calls: make([]session.ToolCall, 3)}, Elapsed: long}, "Running 3 tools… 12s"},
		{"between tools", Standing{Turn: session.Turn{Running: true, State: event.StateActing}, Elapsed: long}, "Working… 12s"},
		{"trying now", Standing{Turn: session.Turn{Running: true, State: event.StateRetrying, Retry: &event.Retry{Attempt: 3}}, Reason: "Network error"}, "Network error · trying again… (attempt 3)"},
		{"another provider", Standing{Turn: session.Turn{Running: true, State: event.StateRetrying, Retry: &event.Retry{Attempt: 1}}, Reason: "Network error"}, "Network error · switching to another model…"},
		{"summarising in a turn", Standing{Turn: session.Turn{Running: true, State: event.StateThinking}, Compacting: true, Elapsed: long}, "Summarising earlier messages… 12s"},
		{"summarising", Standing{Compacting: true, Elapsed: long}, "Summarising earlier messages… 12s"},
		{"done", Standing{End: End{event.StateCompleted, 72 * time.Second}}, "Done in 1m 12s"},
		{"done at once", Standing{End: End{event.StateCompleted, 900 * time.Millisecond}}, ""},
		{"failed", Standing{End: End{event.StateError, long}}, "Failed after 12s"},
		{"stopped", Standing{End: End{event.StateThinking, long}}, ""},
		{"done, and asked", Standing{Question: true, End: End{event.StateCompleted, long}}, "Waiting for your answer"},
	}
	for _, tt := range tests {
		if got := Texts(tt.s)[0]; got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
