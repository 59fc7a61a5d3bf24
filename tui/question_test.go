package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"chatvault/agent/event"
	"chatvault/internal/app/session"

	"chatvault/tui/keys"
)

// offered runs a turn that ends with a question with options, and waits until Enter picks.
func offered(s *screen, options ...string) {
	s.t.Helper()
	s.ask("open the tart")
	s.deliver(event.AgentMessage{Content: "Which one?", IsQuestion: true, Options: options},
		event.TurnFinished{Result: event.Result{Success: true, IsWaitingForResponse: true, StopReason: event.StopWaiting}})
	s.later()
}

func TestOptions(t *testing.T) {
	t.Parallel()
	tart, jam, plum := "Nectarine tart", "Nectarine jam", "Plum tart"
	tests := []struct {
		name string
		keys []string
		want string
	}{
		{"enter sends the first", []string{"enter"}, tart},
		{"down", []string{"down", "enter"}, jam},
		{"down and up", []string{"down", "down", "up", "enter"}, jam},
		{"up goes round", []string{"up", "enter"}, plum},
		{"a number", []string{"3", "enter"}, plum},
		{"a number that is corrected", []string{"3", "ctrl+u", "2", "enter"}, jam},
		{"a number marks, and stays marked", []string{"2", "ctrl+u", "enter"}, jam},
		{"a number that is none of them", []string{"4", "enter"}, "4"},
		{"zero", []string{"0", "enter"}, "0"},
		{"other words", []string{"the one with plums", "enter"}, "the one with plums"},
		{"words that begin with a number", []string{"2 of them", "enter"}, "2 of them"},
		{"esc leaves it as it is", []string{"down", "esc", "enter"}, jam},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newScreen(t)
			offered(s, tart, jam, plum)
			s.wants("The agent asks", "› 1. Nectarine tart", "  2. Nectarine jam", "↑ ↓ or a number, or type an answer")
			s.key(tt.keys...)
			if last := s.f.sent[len(s.f.sent)-1]; len(s.f.sent) != 2 || last.Text != tt.want || last.Hold {
				t.Fatalf("sent %+v, want %q", last, tt.want)
			}
			s.wants("▌ " + tt.want)
			s.key("down", "enter", "enter") // pressed once too often
			if len(s.f.sent) != 2 {
				t.Errorf("sent %d messages", len(s.f.sent)-1)
			}
			s.deliver(event.Received{Message: s.f.sent[1]}, event.TurnStarted{MessageIDs: []string{"m2"}}, event.TurnFinished{})
			s.lacks("›  1.", "› 1.", "The agent asks", "or a number, or")
			s.wants("2. Nectarine jam")
		})
	}
}

func TestANumberMarksItsOption(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	offered(s, "a", "b", "c")
	s.typeText("3")
	s.wants("› 3. c", "  1. a")
	s.key("ctrl+u")
	s.send(keys.Paste("2"))
	s.wants("› 2. b")
}

// Enter pressed when the question appears does not answer it.
func TestOptionsIgnoreEnterAtFirst(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.ask("open the tart")
	s.deliver(event.AgentMessage{Content: "Which one?", IsQuestion: true, Options: []string{"a", "b"}}, event.TurnFinished{})
	s.key("enter")
	if len(s.f.sent) != 1 {
		t.Fatal("an option was sent")
	}
	s.later()
	s.key("enter")
	if len(s.f.sent) != 2 {
		t.Fatal("no option was sent")
	}
}

// The same applies to keys held down or typed ahead: options can be picked once the keyboard is idle.
func TestOptionsWaitUntilTheKeysAreQuiet(t *testing.T) {
	t.Parallel()
	for name, press := range map[string]func(*screen){
		"enter held down": func(s *screen) { s.key("enter") },
		"arrows":          func(s *screen) { s.key("down", "enter") },
		"text":            func(s *screen) { s.typeText("x"); s.key("ctrl+u", "enter") },
	} {
		s := newScreen(t)
		s.typeText("/plan tidy up")
		s.key("enter", "enter")
		s.deliver(event.Received{Message: s.f.sent[0]}, event.TurnStarted{MessageIDs: []string{"m1"}},
			event.AgentMessage{Content: "Carry out this plan?", IsQuestion: true, Options: []string{"Carry it out", "Leave it"}}, event.TurnFinished{})
		for range 30 {
			press(s)
			s.now = s.now.Add(80 * time.Millisecond)
		}
		if len(s.f.sent) != 1 {
			t.Fatalf("%s: sent %q", name, s.f.sent[1].Text)
		}
		s.wants("› 1. Carry it out")
		s.later()
		s.key("enter")
		if len(s.f.sent) != 2 || s.f.sent[1].Text != "Carry it out" {
			t.Errorf("%s: after a pause: sent %+v", name, s.f.sent)
		}
	}
}

