package tui

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"chatvault/agent/event"
	"chatvault/internal/app/session"
	"chatvault/tui/loop"
)

// way is a conversation of three turns in which one can go back.
type way struct {
	history  []session.HistoryItem
	err      error // error for going back and reading
	forked   []string
	switched []string
	moved    session.Moved
	branches []session.Branch
}

func newWay() *way {
	return &way{
		history: []session.HistoryItem{
			{Role: session.HistoryUser, Content: "first, plan a tart", ID: "m1", Turn: "m1"},
			{Role: session.HistoryAssistant, Content: "It is planned."},
			{Role: session.HistoryUser, Content: "second, write it down", ID: "m2", Turn: "m2"},
			{Role: session.HistoryUser, Content: "and be quick", ID: "m3", Turn: "m2", Added: true},
			{Role: session.HistoryTool, Content: "write_file", Target: "Tart.md", Summary: "created"},
			{Role: session.HistoryAssistant, Content: "It is written."},
			{Role: session.HistoryUser, Content: "third, thanks", ID: "m4", Turn: "m4"},
			{Role: session.HistoryAssistant, Content: "You are welcome."},
		},
		moved: session.Moved{Left: 2, Changed: []string{`Created file "Tart.md" (23 bytes).`}},
	}
}

func (w *way) options(o *Options) {
	o.Load = func(context.Context) (session.Loaded, error) {
		return session.Loaded{Page: session.Page{Items: w.history}}, nil
	}
	conversationOf(o).history = func(context.Context) ([]session.HistoryItem, error) { return w.history, w.err }
	conversationOf(o).fork = func(_ context.Context, id string) (session.Moved, error) {
		w.forked = append(w.forked, id)
		i := slices.IndexFunc(w.history, func(h session.HistoryItem) bool { return h.Turn == id })
		w.moved.Items = w.history[:max(i, 0)]
		return w.moved, w.err
	}
	conversationOf(o).branches = func(context.Context) ([]session.Branch, error) { return w.branches, w.err }
	conversationOf(o).change = func(_ context.Context, id string) (session.Moved, error) {
		w.switched = append(w.switched, id)
		return w.moved, w.err
	}
}

func (s *screen) command(text string) {
	s.typeText(text)
	s.key("enter")
}

// sentTexts returns the sent texts.
func (s *screen) sentTexts() []string {
	s.f.mu.Lock()
	defer s.f.mu.Unlock()
	var out []string
	for _, m := range s.f.sent {
		out = append(out, m.Text)
	}
	return out
}

func TestEditAnEarlierMessage(t *testing.T) {
	t.Parallel()
	w := newWay()
	s := newScreen(t, w.options)
	s.command("/edit")
	s.wants("Edit an earlier message", "› third, thanks", "second, write it down and be quick", "first, plan a tart")
	s.key("down", "enter")
	s.lacks("Edit an earlier message")
	s.wants("Editing · Esc to cancel · Enter to send as a new branch")
	if got := s.m.composer.Value(); got != "second, write it down\nand be quick" {
		t.Fatalf("the composer holds %q", got)
	}
	s.key("ctrl+u")
	s.typeText("and slowly")
	s.key("enter")
	if !slices.Equal(w.forked, []string{"m2"}) || !slices.Equal(s.sentTexts(), []string{"second, write it down\nand slowly"}) {
		t.Fatalf("went back to %v, sent %q", w.forked, s.sentTexts())
	}
	s.wants("first, plan a tart", "It is planned.", "2 turns archived · /branches", "are not undone", `Created file "Tart.md"`, "and slowly")
	s.lacks("It is written.", "third, thanks", "Editing")
	// The turn begins like any other.
	s.deliver(event.Received{Message: s.f.sent[0]}, event.TurnStarted{MessageIDs: []string{"m1"}}, event.TextDelta{Text: "As you like."}, event.TurnFinished{})
	s.wants("As you like.")
	if n := strings.Count(s.text(), "and slowly"); n != 1 {
		t.Errorf("what was sent shows %d times:\n%s", n, s.text())
	}
}

// Typed letters only filter the list, and Esc leaves everything unchanged.
func TestTheListOfMessagesIsNarrowedByTyping(t *testing.T) {
	t.Parallel()
	w := newWay()
	s := newScreen(t, w.options)
	s.command("/edit")
	for _, r := range "quick" {
		s.typeText(string(r))
	}
	s.wants("› quick", "second, write it down")
	s.lacks("third, thanks ")
	s.key("esc")
	s.lacks("Edit an earlier message", "Editing")
	if len(w.forked) != 0 || s.m.composer.Value() != "" {
		t.Errorf("went back to %v, the composer holds %q", w.forked, s.m.composer.Value())
	}
}

