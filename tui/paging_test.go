package tui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"chatvault/agent/event"
	"chatvault/internal/app/session"

	"chatvault/tui/keys"
)

// long is a conversation of n turns that is loaded page by page.
type long struct {
	turns int
	reads []string // cursors that were read
	fail  error
}

func (l *long) items(from, to int) []session.HistoryItem {
	var items []session.HistoryItem
	for i := from; i < to; i++ {
		id := fmt.Sprint("t", i)
		items = append(items, session.HistoryItem{Role: session.HistoryUser, Content: fmt.Sprintf("question %d", i), ID: id, Turn: id},
			session.HistoryItem{Role: session.HistoryAssistant, Content: fmt.Sprintf("answer %d", i)})
	}
	return items
}

const longPage = 20

func (l *long) page(end int, all bool) session.Page {
	from := max(end-longPage, 0)
	if all {
		from = 0
	}
	p := session.Page{ID: "c", Items: l.items(from, end)}
	if from > 0 {
		p.Earlier, p.First = strconv.Itoa(from), "question 0"
	}
	return p
}

func (l *long) screen(t *testing.T) *screen {
	return newScreen(t, func(o *Options) {
		o.Load = func(context.Context) (session.Loaded, error) {
			p := l.page(l.turns, false)
			return session.Loaded{Page: session.Page{Items: p.Items, Earlier: p.Earlier, First: p.First}}, nil
		}
		conversationOf(o).earlier = func(_ context.Context, before string, all bool) (session.Page, error) {
			l.reads = append(l.reads, fmt.Sprint(before, " ", all))
			end, _ := strconv.Atoi(before)
			return l.page(end, all), l.fail
		}
		conversationOf(o).history = func(context.Context) ([]session.HistoryItem, error) { return l.items(0, l.turns), nil }
		conversationOf(o).fork = func(context.Context, string) (session.Moved, error) {
			p := l.page(l.turns-1, false)
			return session.Moved{Page: session.Page{Items: p.Items, Earlier: p.Earlier, First: p.First}, Left: 1}, nil
		}
		conversationOf(o).begin = func(context.Context) error { return nil }
	})
}

// At start only the end of a long conversation is loaded; scrolling up loads the pages before without a gap and
// without moving the visible lines.
func TestScrollingUpLoadsEarlierPages(t *testing.T) {
	l := &long{turns: 100}
	s := l.screen(t)
	if len(l.reads) != 0 {
		t.Fatalf("read %q at the start", l.reads)
	}
	s.wants("question 99", "answer 99")
	seen := map[string]bool{}
	look := func() {
		for _, line := range strings.Split(s.text(), "\n") {
			seen[strings.TrimSpace(strings.Trim(line, "▎›│ "))] = true
		}
	}
	look()
	keys := []func(){
		func() { s.key("pgup") },
		func() { s.send(tea.MouseWheelMsg{Button: tea.MouseWheelUp}) },
		func() { s.send(keys.Press("shift+up")) },
	}
	for i := 0; i < 2000 && !seen["question 0"]; i++ {
		keys[i%len(keys)]()
		look()
	}
	for i := range 100 {
		for _, want := range []string{fmt.Sprintf("question %d", i), fmt.Sprintf("answer %d", i)} {
			found := false
			for line := range seen {
				found = found || strings.HasSuffix(line, want)
			}
			if !found {
				t.Errorf("%q was never in sight", want)
			}
		}
	}
	if got := strings.Join(l.reads, ", "); got != "80 false, 60 false, 40 false, 20 false" {
		t.Errorf("read %s", got)
	}
	s.lacks("Earlier messages")
	s.key("end")
	s.wants("question 99")
}

