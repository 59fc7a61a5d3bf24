package tui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"chatvault/agent/event"
)

// A scrolled-up answer keeps its place through any changes of the window's size.
func TestResizeKeepsTheAnswerBeingRead(t *testing.T) {
	s := newScreen(t)
	s.ask("x")
	var b strings.Builder
	for i := range 120 {
		if i%10 == 0 {
			fmt.Fprintf(&b, "## Part %d\n\n", i/10)
		}
		fmt.Fprintf(&b, "Sentence s%03d says something that is long enough to be wrapped where the window is narrow, and then some more of it.\n\n", i)
		if i%7 == 0 {
			fmt.Fprintf(&b, "- a short point\n- another\n\n```go\nx := %d\n```\n\n| a | b |\n|---|---|\n| one | two and three |\n\n", i)
		}
	}
	s.deliver(event.TextDelta{Text: b.String()}, event.TurnFinished{})
	for range 6 {
		s.key("pgup")
	}
	top := func() string {
		for _, l := range strings.Split(s.text(), "\n")[2:] {
			if i := strings.Index(l, "Sentence s"); i >= 0 {
				return l[i : i+len("Sentence s000")]
			}
		}
		return ""
	}
	before, was := s.text(), top()
	for _, size := range []tea.WindowSizeMsg{{Width: 50, Height: 24}, {Width: 80, Height: 24}, {Width: 50, Height: 12}, {Width: 150, Height: 40}, {Width: 30, Height: 24}} {
		s.send(size)
		upper := strings.Join(strings.Split(s.text(), "\n")[:9], "\n")
		if !strings.Contains(upper, was) {
			t.Fatalf("%s is not at the top at %dx%d:\n%s", was, size.Width, size.Height, s.text())
		}
	}
	s.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	if s.text() != before {
		t.Errorf("back at the first size:\n%s\nwas:\n%s", s.text(), before)
	}
	s.send(tea.WindowSizeMsg{Width: 200, Height: 2000})
	s.lacks("more below")
}