// The draft returns when editing is cancelled and when the message is sent.
func TestEditingKeepsTheDraft(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		keys []string
		sent []string
	}{
		"left by Esc":    {[]string{"esc"}, nil},
		"left by Ctrl+C": {[]string{"ctrl+c"}, nil},
		"sent":           {[]string{"enter"}, []string{"third, thanks a lot"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var draft string
			w := newWay()
			s := newScreen(t, w.options, func(o *Options) { draftsOf(o).save = func(text string) { draft = text } })
			s.command("/edit")
			s.m.composer.SetValue("a draft") // typed while the list was loading
			s.key("enter")
			if got := s.m.composer.Value(); got != "third, thanks" {
				t.Fatalf("the composer holds %q", got)
			}
			s.typeText(" a lot")
			s.send(loop.Do(s.m.saveDraft))
			if draft != "a draft\nthird, thanks a lot" {
				t.Errorf("saved as the draft: %q", draft)
			}
			s.key(tt.keys...)
			if got := s.m.composer.Value(); got != "a draft" {
				t.Errorf("the composer holds %q", got)
			}
			if got := s.sentTexts(); !slices.Equal(got, tt.sent) {
				t.Errorf("sent %q", got)
			}
			s.lacks("Editing")
			s.m.composer.Clear()
			s.key("up") // the replacement text is in the history
			if got := s.m.composer.Value(); got != "third, thanks a lot" {
				t.Errorf("the history gives %q", got)
			}
			if s.f.stopped() != 0 || s.quit {
				t.Error("it stopped or quit")
			}
		})
	}
}

func TestEditOnlyWhenNothingRuns(t *testing.T) {
	t.Parallel()
	w := newWay()
	s := newScreen(t, w.options)
	s.ask("fourth")
	s.command("/edit")
	s.wants("A turn is running")
	s.lacks("Edit an earlier message")
	s.deliver(event.TurnFinished{})
	s.command("/edit")
	s.key("enter")
	// A turn begins in the meantime, from another source or for the goal.
	s.deliver(event.Received{Message: event.Inbound{ID: "x", Text: "routed", Source: event.SourceWebSocket}}, event.TurnStarted{MessageIDs: []string{"x"}})
	s.key("enter")
	s.wants("Your text stays here")
	if got := s.m.composer.Value(); got != "third, thanks" || len(w.forked) != 0 {
		t.Errorf("the composer holds %q, went back to %v", got, w.forked)
	}
	s.key("esc") // stops the turn first
	if s.f.stopped() != 1 || s.m.editing == nil {
		t.Errorf("stopped %d, editing %v", s.f.stopped(), s.m.editing)
	}
	s.deliver(event.TurnStopped{MessageIDs: []string{"x"}})
	s.key("esc")
	if s.m.editing != nil || s.m.composer.Value() != "" {
		t.Error("Esc does not leave the message")
	}
}

func TestGoingBackThatFailsLosesNothing(t *testing.T) {
	t.Parallel()
	w := newWay()
	s := newScreen(t, w.options)
	s.command("/edit")
	s.key("enter")
	s.typeText(" a lot")
	w.err = errors.New("a turn is running in another chatvault")
	s.key("enter")
	s.wants("Not sent: a turn is running in another chatvault", "You are welcome.")
	if got := s.m.composer.Value(); got != "third, thanks a lot" || s.m.editing == nil || len(s.sentTexts()) != 0 {
		t.Errorf("the composer holds %q, editing %v, sent %q", got, s.m.editing, s.sentTexts())
	}
	w.err = nil
	s.key("enter")
	if got := s.sentTexts(); !slices.Equal(got, []string{"third, thanks a lot"}) {
		t.Errorf("sent %q", got)
	}
}

