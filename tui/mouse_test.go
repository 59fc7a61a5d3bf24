package tui

import (
	"context"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"chatvault/internal/app/session"
	"chatvault/tui/chat"
)

// click clicks at the first cell of a text on the screen.
func (s *screen) click(text string) {
	s.t.Helper()
	for y, row := range strings.Split(s.text(), "\n") {
		if before, _, found := strings.Cut(row, text); found {
			s.clickAt(len([]rune(before)), y)
			return
		}
	}
	s.t.Fatalf("there is no %q to click at:\n%s", text, s.text())
}

func (s *screen) clickAt(x, y int) {
	s.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
	s.send(tea.MouseReleaseMsg{X: x, Y: y})
}

func TestClicks(t *testing.T) {
	l := newLibrary()
	s := newScreen(t, l.options, func(o *Options) {
		o.Mouse = true
		o.Load = func(context.Context) (session.Loaded, error) {
			return session.Loaded{Page: session.Page{Items: []session.HistoryItem{
				{Role: session.HistoryUser, Content: "what do I know?", ID: "m1", Turn: "m1"},
				{Role: session.HistoryTool, Content: "search_files", Target: "jam", Summary: "1 note", Detail: "Line 3: the jam"},
				{Role: session.HistoryAgentMessage, Content: "Reading [[Plum jam]] now."},
				{Role: session.HistoryAssistant, Content: twoNotes},
			}}}, nil
		}
	})
	s.send(tickMsg{})
	s.click("searched for jam")
	s.wants("Line 3: the jam")
	if s.m.selection.Active() {
		t.Error("folding selects")
	}
	s.click("search_files")
	s.lacks("Line 3: the jam")
	s.click("The fullest")
	if _, ok := s.m.selection.Item().(*chat.Assistant); !ok {
		t.Errorf("%T is selected", s.m.selection.Item())
	}
	s.click("Nectarine tart")
	s.wants("Bake it blind", "Recipes/Nectarine tart.md")
	s.click("Bake it blind") // clicks do not pass through a dialog
	s.key("esc")
	s.lacks("Bake it blind")
	s.click("Plum jam now")
	s.wants("Two kilos of plums.")
	s.key("esc")
	c, chosen := s.m.selection.Chosen()
	if m, ok := s.m.selection.Item().(*chat.Message); !ok || !chosen || c.Number != 0 {
		t.Errorf("%T is selected, its citation %d", m, c.Number)
	}
	s.click("Cherry pie") // it does not resolve
	s.lacks("Two kilos")
	s.clickAt(10, 20) // below the last item
	if s.m.selection.Active() {
		t.Error("something is selected still")
	}

	s.send(tea.MouseClickMsg{X: 4, Y: 4, Button: tea.MouseLeft})
	s.send(tea.MouseMotionMsg{X: 9, Y: 4, Button: tea.MouseLeft})
	s.send(tea.MouseReleaseMsg{X: 4, Y: 4})
	if s.m.selection.Active() {
		t.Error("dragging selects an item")
	}
}

// A click on the marker of missing messages loads them.
func TestClickOnMissingMessages(t *testing.T) {
	s := newScreen(t, func(o *Options) {
		o.Mouse = true
		o.Load = func(context.Context) (session.Loaded, error) {
			l := session.Loaded{Page: session.Page{Earlier: "1", ID: "c"}}
			for range 30 {
				l.Items = append(l.Items, session.HistoryItem{Role: session.HistoryAssistant, Content: "Some words.\n\nMore of them."})
			}
			return l, nil
		}
		failed := false
		conversationOf(o).earlier = func(context.Context, string, bool) (session.Page, error) {
			if !failed {
				failed = true
				return session.Page{}, context.DeadlineExceeded
			}
			return session.Page{Items: []session.HistoryItem{{Role: session.HistoryAssistant, Content: "The first of all."}}}, nil
		}
	})
	s.key("home")
	s.wants("could not be read")
	s.click("Earlier messages")
	s.wants("The first of all.")
}

// The mouse is handed to the terminal and taken back, and the state is shown.
func TestMouseIsHandedToTheTerminal(t *testing.T) {
	s := newScreen(t, func(o *Options) { o.Mouse = true })
	for _, tt := range []struct {
		want string
		mode tea.MouseMode
	}{
		{"The terminal has the mouse: dragging selects text", tea.MouseModeNone},
		{"The mouse scrolls and clicks here", tea.MouseModeCellMotion},
	} {
		s.key("ctrl+y")
		s.wants(tt.want)
		if got := s.m.View().MouseMode; got != tt.mode {
			t.Errorf("%s: mode %v", tt.want, got)
		}
	}
}