// A message sent before the question appeared does not answer it: the question remains open and is shown again below
// that message's turn.
func TestEarlierMessageDoesNotAnswerAQuestion(t *testing.T) {
	t.Parallel()
	for name, held := range map[string]event.Inbound{
		"a message": {Text: "yes", Hold: true, Source: event.SourceDirect}, "a goal": {Text: "tidy up", Hold: true, Source: event.SourceDirect},
	} {
		for _, end := range []event.Event{event.TurnFinished{}, event.TurnStopped{MessageIDs: []string{"m2"}}, event.TurnFailed{MessageIDs: []string{"m2"}}} {
			s := newScreen(t)
			s.ask("/plan tidy up")
			s.queue(held.Text, "tab")
			s.deliver(event.AgentMessage{Meta: event.Meta{Time: time.Now().Add(time.Second)}, Content: "Carry out this plan?", IsQuestion: true, Options: []string{"Carry it out", "Leave it"}},
				event.TurnFinished{}, event.TurnStarted{MessageIDs: []string{"m2"}}, event.StateChanged{State: event.StateThinking}, event.TextDelta{Text: "Short done."})
			s.wants("▌ "+held.Text, "The agent asks", "› 1. Carry it out")
			s.deliver(end)
			s.wants("The agent asks", "› 1. Carry it out", "↑ ↓ or a number")
			if _, finished := end.(event.TurnFinished); finished {
				if text := s.text(); strings.Count(text, "The agent asks") != 1 || strings.Index(text, "The agent asks") < strings.Index(text, "Short done.") {
					t.Errorf("%s: where it cannot be seen:\n%s", name, text)
				}
			}
			s.later()
			s.key("down", "enter")
			if last := s.f.sent[len(s.f.sent)-1]; last.Text != "Leave it" || last.Hold {
				t.Fatalf("%s: sent %+v", name, last)
			}
			last := s.f.sent[len(s.f.sent)-1]
			last.Time = time.Now().Add(time.Minute)
			s.deliver(event.Received{Message: last}, event.TurnStarted{MessageIDs: []string{last.ID}}, event.TurnFinished{})
			s.lacks("The agent asks", "or a number, or")
		}
	}
}

// During a turn about something else, an option starts a turn of its own; other text that joins the turn is taken as
// the answer.
func TestAnsweringDuringATurnThatIsNoAnswer(t *testing.T) {
	t.Parallel()
	begin := func() *screen {
		s := newScreen(t)
		s.ask("/plan tidy up")
		s.queue("and count my notes", "tab")
		s.deliver(event.AgentMessage{Meta: event.Meta{Time: time.Now().Add(time.Second)}, Content: "Carry out this plan?", IsQuestion: true, Options: []string{"Carry it out", "Leave it"}},
			event.TurnFinished{}, event.TurnStarted{MessageIDs: []string{"m2"}}, event.StateChanged{State: event.StateThinking})
		s.later()
		return s
	}
	for name, keys := range map[string][]string{"picked": {"enter"}, "by its number": {"1", "enter"}} {
		s := begin()
		s.key(keys...)
		if last := s.f.sent[len(s.f.sent)-1]; last.Text != "Carry it out" || !last.Hold {
			t.Errorf("%s: sent %+v", name, last)
		}
		s.deliver(event.TurnFinished{})
		s.lacks("or a number, or")
		s.key("enter")
		if len(s.f.sent) != 3 {
			t.Errorf("%s: picked twice", name)
		}
	}
	s := begin()
	in := s.queue("better not", "enter")
	s.m.state.Pending[len(s.m.state.Pending)-1].Time = time.Now().Add(time.Minute)
	s.deliver(event.Folded{MessageIDs: []string{in.ID}}, event.TurnFinished{})
	s.lacks("The agent asks", "or a number, or")
}

// The arrows move between options while the composer is empty, otherwise in the text.
func TestOptionsAndTheHistory(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	offered(s, "a", "b")
	s.typeText("no")
	s.key("up")
	if got := s.m.composer.Value(); got != "open the tart" {
		t.Errorf("↑ brings back %q", got)
	}
	s.wants("› 1. a")
	s.key("ctrl+c")
	s.key("up")
	if got := s.m.composer.Value(); got != "" {
		t.Errorf("↑ brings back %q", got)
	}
	s.wants("› 2. b")
}

