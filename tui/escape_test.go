package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/tui/loop"
)

func TestEscape(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   escState
		want escAction
	}{
		{"idle", escState{}, escNothing},
		{"a turn", escState{running: true}, escStop},
		{"a turn that is being stopped", escState{running: true, stopping: true}, escNothing},
		{"a stop before the turn began", escState{stopping: true}, escNothing},
		{"a dialog", escState{dialog: true, takesKeys: true}, escCloseDialog},
		{"a dialog over a turn", escState{dialog: true, takesKeys: true, running: true}, escCloseDialog},
		{"a dialog over a turn that is being stopped", escState{dialog: true, takesKeys: true, running: true, stopping: true}, escCloseDialog},
		{"a dialog that appeared a moment ago", escState{dialog: true}, escCloseDialog},
		{"a dialog that appeared a moment ago over a turn", escState{dialog: true, running: true}, escStop},
		{"a dialog that appeared a moment ago over a turn that is being stopped", escState{dialog: true, running: true, stopping: true}, escNothing},
		{"what the turn asks", escState{dialog: true, asks: true, takesKeys: true, running: true}, escStop},
		{"what the turn asks, a moment ago", escState{dialog: true, asks: true, running: true}, escStop},
		{"what the turn asks, above a text", escState{dialog: true, asks: true, takesKeys: true, running: true, completing: true, finding: true}, escStop},
		{"what the turn asks as it is being stopped", escState{dialog: true, asks: true, takesKeys: true, running: true, stopping: true}, escNothing},
		{"a question", escState{question: true}, escLeaveQuestion},
		{"a question while a turn runs", escState{question: true, running: true}, escStop},
		{"a question while an earlier message is edited", escState{question: true, editing: true}, escLeaveEdit},
		{"an earlier message", escState{editing: true}, escLeaveEdit},
		{"an earlier message below a dialog", escState{editing: true, dialog: true, takesKeys: true}, escCloseDialog},
		{"an earlier message while a turn runs", escState{editing: true, running: true}, escStop},
		{"something selected", escState{selecting: true}, escLeaveSelection},
		{"words looked for", escState{finding: true, running: true}, escCloseFind},
		{"words looked for, something selected", escState{finding: true, selecting: true}, escCloseFind},
		{"a question while words are looked for", escState{finding: true, dialog: true, takesKeys: true}, escCloseDialog},
		{"a name offered while a turn runs", escState{completing: true, running: true}, escCloseCompletion},
		{"a name offered while an earlier message is edited", escState{completing: true, editing: true}, escCloseCompletion},
		{"a name offered below a dialog", escState{completing: true, dialog: true, takesKeys: true}, escCloseDialog},
		{"something selected while a turn runs", escState{selecting: true, running: true}, escLeaveSelection},
		{"something selected while a turn is being stopped", escState{selecting: true, running: true, stopping: true}, escLeaveSelection},
		{"something selected while an earlier message is edited", escState{selecting: true, editing: true}, escLeaveSelection},
		{"something selected below a dialog", escState{selecting: true, dialog: true, takesKeys: true}, escCloseDialog},
		{"something selected below a dialog that appeared a moment ago over a turn", escState{selecting: true, dialog: true, running: true}, escStop},
	} {
		if got := escape(tt.in); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// In any state, Esc stops a turn with an open request, closes other dialogs that accept keys, clears a selection,
// stops running work, and leaves work that is already being stopped alone.
func TestEscapeStopsWhatRuns(t *testing.T) {
	for in := range 1 << 9 {
		on := func(bit int) bool { return in>>bit&1 == 1 }
		s := escState{dialog: on(0), takesKeys: on(0) && on(1), running: on(2), stopping: on(3), editing: on(4), selecting: on(5), finding: on(6), completing: on(7), asks: on(0) && on(2) && on(8), question: on(7)}
		got := escape(s)
		switch {
		case s.asks:
			if want := map[bool]escAction{false: escStop, true: escNothing}[s.stopping]; got != want {
				t.Errorf("%+v: %v", s, got)
			}
		case s.takesKeys:
			if got != escCloseDialog {
				t.Errorf("%+v: %v", s, got)
			}
		case s.finding && !s.dialog:
			if got != escCloseFind {
				t.Errorf("%+v: %v", s, got)
			}
		case s.completing && !s.dialog:
			if got != escCloseCompletion {
				t.Errorf("%+v: %v", s, got)
			}
		case s.selecting && !s.dialog:
			if got != escLeaveSelection {
				t.Errorf("%+v: %v", s, got)
			}
		case s.running && !s.stopping:
			if got != escStop {
				t.Errorf("%+v: %v", s, got)
			}
		case s.running || s.stopping:
			if got != escNothing && got != escCloseDialog {
				t.Errorf("%+v: %v", s, got)
			}
		}
	}
}

// Esc in every state: the calls to the processor and the immediate display.
func TestEscInEveryState(t *testing.T) {
	states := []struct {
		name  string
		reach func(s *screen)
		stops int
	}{
		{"idle", func(*screen) {}, 0},
		{"sent and not begun", func(s *screen) { s.typeText("hello"); s.key("enter") }, 1},
		{"before the first byte", func(s *screen) { s.ask("hello") }, 1},
		{"reasoning", func(s *screen) { s.ask("hello"); s.deliver(event.ReasoningDelta{Text: "hm"}) }, 1},
		{"mid-stream", func(s *screen) { s.ask("hello"); s.deliver(event.TextDelta{Text: "Partial answer"}) }, 1},
		{"a tool call being written", func(s *screen) {
			s.ask("hello")
			s.deliver(event.ToolCallDelta{ID: "t", Name: "write_file", Bytes: 100})
		}, 1},
		{"in a tool", func(s *screen) {
			s.ask("hello")
			s.deliver(event.StateChanged{State: event.StateActing}, event.ToolStarted{ID: "t", Name: "write_file", Target: "a.md"})
		}, 1},
		{"retry wait", func(s *screen) {
			s.ask("hello")
			s.deliver(event.Retry{Attempt: 2, Delay: 4 * time.Second, Code: llm.KindRateLimit})
		}, 1},
		{"waiting for an answer", func(s *screen) {
			s.ask("hello")
			s.deliver(event.AgentMessage{Content: "Which?", IsQuestion: true}, event.TurnFinished{})
		}, 0},
		{"options wait", func(s *screen) {
			s.ask("hello")
			s.deliver(event.AgentMessage{Content: "Which?", IsQuestion: true, Options: []string{"this", "that"}}, event.TurnFinished{})
		}, 0},
		{"the goal is being checked", func(s *screen) {
			s.ask("hello")
			s.deliver(event.TurnFinished{}, event.GoalChanged{Goal: event.Goal{Text: "hello", Status: event.GoalChecking, MaxTurns: 10}})
		}, 1},
		{"earlier messages are being summarised", func(s *screen) { s.deliver(event.CompactStarted{}) }, 1},
		{"an approval that appeared a moment ago", func(s *screen) {
			s.ask("hello")
			s.deliver(event.Requested{Request: deletion("r1")})
		}, 1},
		{"a key prompt that appeared a moment ago", func(s *screen) {
			s.ask("hello")
			s.deliver(event.Requested{Request: event.Request{ID: "r1", Kind: event.RequestSecret, Name: "OPENAI_API_KEY"}})
		}, 1},
		{"an earlier message is edited", func(s *screen) { s.command("/edit"); s.key("enter") }, 0},
		{"an earlier message is edited while a turn runs", func(s *screen) {
			s.command("/edit")
			s.key("enter")
			s.deliver(event.Received{Message: event.Inbound{ID: "x", Text: "routed", Source: event.SourceWebSocket}}, event.TurnStarted{MessageIDs: []string{"x"}})
		}, 1},
		{"after an error", func(s *screen) {
			s.ask("hello")
			s.deliver(event.TurnFailed{MessageIDs: []string{"m1"}, Code: llm.KindAuth, Text: "API key is missing or invalid"})
		}, 0},
	}
	for _, tt := range states {
		t.Run(tt.name, func(t *testing.T) {
			s := newScreen(t, newWay().options)
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
			s := newScreen(t, newWay().options)
			tt.reach(s)
			s.key("f1")
			s.wants("While you write")
			s.key("esc")
			s.lacks("While you write")
			if got := s.f.stopped(); got != 0 {
				t.Errorf("closing the help stopped the turn")
			}
		})
	}
}

// In nested views Esc goes back one level and stops nothing.
func TestEscGoesBackByOne(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		keys []string
		see  []string // before the first Esc, after it, …
	}{
		"a conversation":    {[]string{"/conversations", "enter", "enter"}, []string{"said in c3", "  Conversations", "Enter sends"}},
		"its name":          {[]string{"/conversations", "enter", "enter", "down", "down", "enter"}, []string{"Rename this", "said in c3", "  Conversations"}},
		"its end":           {[]string{"/conversations", "enter", "enter", "up", "enter"}, []string{"Delete this", "said in c3", "  Conversations"}},
		"a branch":          {[]string{"/branches", "enter", "down", "enter"}, []string{"It was left", "Branches of this", "Enter sends"}},
		"a message to edit": {[]string{"/edit", "enter"}, []string{"Edit an earlier", "Enter sends"}},
		"an edited message": {[]string{"/edit", "enter", "enter"}, []string{"Editing", "Enter sends"}},
	} {
		for _, running := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, running %v", name, running), func(t *testing.T) {
				t.Parallel()
				s := newScreen(t, twoWays().options, newPast().options)
				if running && !strings.HasPrefix(tt.keys[0], "/edit") { // requires that nothing runs
					s.ask("hello")
				}
				s.key(tt.keys...)
				s.later()
				for i, want := range tt.see {
					if want == "Enter sends" && running && s.m.busy() {
						want = "Esc stops"
					}
					s.wants(want)
					if i < len(tt.see)-1 {
						s.key("esc")
						s.now = s.now.Add(quitWindow + 1)
						s.send(hintOverMsg{s.m.hintID})
					}
				}
				if s.f.stopped() != 0 {
					t.Error("it stopped something")
				}
			})
		}
	}
}