// While the conversation moves back, Esc prevents sending, new messages wait, and quitting keeps the text.
func TestWhileTheConversationGoesBack(t *testing.T) {
	t.Parallel()
	begin := func(t *testing.T) (*screen, tea.Cmd, *string) {
		var draft string
		s := newScreen(t, newWay().options, func(o *Options) { draftsOf(o).save = func(text string) { draft = text } })
		s.command("/edit")
		s.key("enter")
		_, going := s.m.Update(keyOf("enter")) // not finished yet
		s.wants("Opening the conversation")
		return s, going, &draft
	}
	t.Run("Esc", func(t *testing.T) {
		t.Parallel()
		s, going, _ := begin(t)
		s.key("esc")
		s.run(going)
		if got := s.m.composer.Value(); got != "third, thanks" || len(s.sentTexts()) != 0 || s.m.busy() {
			t.Errorf("the composer holds %q, sent %q, busy %v", got, s.sentTexts(), s.m.busy())
		}
	})
	t.Run("another message", func(t *testing.T) {
		t.Parallel()
		s, going, _ := begin(t)
		s.command("and one more")
		if got := s.sentTexts(); len(got) != 0 {
			t.Fatalf("sent too early: %q", got)
		}
		s.run(going)
		if got := s.sentTexts(); !slices.Equal(got, []string{"third, thanks", "and one more"}) {
			t.Errorf("sent %q", got)
		}
	})
	t.Run("leaving", func(t *testing.T) {
		t.Parallel()
		s, _, draft := begin(t)
		s.typeText("more")
		s.key("ctrl+c", "ctrl+c")
		if !s.quit || *draft != "third, thanks" {
			t.Errorf("left %v, draft %q", s.quit, *draft)
		}
	})
}

// Text that resembles a command is sent as text, and a plan request remains one.
func TestEditedTextKeepsItsMeaning(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		item     session.HistoryItem
		composer string
		want     event.Inbound
	}{
		"a path":   {session.HistoryItem{Content: "/usr is full"}, " /usr is full", event.Inbound{Text: "/usr is full"}},
		"a plan":   {session.HistoryItem{Content: "tidy up", Plan: true}, "/plan tidy up", event.Inbound{Text: "tidy up", Mode: event.ModePlan}},
		"a number": {session.HistoryItem{Content: "2"}, "2", event.Inbound{Text: "2"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWay()
			tt.item.Role, tt.item.ID, tt.item.Turn = session.HistoryUser, "m1", "m1"
			w.history = []session.HistoryItem{tt.item, {Role: session.HistoryQuestion, Content: "Which?", Options: []string{"this", "that"}, Waits: true}}
			s := newScreen(t, w.options)
			s.key("esc") // leaves the question
			s.command("/edit")
			s.key("enter")
			if got := s.m.composer.Value(); got != tt.composer {
				t.Fatalf("the composer holds %q", got)
			}
			s.key("enter")
			if len(s.f.sent) != 1 || s.f.sent[0].Text != tt.want.Text || s.f.sent[0].Mode != tt.want.Mode {
				t.Errorf("sent %+v", s.f.sent)
			}
		})
	}
}

func TestACommandLeavesEditing(t *testing.T) {
	t.Parallel()
	s := newScreen(t, newWay().options)
	s.command("/edit")
	s.key("enter", "ctrl+u")
	s.key("enter")
	s.wants("The text is empty: Esc keeps the original message")
	s.command("/help")
	s.wants("While you write")
	if s.m.editing != nil || s.m.composer.Value() != "" {
		t.Errorf("editing %v, the composer holds %q", s.m.editing, s.m.composer.Value())
	}
}

func TestUserMessagesIn(t *testing.T) {
	user := func(id, turn, text string) session.HistoryItem {
		return session.HistoryItem{Role: session.HistoryUser, ID: id, Turn: turn, Content: text}
	}
	answer, failed := session.HistoryItem{Role: session.HistoryAssistant, Content: "a"}, session.HistoryItem{Role: session.HistoryError, Content: "no"}
	goal := session.HistoryItem{Role: session.HistoryGoal, ID: "g", Turn: "g", Content: "go on"}
	for _, tt := range []struct {
		name string
		in   []session.HistoryItem
		want []userInput
	}{
		{"nothing", nil, nil},
		{"turn by turn", []session.HistoryItem{user("1", "1", "a"), answer, user("2", "2", "b"), answer}, []userInput{{"1", "a", event.ModeAct, []string{"1"}}, {"2", "b", event.ModeAct, []string{"2"}}}},
		{"taken together, and added", []session.HistoryItem{user("1", "1", "a"), user("2", "1", "b"), answer, user("3", "1", "c"), answer}, []userInput{{"1", "a\nb\nc", event.ModeAct, []string{"1", "2", "3"}}}},
		{"tried again", []session.HistoryItem{user("1", "1", "a"), user("2", "1", "b"), failed, user("1", "1", "a"), user("2", "1", "b"), answer}, []userInput{{"1", "a\nb", event.ModeAct, []string{"1", "2"}}}},
		{"toward the goal", []session.HistoryItem{user("1", "1", "a"), answer, goal, answer, user("2", "g", "b"), answer, user("3", "3", "c")}, []userInput{{"1", "a", event.ModeAct, []string{"1"}}, {"3", "c", event.ModeAct, []string{"3"}}}},
	} {
		if got := userMessagesIn(tt.in); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}
