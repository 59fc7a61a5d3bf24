package ask

import (
	"strings"
	"testing"

	"chatvault/agent/event"
	"chatvault/internal/app/consent"
	"chatvault/internal/app/session"
	"chatvault/tools"
)

// TestPlainPrinterFailures checks that a failure is printed without the advice for the model.
func TestPlainPrinterFailures(t *testing.T) {
	failed := func(summary, result string) event.Event {
		return event.ToolFinished{ID: "c", Name: "write_file", Result: result, IsError: true, Summary: summary}
	}
	denied := failed("denied", "Error: Not allowed: there is no way to ask for it here. Nothing was changed. Do not try to do the same another way; continue without it.")
	events := []event.Event{
		failed("not found", "Error: File not found: \"a.md\". Did you mean b.md?\nmore"), denied,
		failed("not run", "Error: Not run: nothing is changed while you plan. Put it into the plan."),
		event.Nested{CallID: "h", Event: denied},
	}
	const failedLine, planned = "Tool failed: write_file: Error: File not found: \"a.md\". Did you mean b.md?\n", "Tool failed: write_file: Error: Not run: nothing is changed while you plan.\n"
	for attended, want := range map[bool]string{
		false: failedLine + planned,
		true:  failedLine + "Denied: nothing was changed.\n" + planned + "Helper: failed: Denied: nothing was changed.\n",
	} {
		var out, err strings.Builder
		p := &plainPrinter{out: &out, err: &err, render: func() Rendering { return &asIs{} }}
		if attended {
			p.consent = &consent.Asker{}
		}
		for _, e := range events {
			if e := p.event(&session.State{Turn: session.Turn{Calls: []session.ToolCall{{ID: "c", Name: "write_file"}}}}, e); e != nil {
				t.Fatal(e)
			}
		}
		if err.String() != want {
			t.Errorf("attended %v:\n%s\nwant\n%s", attended, err.String(), want)
		}
	}
}

func TestAnswerHint(t *testing.T) {
	for _, tt := range []struct {
		options []string
		want    string
	}{
		{nil, `ask -c "…"`}, {[]string{"yes"}, "ask -c 1"}, {[]string{"a", "b", "c"}, "ask -c 1"},
	} {
		if got := answerHint(tt.options); !strings.HasSuffix(got, tt.want) {
			t.Errorf("%q: %q", tt.options, got)
		}
	}
}

func TestPlainPrinterProgress(t *testing.T) {
	var state session.State
	var out, err strings.Builder
	p := &plainPrinter{out: &out, err: &err, render: func() Rendering { return &asIs{} }}
	for _, e := range []event.Event{
		event.TaskList{Items: []tools.TaskItem{{Text: "look"}, {Text: "write"}}},
		event.TextDelta{Text: "Looking"},
		event.ToolStarted{ID: "c1", Name: "delegate", Target: "Look in a.md"},
		event.ToolStarted{ID: "c2", Name: "delegate", Target: "Look in b.md"},
		event.Nested{CallID: "c2", Event: event.ToolStarted{ID: "s1", Name: "read_file", Target: "b.md"}},
		event.Nested{CallID: "c1", Event: event.ToolStarted{ID: "s1", Name: "read_file", Target: "a.md"}},
		event.Nested{CallID: "c1", Event: event.ToolFinished{ID: "s1", Name: "read_file", Result: "Error: no\nmore", IsError: true}},
		event.Nested{CallID: "c1", Event: event.TaskList{Items: []tools.TaskItem{{Text: "its own"}}}},
		event.TaskList{Items: []tools.TaskItem{{Text: "look", Done: true}, {Text: "write"}}},
		event.Compacted{Summary: "s", Before: 12345, After: 678},
		event.AgentMessage{Content: "Which?", IsQuestion: true, Options: []string{"Monday", "Fri\nday"}},
	} {
		if e := p.event(&state, e); e != nil {
			t.Fatal(e)
		}
		state.Apply(e)
	}
	const want = `To do: look
To do: write
Tool: delegate Look in a.md
Tool: delegate Look in b.md
Helper (Look in b.md): read_file b.md
Helper (Look in a.md): read_file a.md
Helper (Look in a.md): failed: Error: no
Done: look
Note: Older messages were summarised for the model: about 678 tokens instead of 12,345.
Question: Which?
  1. Monday
  2. Fri day
`
	if err.String() != want || out.String() != "Looking\n" {
		t.Errorf("stdout %q, stderr:\n%s", out.String(), err.String())
	}
}
