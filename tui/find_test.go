package tui

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"chatvault/agent/event"
	"chatvault/internal/app/session"
	"chatvault/tui/chat"
	"chatvault/tui/list"
	"chatvault/tui/loop"
	"chatvault/tui/theme"

	"chatvault/tui/keys"
)

// talked fills a screen with a conversation.
func talked(texts ...string) func(*Options) {
	return func(o *Options) {
		o.Load = func(context.Context) (session.Loaded, error) {
			var l session.Loaded
			for i, text := range texts {
				id := fmt.Sprintf("m%d", i)
				l.Items = append(l.Items, session.HistoryItem{Role: session.HistoryUser, Content: "question " + fmt.Sprint(i), ID: id, Turn: id},
					session.HistoryItem{Role: session.HistoryAssistant, Content: text, Turn: id})
			}
			return l, nil
		}
	}
}

// current returns the text highlighted as the current match.
func (s *screen) current() string {
	open := theme.Open(s.m.styles.AccentBold.Reverse(true))
	_, rest, found := strings.Cut(s.m.View().Content, open)
	if !found {
		return ""
	}
	text, _, _ := strings.Cut(rest, theme.Reset)
	return ansi.Strip(text)
}

func TestFind(t *testing.T) {
	long := strings.Repeat("Some words to fill the screen with.\n\n", 20)
	s := newScreen(t, talked("Plums are **ripe** in August.", long, "Nectarines, and plums again.\nPlums!", long+"No fruit."))
	s.send(tea.WindowSizeMsg{Width: 60, Height: 20})
	s.typeText("a draft")
	s.key("ctrl+f")
	s.wants("Find ›", "Type to search")
	s.lacks("a draft")
	s.typeText("p")
	s.typeText("lums")
	s.wants("3 of 3", "Plums!")
	if got := s.current(); got != "Plums" {
		t.Errorf("%q is set off", got)
	}
	s.key("up")
	s.wants("2 of 3")
	s.key("up")
	s.wants("1 of 3", "Plums are ripe in August.")
	s.key("up")
	s.wants("3 of 3")
	s.key("enter")
	s.wants("2 of 3")
	s.key("ctrl+f")
	s.wants("1 of 3")
	s.typeText(" a")
	s.wants("1 of 2", "Plums are ripe")
	s.key("enter")
	s.wants("2 of 2", "plums again")
	s.key("ctrl+n")
	s.wants("1 of 2")
	s.key("ctrl+p", "ctrl+n", "ctrl+n", "ctrl+n")
	s.wants("1 of 2")
	s.key("esc")
	s.wants("a draft", "Plums are ripe")
	s.lacks("Find ›", "of 2")
	if s.m.list.Following() {
		t.Error("the reading position was left")
	}
	s.key("ctrl+f")
	s.lacks("plums a")
	s.typeText("Ripe")
	s.wants("Find › Ripe ")
	s.wants("no match", "Esc closes")
	s.key("enter", "up")
	s.wants("no match")
	s.key("ctrl+u")
	s.typeText("ripe in")
	s.wants("1 of 1")
	s.key("ctrl+up")
	s.lacks("Find ›")
	if a, ok := s.m.selection.Item().(*chat.Assistant); !ok || !strings.HasPrefix(a.Source(), "Plums are") {
		t.Errorf("%T is selected", s.m.selection.Item())
	}
}

// An item is unfolded for a match and folded again when leaving it.
func TestFindUnfolds(t *testing.T) {
	s := newScreen(t, func(o *Options) {
		o.Load = func(context.Context) (session.Loaded, error) {
			return session.Loaded{Page: session.Page{Items: []session.HistoryItem{
				{Role: session.HistoryUser, Content: "the quince\n" + strings.Repeat("a line\n", 5), ID: "m1", Turn: "m1"},
				{Role: session.HistoryTool, Content: "search_files", Target: "jam", Summary: "1 note", Detail: "Jam.md\nLine 3: > quince jelly"},
				{Role: session.HistoryTool, Content: "list_files", Target: "all", Summary: "many", Detail: strings.Repeat("[file] other.md\n", 100) + "[file] Quince.md"},
				{Role: session.HistoryAssistant, Content: "A quince is a fruit."},
			}}}, nil
		}
	})
	s.send(tea.WindowSizeMsg{Width: 80, Height: 40})
	s.key("ctrl+f")
	s.typeText("quince")
	s.wants("4 of 4", "A quince is a fruit", "the quince")
	s.key("up")
	s.wants("3 of 4", "[file] Quince.md")
	s.key("up")
	s.wants("2 of 4", "> quince jelly")
	if got := s.current(); got != "quince" {
		t.Errorf("%q is set off", got)
	}
	s.key("up")
	s.wants("1 of 4", "the quince")
	s.lacks("quince jelly")
	s.key("down", "down", "down")
	s.lacks("quince jelly")
	s.key("up", "up", "esc")
	s.wants("quince jelly")
}

