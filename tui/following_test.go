package tui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"chatvault/tui/keys"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"

	"chatvault/agent/event"
)

// reading returns the visible rows of the transcript.
func (s *screen) reading() []string {
	rows := strings.Split(s.text(), "\n")
	for i, r := range rows {
		if strings.Contains(r, "────") && i > 2 {
			return rows[2 : i-1]
		}
	}
	return rows
}

// After scrolling up by any key, new items move no row and are counted. End follows again.
func TestNewItemsKeepTheViewInPlace(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := newScreen(t)
		s.send(tea.WindowSizeMsg{Width: rapid.SampledFrom([]int{40, 80, 120}).Draw(rt, "width"), Height: rapid.SampledFrom([]int{15, 24, 40}).Draw(rt, "height")})
		exchanges(s.m, 100)
		s.ask("and now?")
		arrive := map[string]func(){
			"token":  func() { s.deliver(event.TextDelta{Text: "word \n\n- more\n"}) },
			"reason": func() { s.deliver(event.ReasoningDelta{Text: "hm\n"}) },
			"read": func() {
				id := fmt.Sprint(s.now.UnixNano())
				s.deliver(event.ToolStarted{ID: id, Name: "read_file", Target: id + ".md"})
				s.deliver(event.ToolFinished{ID: id, Name: "read_file", Summary: "3 lines", IsError: strings.HasSuffix(id, "0")})
			},
			"message": func() { s.deliver(event.AgentMessage{Content: "I found **three**."}) },
			"notice":  func() { s.deliver(event.Notice{Text: "a notice"}) },
			"tick":    func() { s.send(tickMsg{}) },
		}
		names := make([]string, 0, len(arrive))
		for name := range arrive {
			names = append(names, name)
		}
		slices.Sort(names)
		events := func(label string) {
			for range rapid.IntRange(0, 12).Draw(rt, label) {
				s.now = s.now.Add(7 * time.Millisecond)
				arrive[rapid.SampledFrom(names).Draw(rt, "arrives")]()
			}
		}
		events("before")
		for range 8 {
			s.key("pgup") // hides the streaming text, which changes
		}
		up := rapid.SampledFrom([]string{"pgup", "shift+up", "ctrl+home"}).Draw(rt, "key")
		s.send(keys.Press(up))
		if s.m.list.Following() {
			rt.Fatal("it follows still")
		}
		before := s.reading()
		events("after")
		if now := s.reading(); !slices.Equal(before, now) {
			rt.Fatalf("what is read moved from\n%s\nto\n%s", strings.Join(before, "\n"), strings.Join(now, "\n"))
		}
		s.wants("below · End")
		s.key("end")
		s.lacks("below · End")
		if !s.m.list.Following() {
			rt.Fatal("End does not follow")
		}
	})
}