func TestEscBeforeTheTurnBeginsStopsItAsItBegins(t *testing.T) {
	s := newScreen(t)
	s.typeText("hello")
	s.key("enter", "esc")
	s.deliver(event.Received{Message: s.f.sent[0]}, event.TurnStarted{MessageIDs: []string{"m1"}})
	if got := s.f.stopped(); got != 2 {
		t.Errorf("%d stops, want one at once and one as the turn began", got)
	}
	s.wants("Stopping…")
	s.deliver(event.TurnStopped{MessageIDs: []string{"m1"}})
	s.wants("Stopped")
	s.lacks("Stopping…")
}

func TestStoppedTurn(t *testing.T) {
	s := newScreen(t)
	s.ask("make a note")
	s.deliver(
		event.StateChanged{State: event.StateActing},
		event.ToolStarted{ID: "t", Name: "write_file", Target: "a.md"},
		event.ToolFinished{ID: "t", Name: "write_file", Summary: "created"},
		event.StateChanged{State: event.StateThinking},
		event.TextDelta{Text: "I have made the no"},
	)
	s.key("esc")
	s.deliver(event.TurnStopped{MessageIDs: []string{"m1"}, Changed: []string{`Created file "a.md" (10 bytes).`}})
	if n := strings.Count(strings.ToLower(s.text()), "stopped"); n != 1 {
		t.Errorf("the stop is said %d times", n)
	}
	s.wants("I have made the no", "■ Stopped · ↑ brings", `Created file "a.md"`)
	s.key("up")
	if got := s.m.composer.Value(); got != "make a note" {
		t.Errorf("↑ brings back %q", got)
	}
}

