package offline_test

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"

	"chatvault/agent/llm"
	"chatvault/agent/llm/offline"
	"chatvault/agent/llm/offline/retrieval"
	"chatvault/internal/llmtest"
)

// empty is a vault without notes.
type empty struct{ retrieval.Corpus }

func (empty) Notes(context.Context) iter.Seq2[retrieval.Note, error] {
	return func(func(retrieval.Note, error) bool) {}
}

func (empty) Mark(context.Context) any { return nil }

func ask(text string) llm.Request {
	return llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: text}}}
}

func TestAnAnswerIsOneResponse(t *testing.T) {
	e := offline.New(retrieval.NewIndex(empty{}))
	if e.Name() != "offline engine" {
		t.Error(e.Name())
	}
	var r llm.Response
	for c, err := range e.Stream(context.Background(), ask("help")) {
		if err != nil {
			t.Fatal(err)
		}
		llmtest.Add(&r, c)
	}
	if r.Finish != llm.FinishStop || !r.HasUsage || !strings.Contains(r.Text, "offline engine") {
		t.Errorf("finish %q, usage %v: %s", r.Finish, r.HasUsage, r.Text)
	}
}

func TestARequestThatWasStoppedIsNotAnswered(t *testing.T) {
	e := offline.New(retrieval.NewIndex(empty{}))
	ctx, cancel := context.WithCancelCause(context.Background())
	cause := errors.New("the user pressed Esc")
	cancel(cause)
	n := 0
	for c, err := range e.Stream(ctx, ask("help")) {
		n++
		if c.Text != "" || err == nil || llm.AsError(err).Kind != llm.KindAborted || !errors.Is(err, cause) {
			t.Errorf("a request with an ended context gave %q, %v", c.Text, err)
		}
	}
	if n != 1 {
		t.Errorf("a request with an ended context gave %d chunks, not one", n)
	}
}

// broken is a vault with a note whose beginning cannot be read without a fault of the program's.
type broken struct{ empty }

func (broken) Notes(context.Context) iter.Seq2[retrieval.Note, error] {
	return func(yield func(retrieval.Note, error) bool) {
		yield(retrieval.Note{Path: "Zebra.md", Size: 10, Modified: testNow}, nil)
	}
}

func (broken) Read(context.Context, string) ([]byte, error) {
	return []byte("# Zebra\n\nIt has stripes.\n"), nil
}

func (broken) Head(context.Context, string, int) ([]byte, error) { panic("on purpose") }

// A script is stopped by a panic of its own; any other is a fault, and is not kept quiet.
func TestAFaultIsNoStop(t *testing.T) {
	e := offline.New(retrieval.NewIndex(broken{}))
	defer func() {
		if recover() == nil {
			t.Error("a fault was taken for the end of a script")
		}
	}()
	for _, err := range e.Stream(context.Background(), ask("what do I know about zebra stripes?")) {
		if err != nil {
			t.Error(err)
		}
	}
}

func TestLeavingTheStreamEarlyIsFine(t *testing.T) {
	e := offline.New(retrieval.NewIndex(empty{}))
	for _, err := range e.Stream(context.Background(), ask("help")) {
		if err != nil {
			t.Error(err)
		}
		break
	}
}

func TestOnlyToolsOfTheRequestAreCalled(t *testing.T) {
	c := newChat(t, kitchen())
	for _, text := range []string{"show Home", "delete Home", "open tasks", "show Lena", "what was that dessert with stone fruit?", "list notes in Recipes"} {
		var r llm.Response
		for chunk, err := range c.engine.Stream(context.Background(), ask(text)) {
			if err != nil {
				t.Fatal(err)
			}
			llmtest.Add(&r, chunk)
		}
		if len(r.ToolCalls) > 0 || r.Text == "" {
			t.Errorf("%q without tools: %d calls, text %q", text, len(r.ToolCalls), r.Text)
		}
	}
}

func TestTheSameHistoryGivesTheSameResponse(t *testing.T) {
	c := newChat(t, kitchen())
	c.say("create a note called Packing, then add socks to it and move it to Travel")
	c.say("show Lena")
	for n := 1; n <= len(c.messages); n++ {
		req := llm.Request{Messages: c.messages[:n], Tools: []llm.ToolSpec{{Name: "read_file"}, {Name: "send_message"}}}
		a, b := c.stream(req), c.stream(req)
		if a.Text != b.Text || len(a.ToolCalls) != len(b.ToolCalls) {
			t.Errorf("after %d messages: %q and %q", n, a.Text, b.Text)
		}
	}
}

func TestAHistoryOfAModelIsFollowedSafely(t *testing.T) {
	c := newChat(t, kitchen())
	c.messages = append(c.messages,
		llm.Message{Role: llm.RoleUser, Content: "tidy up"},
		llm.Message{Role: llm.RoleAssistant, ToolCalls: []llm.ToolCall{{ID: "call_1", Name: "send_message", Arguments: `{"message":"Delete all?","is_question":true}`}}},
		llm.Message{Role: llm.RoleTool, ToolCallID: "call_1", ToolName: "send_message", Content: "Question sent."},
		llm.Message{Role: llm.RoleAssistant, Content: "Delete all?"},
	)
	if got := c.say("yes"); len(c.calls) > 0 {
		t.Errorf("called %v: %s", c.calls, got)
	}
	// A model that failed in the middle of a turn: what it had changed is not repeated.
	req := llm.Request{Messages: []llm.Message{
		{Role: llm.RoleUser, Content: "delete Home"},
		{Role: llm.RoleAssistant, ToolCalls: []llm.ToolCall{{ID: "call_1", Name: "delete_file", Arguments: `{"path":"Home.md"}`}}},
		{Role: llm.RoleTool, ToolCallID: "call_1", ToolName: "delete_file", Content: "Deleted 'Home.md' to trash."},
	}, Tools: []llm.ToolSpec{{Name: "delete_file"}}}
	if r := c.stream(req); len(r.ToolCalls) > 0 {
		t.Errorf("deleted again: %+v", r.ToolCalls)
	}
}

func TestARepeatedAttemptDoesNotRepeatItsChanges(t *testing.T) {
	c := newChat(t, kitchen())
	req := llm.Request{
		Messages: []llm.Message{{
			Role: llm.RoleUser, Content: `add "x" to Home`,
			Context: "An earlier attempt at this request ended early. It had already done this: edited Home.md. Do not repeat it.",
		}},
		Tools: []llm.ToolSpec{{Name: "read_file"}, {Name: "edit_file"}},
	}
	if r := c.stream(req); len(r.ToolCalls) > 0 || !strings.Contains(r.Text, "already") {
		t.Errorf("calls %v, text %q", r.ToolCalls, r.Text)
	}
}
