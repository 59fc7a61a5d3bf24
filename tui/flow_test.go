package tui

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/internal/app/session"
	"chatvault/internal/app/session/provider"
	"chatvault/tui/loop"

	"chatvault/tui/keys"
)

func TestFirstScreen(t *testing.T) {
	s := newScreen(t, func(o *Options) {
		o.Offline = true
		o.Load = func(context.Context) (session.Loaded, error) {
			return session.Loaded{Examples: []string{"What do I know about nectarines?"}}, nil
		}
	})
	s.wants("Garden notes", "offline engine", "Ask about your notes", "not a language model", "What do I know about nectarines?")
	s.key("tab")
	if got := s.m.composer.Value(); got != "What do I know about nectarines?" {
		t.Errorf("Tab puts in %q", got)
	}
	s.key("enter")
	s.lacks("not a language model")
	s.wants("▌ What do I know about nectarines?")
}

func TestATurn(t *testing.T) {
	s := newScreen(t)
	s.ask("what about nectarines")
	s.wants("Thinking…", "Esc stops")
	s.deliver(
		event.StateChanged{State: event.StateActing},
		event.ToolStarted{ID: "1", Name: "search_files", Target: "nectarine"},
	)
	s.wants("⠋ searching for nectarine", "Searching for nectarine…")
	s.deliver(
		event.ToolFinished{ID: "1", Name: "search_files", Summary: "3 notes", Duration: 2 * time.Second},
		event.ToolStarted{ID: "2", Name: "send_message"},
		event.AgentMessage{Content: "I found three notes."},
		event.ToolFinished{ID: "2", Name: "send_message", Summary: "sent"},
		event.StateChanged{State: event.StateThinking},
		event.TextDelta{Text: "They are **ri"}, event.TextDelta{Text: "pe**."},
	)
	s.wants("✓ searched for nectarine · 3 notes · 2s", "◆ I found three notes.", "They are ripe.")
	s.lacks("send_message", "sent a message", "sending a message")
	turn := event.Totals{Calls: 2, Prompt: 3200, Completion: 41, Cost: 0.031, Priced: true}
	s.deliver(event.UsageReported{Turn: turn, Conversation: turn}, event.TurnFinished{})
	s.wants("3.2k tokens · $0.03", "Enter sends")
	s.lacks("Thinking…")
}

func TestAFailedQuietToolIsShown(t *testing.T) {
	s := newScreen(t)
	s.ask("x")
	s.deliver(event.ToolStarted{ID: "2", Name: "send_message"}, event.ToolFinished{ID: "2", Name: "send_message", Summary: "no message", IsError: true})
	s.wants("✗ sending a message · no message")
}

func TestAnAnswerWithoutDeltasIsShown(t *testing.T) {
	s := newScreen(t)
	s.ask("x")
	s.deliver(event.TurnFinished{Result: event.Result{Success: true, Response: "All at once."}})
	s.wants("All at once.")
}

func TestRetryRemovesTheFailedAttempt(t *testing.T) {
	s := newScreen(t)
	s.ask("x")
	s.deliver(event.TextDelta{Text: "First call."}, event.StateChanged{State: event.StateThinking})
	s.deliver(event.ReasoningDelta{Text: "hm"}, event.TextDelta{Text: "Failed attempt"}, event.ToolCallDelta{ID: "t", Name: "write_file", Bytes: 9})
	s.wants("Failed attempt", "⠋ writing")
	s.deliver(event.Retry{Attempt: 2, Delay: 3 * time.Second, Code: llm.KindNetwork}, event.StateChanged{State: event.StateRetrying})
	s.lacks("Failed attempt", "⠋ writing", "Thought for")
	s.wants("First call.", "Trying again in 3s · Network error (attempt 2)")
	s.now = s.now.Add(2 * time.Second)
	s.send(tickMsg{})
	s.wants("Trying again in 1s")
	s.deliver(event.StateChanged{State: event.StateThinking}, event.TextDelta{Text: "Second attempt"})
	s.wants("Second attempt", "Writing…")
}

