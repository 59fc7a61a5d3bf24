package tui

import (
	"testing"
	"time"

	"chatvault/agent"
	"chatvault/agent/llm"
)

func TestEscape(t *testing.T) {
	tests := []struct {
		dialog, running, stopping bool
		want                      escAction
	}{
		{false, false, false, escNothing},
		{false, true, false, escStop},
		{false, true, true, escNothing},
		{true, false, false, escCloseDialog},
		{true, true, false, escCloseDialog},
		{true, true, true, escCloseDialog},
		{false, false, true, escNothing},
		{true, false, true, escCloseDialog},
	}
	for _, tt := range tests {
		if got := escape(tt.dialog, tt.running, tt.stopping); got != tt.want {
			t.Errorf("escape(%v, %v, %v) = %v, want %v", tt.dialog, tt.running, tt.stopping, got, tt.want)
		}
	}
}

// Esc in every state: what the processor is asked, what the screen says at once.
func TestEscInEveryState(t *testing.T) {
	states := []struct {
		name  string
		reach func(s *screen)
		stops int
	}{
		{"idle", func(*screen) {}, 0},
		{"sent and not begun", func(s *screen) { s.typeText("hello"); s.key("enter") }, 1},
		{"before the first byte", func(s *screen) { s.ask("hello") }, 1},
		{"reasoning", func(s *screen) { s.ask("hello"); s.deliver(agent.ReasoningDelta{Text: "hm"}) }, 1},
		{"mid-stream", func(s *screen) { s.ask("hello"); s.deliver(agent.TextDelta{Text: "Partial answer"}) }, 1},
		{"a tool call being written", func(s *screen) {
			s.ask("hello")
			s.deliver(agent.ToolCallDelta{ID: "t", Name: "write_file", Bytes: 100})
		}, 1},
		{"in a tool", func(s *screen) {
			s.ask("hello")
			s.deliver(agent.StateChanged{State: agent.StateActing}, agent.ToolStarted{ID: "t", Name: "write_file", Target: "a.md"})
		}, 1},
		{"retry wait", func(s *screen) {
			s.ask("hello")
			s.deliver(agent.Retry{Attempt: 2, Delay: 4 * time.Second, Code: llm.KindRateLimit})
		}, 1},
		{"waiting for an answer", func(s *screen) {
			s.ask("hello")
			s.deliver(agent.AgentMessage{Content: "Which?", IsQuestion: true}, agent.TurnFinished{})
		}, 0},
		{"after an error", func(s *screen) {
			s.ask("hello")
			s.deliver(agent.TurnFailed{MessageIDs: []string{"m1"}, Code: llm.KindAuth, Text: "API key is missing or invalid"})
		}, 0},
	}
	for _, tt := range states {
		t.Run(tt.name, func(t *testing.T) {
			s := newScreen(t)
			tt.reach(s)
			s.key("esc")
			if got := s.f.stopped(); got != tt.stops {
				t.Fatalf("%d stops asked, want %d", got, tt.stops)
			}
			if tt.stops == 0 {
				s.lacks("Stopping…")
				return
			}
			s.wants("Stopping…")
			s.key("esc")
			if got := s.f.stopped(); got != tt.stops {
				t.Errorf("a second Esc asks again: %d", got)
			}
		})
		t.Run(tt.name+", help open", func(t *testing.T) {
			s := newScreen(t)
			tt.reach(s)
			s.key("f1")
			s.wants("Scrolling")
			s.key("esc")
			s.lacks("Scrolling")
			if got := s.f.stopped(); got != 0 {
				t.Errorf("closing the help stopped the turn")
			}
		})
	}
}

func TestEscBeforeTheTurnBeginsStopsItAsItBegins(t *testing.T) {
	s := newScreen(t)
	s.typeText("hello")
	s.key("enter", "esc")
	s.deliver(agent.Received{Message: s.f.sent[0]}, agent.TurnStarted{MessageIDs: []string{"m1"}})
	if got := s.f.stopped(); got != 2 {
		t.Errorf("%d stops, want one at once and one as the turn began", got)
	}
	s.wants("Stopping…")
	s.deliver(agent.TurnStopped{MessageIDs: []string{"m1"}})
	s.wants("Stopped")
	s.lacks("Stopping…")
}