func TestCommandsRunWhileOptionsWait(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	offered(s, "a", "b")
	s.typeText("/help")
	s.key("enter")
	s.wants("While you write")
	s.key("esc")
	s.wants("› 1. a")
	if len(s.f.sent) != 1 {
		t.Error("something was sent")
	}
}

// A stopped turn did not answer: the options return.
func TestAStoppedAnswerLeavesTheQuestion(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	offered(s, "a", "b")
	s.key("down", "enter")
	s.deliver(event.Received{Message: s.f.sent[1]}, event.TurnStarted{MessageIDs: []string{"m2"}})
	s.lacks("or a number, or", "› 2. b")
	s.key("esc")
	s.deliver(event.TurnStopped{MessageIDs: []string{"m2"}})
	s.wants("The agent asks", "› 2. b", "or a number, or")
	s.later()
	s.key("up", "enter")
	if last := s.f.sent[len(s.f.sent)-1]; last.Text != "a" {
		t.Errorf("sent %q", last.Text)
	}
}

func TestAFailedSendLeavesTheOptions(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	offered(s, "a", "b")
	s.f.refuse = errors.New("no space left on device")
	s.key("down", "enter")
	s.wants("Not sent", "› 2. b")
	s.f.refuse = nil
	s.key("ctrl+u", "enter")
	if last := s.f.sent[len(s.f.sent)-1]; last.Text != "b" {
		t.Errorf("sent %q", last.Text)
	}
}

// After a restart the question of the last turn is open again.
func TestOptionsOfHistory(t *testing.T) {
	t.Parallel()
	load := func(history ...session.HistoryItem) *screen {
		s := newScreen(t, func(o *Options) {
			o.Load = func(context.Context) (session.Loaded, error) {
				return session.Loaded{Page: session.Page{Items: history}}, nil
			}
		})
		s.later()
		return s
	}
	ask := session.HistoryItem{Role: session.HistoryUser, Content: "open the tart"}
	question := session.HistoryItem{Role: session.HistoryQuestion, Content: "Which one?", Options: []string{"a", "b"}, Waits: true}
	s := load(ask, question)
	s.wants("› 1. a", "or a number, or")
	s.key("down", "enter")
	if len(s.f.sent) != 1 || s.f.sent[0].Text != "b" {
		t.Errorf("sent %+v", s.f.sent)
	}
	question.Waits = false
	s = load(ask, question, session.HistoryItem{Role: session.HistoryUser, Content: "a"}, session.HistoryItem{Role: session.HistoryAssistant, Content: "Here it is."})
	s.lacks("› 1. a", "or a number, or")
	s.wants("1. a", "Here it is.")
}

// A failed turn did not answer either, now and after a restart.
func TestAFailedAnswerLeavesTheQuestion(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	offered(s, "a", "b")
	s.key("enter")
	s.deliver(event.Received{Message: s.f.sent[1]}, event.TurnStarted{MessageIDs: []string{"m2"}},
		event.AgentMessage{Content: "And which size?", IsQuestion: true, Options: []string{"c"}}, event.TurnFailed{MessageIDs: []string{"m2"}, Text: "It failed."})
	s.wants("› 1. a", "or a number, or", "It failed.")
	s.lacks("› 1. c")
	s = newScreen(t, func(o *Options) {
		o.Load = func(context.Context) (session.Loaded, error) {
			return session.Loaded{Page: session.Page{Items: []session.HistoryItem{
				{Role: session.HistoryUser, Content: "open the tart"},
				{Role: session.HistoryQuestion, Content: "Which one?", Options: []string{"a", "b"}, Waits: true},
				{Role: session.HistoryUser, Content: "a"},
				{Role: session.HistoryError, Content: "It failed."},
				{Role: session.HistoryUser, Content: "a"},
				{Role: session.HistoryError, Content: "It failed again."},
			}}}, nil
		}
	})
	s.wants("› 1. a", "or a number, or")
}

// A number picks the option with that number, even if options are numbers.
func TestOptionsThatAreNumbers(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	offered(s, "3", "2", "1")
	s.typeText("3")
	s.wants("› 3. 1")
	s.key("enter")
	if last := s.f.sent[len(s.f.sent)-1]; last.Text != "3" {
		t.Errorf("sent %q", last.Text)
	}
}

