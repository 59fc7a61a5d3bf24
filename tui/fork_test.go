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
	"chatvault/tui/keys"
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
	s.wants("Edit an earlier message", "› third, thanks", "the last", "second, write it down and be quick", "2 turns back", "first, plan a tart", "3 turns back")
	s.key("down", "enter")
	s.lacks("3 turns back")
	s.wants("Editing an earlier message · Enter to send as a new branch · Esc to cancel")
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

// The key that edits the last message can be replaced, multiplied or removed; the double press follows a rebound stop
// key.
func TestTheKeyThatEditsTheLastMessage(t *testing.T) {
	const again = "again edits your last message"
	for name, tt := range map[string]struct {
		bound       map[string][]string
		press, idle []string
		help        string
	}{
		"another":      {map[string][]string{"edit_last": {"f5"}}, []string{"f5"}, []string{"esc", "esc"}, "F5"},
		"beside":       {map[string][]string{"edit_last": {"f5", "Esc Esc"}}, []string{"esc", "esc"}, nil, "F5, Esc Esc"},
		"none":         {map[string][]string{"edit_last": {}}, nil, []string{"esc", "esc"}, ""},
		"another stop": {map[string][]string{"stop": {"f9"}}, []string{"f9", "f9"}, []string{"esc", "esc"}, "F9 F9"},
	} {
		t.Run(name, func(t *testing.T) {
			if f := CheckKeys(tt.bound); len(f) > 0 {
				t.Fatal(f)
			}
			s := newScreen(t, newWay().options, func(o *Options) { o.Keys = tt.bound })
			if got := s.m.keys.EditLast.Help().Key; got != tt.help {
				t.Errorf("the help names %q, want %q", got, tt.help)
			}
			for _, k := range tt.idle {
				s.send(keys.Press(k))
			}
			s.lacks(again)
			if s.m.editing != nil {
				t.Fatalf("%v edits", tt.idle)
			}
			for _, k := range tt.press {
				s.send(keys.Press(k))
			}
			if (s.m.editing != nil) != (tt.press != nil) {
				t.Errorf("%v: editing %v", tt.press, s.m.editing)
			}
		})
	}
	s := newScreen(t, newWay().options, func(o *Options) { o.Keys = map[string][]string{"edit_last": {"f5"}} })
	s.typeText("a draft")
	s.send(keys.Press("f5"))
	s.wants("clear your text first", "a draft")
}

func TestEscTwiceEditsTheLastMessage(t *testing.T) {
	t.Parallel()
	s := newScreen(t, newWay().options)
	s.key("esc")
	s.wants("Esc again edits your last message")
	s.key("esc")
	s.wants("Editing")
	if got := s.m.composer.Value(); got != "third, thanks" {
		t.Errorf("the composer holds %q", got)
	}
	s.key("esc")
	s.lacks("Editing")

	for name, do := range map[string]func(*screen){
		"a key between": func(s *screen) { s.key("esc", "f1", "esc", "esc") },
		"too late":      func(s *screen) { s.key("esc"); s.now = s.now.Add(quitWindow + 1); s.key("esc") },
		"a draft":       func(s *screen) { s.typeText("x"); s.key("esc", "esc") },
		"a turn runs": func(s *screen) {
			s.ask("fourth")
			s.key("esc", "esc")
			s.deliver(event.TurnStopped{MessageIDs: []string{"m1"}})
		},
		"a dialog is closed": func(s *screen) { s.key("f1", "esc", "esc") },
		"a new conversation": func(s *screen) { s.command("/new"); s.key("esc", "esc") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScreen(t, newWay().options, func(o *Options) { conversationOf(o).begin = func(context.Context) error { return nil } })
			do(s)
			if s.m.editing != nil {
				t.Errorf("it is edited:\n%s", s.text())
			}
		})
	}
}

// A stopped message is the last one but not in the history: it returns to the composer without a fork.
func TestEscTwiceAfterAStopRestoresTheMessage(t *testing.T) {
	t.Parallel()
	w := newWay()
	s := newScreen(t, w.options, func(o *Options) { conversationOf(o).begin = func(context.Context) error { return nil } })
	stop := func(text string) {
		t.Helper()
		s.ask(text)
		s.key("esc")
		s.deliver(event.TurnStopped{MessageIDs: []string{s.f.sent[len(s.f.sent)-1].ID}})
	}
	stop("plan a trat")
	s.key("esc", "esc")
	if got := s.m.composer.Value(); got != "plan a trat" || s.m.editing != nil {
		t.Fatalf("the composer holds %q, edited: %v", got, s.m.editing)
	}
	s.wants("Your stopped message is back")
	s.key("enter")
	if len(w.forked) > 0 || s.f.sent[len(s.f.sent)-1].Text != "plan a trat" {
		t.Errorf("went back to %q, sent %q", w.forked, s.sentTexts())
	}
	id := s.f.sent[len(s.f.sent)-1].ID
	s.deliver(event.TurnStarted{MessageIDs: []string{id}}, event.TurnFinished{Result: event.Result{Success: true, MessageID: id}})
	s.key("esc", "esc")
	s.wants("Editing") // from the history, since the last turn was answered

	s.key("esc")
	stop("and a pie")
	s.command("/new")
	s.key("esc", "esc")
	if !s.m.composer.Empty() {
		t.Errorf("a new conversation begins with %q", s.m.composer.Value())
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
		s.wants("Going back")
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
		s.key("ctrl+c", "ctrl+c", "ctrl+c")
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
			s.key("esc", "esc", "esc") // the first leaves the question
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
	s.key("esc", "esc", "ctrl+u")
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