// A key that quits does so on a double press.
func TestQuitsWhenPressedTwice(t *testing.T) {
	t.Parallel()
	for after, want := range map[time.Duration]bool{time.Second: true, quitWindow: true, quitWindow + time.Millisecond: false} {
		s := newScreen(t)
		if s.key("ctrl+c"); s.quit {
			t.Fatal("quit at once")
		}
		s.now = s.now.Add(after)
		if s.key("ctrl+c"); s.quit != want {
			t.Errorf("after %v: %v", after, s.quit)
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

// Only Esc stops a turn: quitting in any way keeps its message in the inbox.
func TestLeavingStopsNothing(t *testing.T) {
	for name, leave := range map[string]func(*screen){
		"Ctrl+C twice": func(s *screen) { s.key("ctrl+c"); s.wants("again to quit", "its message is kept"); s.key("ctrl+c") },
		"Ctrl+D twice": func(s *screen) { s.key("ctrl+d"); s.wants("again to quit", "its message is kept"); s.key("ctrl+d") },
		"/quit":        func(s *screen) { s.typeText("/quit"); s.key("enter") },
		"a signal":     func(s *screen) { s.send(loop.Do(s.m.quit)) },
	} {
		s := newScreen(t)
		s.ask("hello")
		leave(s)
		if !s.quit || s.f.stopped() != 0 {
			t.Errorf("%s: left %v, stopped %d turns", name, s.quit, s.f.stopped())
		}
	}
}

func TestOneCtrlDDoesNotLeaveATurn(t *testing.T) {
	s := newScreen(t)
	s.ask("hello")
	s.key("ctrl+d")
	s.now = s.now.Add(quitWindow + time.Second)
	s.key("ctrl+d")
	s.key("ctrl+c") // another key
	if s.quit {
		t.Error("left although no key came twice in a row")
	}
}

func TestQuittingKeepsMessagesBeingSaved(t *testing.T) {
	for name, end := range map[string]func(*screen){
		"Ctrl+C twice": func(s *screen) { s.key("ctrl+c", "ctrl+c") },
		"a signal":     func(s *screen) { s.send(loop.Do(s.m.quit)) },
	} {
		var draft string
		s := newScreen(t, func(o *Options) { draftsOf(o).save = func(text string) { draft = text } })
		s.typeText("/plan precious")
		s.m.Update(keyOf("enter")) // never finishes
		end(s)
		if !s.quit || draft != "/plan precious" {
			t.Errorf("%s: left %v, draft %q", name, s.quit, draft)
		}
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

// TestStopIsReportedWhileScrolledUp: after scrolling up, the status line reports the stop.
func TestStopIsReportedWhileScrolledUp(t *testing.T) {
	s := newScreen(t)
	s.ask("tell me all")
	s.deliver(event.TextDelta{Text: strings.Repeat("One more paragraph of the answer.\n\n", 60)})
	s.key("pgup")
	s.key("esc")
	s.wants("Stopping…")
	s.deliver(event.TurnStopped{MessageIDs: []string{"m1"}})
	s.wants("Stopped · ↑ brings the message back", "End")
}