// The marked option is visible for any number of options on any screen.
func TestTheMarkedOptionIsInSight(t *testing.T) {
	t.Parallel()
	var options []string
	for i := range 12 {
		options = append(options, fmt.Sprintf("option-%02d %s", i, strings.Repeat("with more words ", i%4)))
	}
	for _, size := range []tea.WindowSizeMsg{{Width: 80, Height: 24}, {Width: 40, Height: 15}, {Width: 30, Height: 8}, {Width: 20, Height: 5}} {
		s := newScreen(t)
		s.send(size)
		offered(s, options...)
		for i := range 14 {
			s.key("down")
			at := (i + 1) % 12
			if want := fmt.Sprintf("› %2d. option-%02d", at+1, at); !strings.Contains(s.text(), want) {
				t.Fatalf("%dx%d: %q is out of sight:\n%s", size.Width, size.Height, want, s.text())
			}
			checkFrame(t, s.m)
		}
	}
}

func TestANewConversationForgetsTheQuestion(t *testing.T) {
	t.Parallel()
	s := newScreen(t, func(o *Options) { conversationOf(o).begin = func(context.Context) error { return nil } })
	offered(s, "a", "b")
	s.typeText("/new")
	s.key("enter")
	s.lacks("or a number, or", "› 1. a")
	s.key("enter")
	if len(s.f.sent) != 1 {
		t.Error("an option of the conversation before was sent")
	}
}

func TestPlan(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.typeText("/plan")
	s.key("enter")
	s.wants("/plan needs words after it: /plan TEXT", "› /plan")
	s.key("ctrl+u")
	s.typeText("/plan move all recipes into one folder")
	s.key("enter")
	if got := s.f.sent[0]; got.Mode != event.ModePlan || got.Text != "move all recipes into one folder" {
		t.Fatalf("sent %+v", got)
	}
	s.wants("▌ plan", "▌ move all recipes into one folder")
	s.deliver(event.Received{Message: s.f.sent[0]}, event.TurnStarted{MessageIDs: []string{"m1"}},
		event.TextDelta{Text: "1. Make the folder\n2. Move them\n"},
		event.AgentMessage{Content: "Carry out this plan?", IsQuestion: true, Options: []string{"Carry it out", "Leave it"}},
		event.TurnFinished{})
	s.later()
	s.wants("› 1. Carry it out", "  2. Leave it")
	s.key("enter")
	if got := s.f.sent[1]; got.Mode != event.ModeAct || got.Text != "Carry it out" {
		t.Errorf("sent %+v", got)
	}
}

func TestAQueuedPlanIsTakenBackAsItWasTyped(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.ask("x")
	s.typeText("/plan move all")
	s.key("enter")
	s.deliver(event.Received{Message: s.f.sent[1], Queued: true})
	s.key("up")
	if got := s.m.composer.Value(); got != "/plan move all" {
		t.Errorf("taken back as %q", got)
	}
}

func TestPlansOfHistoryAreLabelled(t *testing.T) {
	t.Parallel()
	s := newScreen(t, func(o *Options) {
		o.Load = func(context.Context) (session.Loaded, error) {
			return session.Loaded{Page: session.Page{Items: []session.HistoryItem{{Role: session.HistoryUser, Content: "move all", Plan: true}, {Role: session.HistoryAssistant, Content: "1. Do it"}}}}, nil
		}
	})
	s.wants("▌ plan", "▌ move all")
}

// A question with more options than fit remains visible, with the marked option and the number of hidden ones above
// and below.
func TestQuestionWithManyOptionsStaysVisible(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.send(tea.WindowSizeMsg{Width: 50, Height: 18})
	s.ask("tidy up")
	var options []string
	for i := range 16 {
		options = append(options, fmt.Sprintf("Folder number %d", i+1))
	}
	s.deliver(event.AgentMessage{Content: "Into which folder does it go?", IsQuestion: true, Options: options},
		event.TurnFinished{Result: event.Result{IsWaitingForResponse: true}})
	s.later()
	s.wants("The agent asks", "Into which folder does it go?", "›  1. Folder number 1", "↓ ")
	s.lacks("Folder number 16")
	for i := range options[1:] {
		s.key("down")
		s.wants("The agent asks", "Into which folder does it go?", fmt.Sprintf("› %2d. Folder number %d", i+2, i+2))
	}
	s.wants("more")
	s.key("down") // wraps around
	s.wants("The agent asks", "›  1. Folder number 1")
	s.send(tea.WindowSizeMsg{Width: 80, Height: 40})
	s.wants("Folder number 1", "Folder number 16")
	s.lacks(" more")
}