// A page that arrives while the user reads moves no visible line.
func TestLoadedPageKeepsTheViewInPlace(t *testing.T) {
	l := &long{turns: 100}
	s := l.screen(t)
	for range 60 {
		s.m.list.ScrollUp(1)
		s.m.dirty = true
		if s.m.list.NearTop(3) {
			break
		}
	}
	rows := func() string { // without the marker, which disappears
		var out []string
		for i, line := range s.m.list.Lines() {
			if line = strings.TrimSpace(line); strings.Contains(line, "question") || strings.Contains(line, "answer") {
				out = append(out, fmt.Sprint(i, line))
			}
		}
		return strings.Join(out, "\n")
	}
	before := rows()
	s.run(s.m.talk.earlierDue(s.m.lay.Transcript))
	if len(l.reads) != 1 || rows() != before {
		t.Errorf("read %q; was\n%s\nis\n%s", l.reads, before, rows())
	}
}

// Home shows the beginning even if pages are missing; a page that fails to load is reported, and scrolling retries.
func TestHomeShowsTheBeginning(t *testing.T) {
	l := &long{turns: 200}
	s := l.screen(t)
	l.fail = errors.New("the disk is gone")
	s.key("home")
	s.wants("Earlier messages could not be read: the disk is gone. Scrolling up tries")
	n := len(l.reads)
	s.send(tickMsg{})
	if len(l.reads) != n {
		t.Errorf("tried again by itself: %q", l.reads)
	}
	l.fail = nil
	s.key("home")
	s.wants("question 0", "answer 0")
	s.lacks("Earlier messages")
	if got := l.reads[len(l.reads)-1]; got != "180 true" {
		t.Errorf("read %q", l.reads)
	}
	s.key("end")
	s.wants("question 199")
}

// The conversation's name does not depend on how much is loaded; after going back, earlier messages can still be
// loaded.
func TestGoingBackInALongConversation(t *testing.T) {
	l := &long{turns: 100}
	s := l.screen(t)
	if s.m.talk.first != "question 0" {
		t.Errorf("it is called %q", s.m.talk.first)
	}
	s.typeText("/edit")
	s.key("enter", "enter")
	s.typeText(" again")
	s.key("enter")
	s.wants("1 turn archived", "question 99 again")
	if s.m.talk.gap == nil {
		t.Fatal("no messages are missing")
	}
	s.key("home")
	s.wants("question 0")
	if !slices.Equal(l.reads, []string{"79 true"}) {
		t.Errorf("read %q", l.reads)
	}
	if s.m.talk.gap != nil {
		t.Error("messages are still missing")
	}
}

// Earlier messages of an ended conversation can be loaded above the new one.
func TestEarlierMessagesOfAConversationThatIsOver(t *testing.T) {
	l := &long{turns: 60}
	s := l.screen(t)
	s.deliver(event.ConversationBegan{ID: "c1"})
	s.ask("something else")
	s.deliver(event.ConversationEnded{ID: "c1", Reason: "idle"}, event.TurnFinished{Result: event.Result{Success: true, Response: "ok"}})
	s.key("home")
	s.wants("question 0")
	s.key("end")
	s.wants("New conversation", "Before: “question 0”", "something else")
}

// A screen taller than the first page loads more automatically.
func TestTallScreenLoadsMorePages(t *testing.T) {
	l := &long{turns: 100}
	s := l.screen(t)
	s.send(tea.WindowSizeMsg{Width: 80, Height: 150})
	if len(l.reads) != 1 {
		t.Errorf("read %q", l.reads)
	}
	s.wants("question 99", "question 70")
}

// A message sent before the history is loaded begins the conversation.
func TestAMessageBeforeTheConversationIsRead(t *testing.T) {
	s := newScreen(t, func(o *Options) {
		o.Load = func(context.Context) (session.Loaded, error) { return session.Loaded{}, nil }
		conversationOf(o).history = func(context.Context) ([]session.HistoryItem, error) { return nil, nil }
		conversationOf(o).fork = func(context.Context, string) (session.Moved, error) { return session.Moved{}, nil }
	})
	s.ask("first of all")
	s.send(loadedMsg{})
	s.wants("first of all")
	if s.m.talk.first != "first of all" {
		t.Errorf("it begins with %q", s.m.talk.first)
	}
}