// Moving to earlier messages loads them.
func TestFindReadsEarlierMessages(t *testing.T) {
	asked := 0
	pages := map[string]session.Page{
		"2": {Items: []session.HistoryItem{{Role: session.HistoryAssistant, Content: "Nothing of that."}}, Earlier: "1"},
		"1": {Items: []session.HistoryItem{{Role: session.HistoryAssistant, Content: "The medlar is here."}}},
	}
	s := newScreen(t, func(o *Options) {
		o.Load = func(context.Context) (session.Loaded, error) {
			l := session.Loaded{Page: session.Page{Earlier: "2", ID: "c"}}
			for range 30 {
				l.Items = append(l.Items, session.HistoryItem{Role: session.HistoryAssistant, Content: "Some words.\n\nMore of them."})
			}
			return l, nil
		}
		conversationOf(o).earlier = func(_ context.Context, before string, _ bool) (session.Page, error) {
			asked++
			return pages[before], nil
		}
	})
	s.key("ctrl+f")
	s.typeText("medlar")
	s.wants("no match", "searches earlier messages")
	if asked > 0 {
		t.Error("they were read unasked")
	}
	s.key("enter")
	s.wants("1 of 1", "The medlar is here.")
	if asked != 2 {
		t.Errorf("%d pages were read", asked)
	}
}

// New items are searched too.
func TestFindWhileATurnRuns(t *testing.T) {
	s := newScreen(t)
	s.ask("what of plums?")
	s.deliver(event.TextDelta{Text: "Plums are "})
	s.key("ctrl+f")
	s.typeText("plums")
	s.wants("2 of 2")
	s.now = s.now.Add(time.Second)
	s.deliver(event.TextDelta{Text: "fruit. Plums are blue. "})
	s.send(tickMsg{})
	s.wants("2 of 3")
	s.deliver(event.TextDone{}, event.TurnFinished{})
	s.send(tickMsg{})
	s.wants("2 of 3")
	s.key("esc")
	s.key("esc")
	if s.f.stopped() > 0 {
		t.Error("closing it stopped the turn")
	}
}

// Ten thousand items are searched in small steps that do not block the screen.
func TestFindInManyItems(t *testing.T) {
	s := newScreen(t)
	s.m.welcome.Leave()
	items := make([]list.Item, 10_000)
	text := strings.Repeat("Some words about fruit, of which there are many. ", 40)
	for i := range items {
		a := chat.NewAssistant(s.m.env)
		a.Append(text)
		if i%1000 == 0 {
			a.Append("A medlar.")
		}
		a.Finish()
		items[i] = a
	}
	s.m.list.Append(items...)
	_ = s.m.View().Content
	s.key("ctrl+f")
	steps, slowest := 0, time.Duration(0)
	_, cmd := s.m.Update(keys.Typed("medlar"))
	for cmd != nil {
		var next tea.Cmd
		for _, c := range flatten(cmd) {
			if msg, ok := c().(loop.Do); ok {
				began := time.Now()
				_, next = s.m.Update(msg)
				slowest = max(slowest, time.Since(began))
				steps++
			}
		}
		cmd = next
	}
	s.wants("10 of 10")
	if steps < 2 || slowest > time.Second {
		t.Errorf("%d steps, the slowest of them %v", steps, slowest)
	}
	t.Logf("20 MB in %d steps, the slowest %v", steps, slowest)
}

// flatten returns the commands of a batch.
func flatten(cmd tea.Cmd) []tea.Cmd {
	if cmd == nil {
		return nil
	}
	msg := cmd()
	batch, ok := msg.(tea.BatchMsg)
	if !ok {
		return []tea.Cmd{func() tea.Msg { return msg }}
	}
	var all []tea.Cmd
	for _, c := range batch {
		all = append(all, flatten(c)...)
	}
	return all
}

// Esc closes the search first, then clears the selection, then stops the turn.
func TestEscClosesOneLayerAtATime(t *testing.T) {
	s := newScreen(t)
	s.ask("what of plums?")
	s.deliver(event.TextDelta{Text: "Plums are fruit."})
	s.key("ctrl+up", "ctrl+f")
	s.typeText("plum")
	s.wants("Find › plum", "2 of 2")
	s.key("esc")
	s.lacks("Find ›")
	s.wants("Esc back")
	s.key("esc")
	s.lacks("Esc back")
	if s.f.stopped() > 0 {
		t.Fatal("the turn was stopped")
	}
	s.key("esc")
	if s.f.stopped() != 1 {
		t.Error("the turn was not stopped")
	}
	s.key("ctrl+f", "ctrl+c")
	s.lacks("Find ›", "again to quit")
}