func TestOpenQuestionIsHighlighted(t *testing.T) {
	s := newScreen(t)
	s.ask("x")
	s.deliver(event.AgentMessage{Content: "Which one?", IsQuestion: true}, event.TurnFinished{Result: event.Result{IsWaitingForResponse: true, StopReason: event.StopWaiting}})
	s.wants("The agent asks", "Which one?", "Waiting for your answer")
	s.typeText("the second")
	s.key("enter")
	s.deliver(event.Received{Message: s.f.sent[1]}, event.TurnStarted{MessageIDs: []string{"m2"}})
	s.lacks("The agent asks")
	s.wants("? Which one?", "▌ the second")
}

func TestEventsMayArriveBeforeSubmitReturns(t *testing.T) {
	s := newScreen(t)
	s.typeText("hello")
	// The command is delayed so that the events come first.
	_, cmd := s.m.Update(keyOf("enter"))
	in := event.Inbound{ID: "m1", Text: "hello", Source: event.SourceDirect}
	s.deliver(event.Received{Message: in}, event.TurnStarted{MessageIDs: []string{"m1"}}, event.TextDelta{Text: "Hi"}, event.TurnFinished{})
	s.run(cmd)
	if n := strings.Count(s.text(), "▌ hello"); n != 1 {
		t.Errorf("the message is shown %d times:\n%s", n, s.text())
	}
	if s.m.busy() {
		t.Error("busy although the turn is over")
	}
}

func TestARoutedMessageShowsWhereItCameFrom(t *testing.T) {
	s := newScreen(t)
	in := event.Inbound{ID: "w1", Text: "from afar", Source: event.SourceWebSocket}
	s.deliver(event.Received{Message: in}, event.TurnStarted{MessageIDs: []string{"w1"}})
	s.wants("routed", "from afar")
}

func TestAMessageThatCannotBeSavedIsNotLost(t *testing.T) {
	s := newScreen(t)
	s.f.refuse = errors.New("no space left on device")
	s.typeText("precious words")
	s.key("enter")
	s.wants("Not sent: no space left on device", "Your text is back below")
	if got := s.m.composer.Value(); got != "precious words" {
		t.Errorf("the composer holds %q", got)
	}
	if s.m.busy() {
		t.Error("busy although nothing was sent")
	}
}

func TestHistoryIsShown(t *testing.T) {
	s := newScreen(t, func(o *Options) {
		o.Load = func(context.Context) (session.Loaded, error) {
			return session.Loaded{Page: session.Page{Items: []session.HistoryItem{
				{Role: session.HistoryUser, Content: "earlier question"},
				{Role: session.HistoryTool, Content: "read_file", Target: "a.md", Summary: "12 lines"},
				{Role: session.HistoryAssistant, Content: "earlier **answer**"},
				{Role: session.HistoryQuestion, Content: "Which one?", Waits: true},
			}}, Draft: "a draft"}, nil
		}
	})
	s.wants("▌ earlier question", "✓ read a · 12 lines", "earlier answer", "The agent asks", "› a draft", "Waiting for your answer")
}

func TestLoadErrorIsShown(t *testing.T) {
	s := newScreen(t, func(o *Options) {
		o.Load = func(context.Context) (session.Loaded, error) {
			return session.Loaded{}, errors.New("permission denied")
		}
	})
	s.wants("permission denied", "chatvault doctor", "Ask about your notes")
}

func TestALateProviderIsShown(t *testing.T) {
	s := newScreen(t)
	s.send(loop.Do(func() tea.Cmd { return s.m.providerFound(provider.ModelUsed{Name: "ollama/qwen3"}) }))
	s.wants("ollama/qwen3")
	s.lacks("offline engine")
}

func TestScrollingStopsFollowing(t *testing.T) {
	s := newScreen(t)
	s.ask("x")
	s.deliver(event.TextDelta{Text: strings.Repeat("line\n\n", 60)})
	s.key("pgup")
	before := s.text()
	s.deliver(event.TextDelta{Text: strings.Repeat("more\n\n", 30)}, event.TurnFinished{}, event.Notice{Text: "something"})
	s.wants("↓ more below · End")
	trim := func(x string) string {
		above, _, _ := strings.Cut(x, "─")
		return above
	}
	if trim(s.text()) != trim(before) {
		t.Errorf("the view moved:\n%s\nwas:\n%s", s.text(), before)
	}
	s.key("end")
	s.lacks("↓")
	s.wants("something")
}