func TestStoppedTurn(t *testing.T) {
	s := newScreen(t)
	s.ask("make a note")
	s.deliver(
		agent.StateChanged{State: agent.StateActing},
		agent.ToolStarted{ID: "t", Name: "write_file", Target: "a.md"},
		agent.ToolFinished{ID: "t", Name: "write_file", Summary: "created"},
		agent.StateChanged{State: agent.StateThinking},
		agent.TextDelta{Text: "I have made the no"},
	)
	s.key("esc")
	s.deliver(agent.TurnStopped{MessageIDs: []string{"m1"}, Changed: []string{`Created file "a.md" (10 bytes).`}})
	s.wants("I have made the no", "stopped here", "Stopped", `Created file "a.md"`)
	s.key("up")
	if got := s.m.composer.Value(); got != "make a note" {
		t.Errorf("↑ brings back %q", got)
	}
}

func TestCtrlC(t *testing.T) {
	tests := []struct {
		name    string
		since   time.Duration
		leaving bool
		want    ctrlCAction
	}{
		{"first", -1, false, ctrlCClear},
		{"again soon", time.Second, false, ctrlCQuit},
		{"again at the end of the window", quitWindow, false, ctrlCQuit},
		{"again late", quitWindow + time.Millisecond, false, ctrlCClear},
		{"while leaving", time.Hour, true, ctrlCForce},
	}
	for _, tt := range tests {
		if got := ctrlC(tt.since, tt.leaving); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestCtrlCClearsAndKeeps(t *testing.T) {
	s := newScreen(t)
	s.typeText("half a thought")
	s.key("ctrl+c")
	s.wants("Press Ctrl+C again to quit", "Ask about your notes")
	if s.quit {
		t.Fatal("one Ctrl+C quits")
	}
	s.key("up")
	if got := s.m.composer.Value(); got != "half a thought" {
		t.Errorf("↑ brings back %q", got)
	}
	s.key("ctrl+c")
	if s.quit {
		t.Error("quits although a key came between")
	}
	s.key("ctrl+c")
	if !s.quit {
		t.Error("two Ctrl+C in a row do not quit")
	}
}

func TestLateCtrlCDoesNotQuit(t *testing.T) {
	s := newScreen(t)
	s.key("ctrl+c")
	s.now = s.now.Add(quitWindow + time.Second)
	s.key("ctrl+c")
	if s.quit {
		t.Error("quits although the second came late")
	}
}

func TestLeavingStopsTheTurnFirst(t *testing.T) {
	s := newScreen(t)
	s.ask("hello")
	s.key("ctrl+c", "ctrl+c")
	if s.quit || s.f.stopped() != 1 {
		t.Fatalf("quit %v, %d stops; want the turn stopped first", s.quit, s.f.stopped())
	}
	s.wants("Stopping the turn, then leaving…")
	s.deliver(agent.TurnStopped{MessageIDs: []string{"m1"}})
	if !s.quit {
		t.Error("does not leave after the turn stopped")
	}
}

func TestLeavingDoesNotWaitForever(t *testing.T) {
	s := newScreen(t)
	s.ask("hello")
	s.key("ctrl+c", "ctrl+c", "ctrl+c")
	if !s.quit {
		t.Error("a third Ctrl+C does not leave at once")
	}
	s = newScreen(t)
	s.ask("hello")
	s.key("ctrl+c", "ctrl+c")
	s.send(quitNowMsg{})
	if !s.quit {
		t.Error("does not leave when the wait is over")
	}
}

func TestCtrlDQuitsOnlyWhenNothingIsWritten(t *testing.T) {
	s := newScreen(t)
	s.typeText("x")
	s.key("ctrl+d")
	if s.quit {
		t.Fatal("quits although something is written")
	}
	s.key("ctrl+u", "ctrl+d")
	if !s.quit {
		t.Error("does not quit")
	}
}