func TestPasteNeverSends(t *testing.T) {
	s := newScreen(t)
	s.send(keys.Paste("one\ntwo\n"))
	if len(s.f.sent) != 0 || s.m.composer.Value() != "one\ntwo\n" {
		t.Errorf("sent %d, composer %q", len(s.f.sent), s.m.composer.Value())
	}
}

func TestTooLongPasteIsReported(t *testing.T) {
	s := newScreen(t)
	s.typeText("kept")
	s.send(keys.Paste(strings.Repeat("x", 9<<20)))
	s.wants("Too long to paste")
	if got := s.m.composer.Value(); got != "kept" {
		t.Errorf("the composer holds %d bytes", len(got))
	}
}

// The agent explains why a turn ended early; the screen does not repeat it.
func TestLimitsAreExplainedOnce(t *testing.T) {
	for _, r := range []event.StopReason{event.StopToolLimit, event.StopLoop, event.StopNoProgress, event.StopBudget} {
		s := newScreen(t)
		s.ask("x")
		s.deliver(event.Notice{Text: "Stopped. Say “continue” to go on."}, event.TurnFinished{Result: event.Result{StopReason: r}})
		s.wants("Say “continue”")
		s.lacks("go on”", "limit", "circles", "budget", "progress")
	}
}

// Text that the program adds after the model's is a separate message, below anything in between.
func TestFinalAccountIsItsOwnAnswer(t *testing.T) {
	s := newScreen(t)
	s.ask("x")
	s.deliver(event.TextDelta{Text: "Step three."}, event.TextDone{Text: "Step three."},
		event.StateChanged{State: event.StateActing}, event.ToolStarted{ID: "1", Name: "read_file", Target: "Home.md"},
		event.ToolFinished{ID: "1", Name: "read_file", Summary: "3 lines"},
		event.StateChanged{State: event.StateObserving},
		event.TextDelta{Text: "I stopped because"}, event.TextDone{Text: "I stopped because"}, event.TurnFinished{})
	text := s.text()
	three, tool, account := strings.Index(text, "Step three."), strings.Index(text, "read Home"), strings.Index(text, "I stopped")
	if three < 0 || tool < three || account < tool {
		t.Errorf("in the wrong order:\n%s", text)
	}
}

func TestDraftIsSaved(t *testing.T) {
	var saved string
	s := newScreen(t, func(o *Options) { draftsOf(o).save = func(text string) { saved = text } })
	s.typeText("not finished")
	s.send(loop.Do(s.m.saveDraft))
	if saved != "not finished" {
		t.Errorf("saved %q", saved)
	}
	s.typeText(" yet")
	s.key("ctrl+c") // clears
	s.key("ctrl+c")
	if !s.quit || saved != "" {
		t.Errorf("quit %v, draft %q after the text was cleared", s.quit, saved)
	}
}

func TestWindowTitle(t *testing.T) {
	s := newScreen(t, func(o *Options) { o.VaultName = "evil\x1b]0;x\x07" })
	if got := s.m.windowTitle(); strings.ContainsAny(got, "\x1b\x07") {
		t.Errorf("title %q", got)
	}
	s.ask("x")
	if got := s.m.windowTitle(); !strings.HasPrefix(got, "… ") {
		t.Errorf("title while a turn runs: %q", got)
	}
}

// A killed process loses only the text typed within draftPause, and a slow save does not overwrite a newer text.
func TestDraftIsSavedSoonAndInOrder(t *testing.T) {
	if draftPause > 300*time.Millisecond {
		t.Errorf("the draft is saved only after %v", draftPause)
	}
	var saved []string
	s := newScreen(t, func(o *Options) { draftsOf(o).save = func(text string) { saved = append(saved, text) } })
	s.typeText("old")
	_, slow := s.m.Update(loop.Do(s.m.saveDraft)) // runs late
	s.typeText(" and new")
	s.send(loop.Do(s.m.saveDraft))
	s.run(slow)
	if len(saved) == 0 || saved[len(saved)-1] != "old and new" {
		t.Errorf("saved %q", saved)
	}
}
