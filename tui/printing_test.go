package tui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"pgregory.net/rapid"

	"chatvault/agent/event"
	"chatvault/tui/list"
	"chatvault/tui/paint"
)

// printedOn is a screen that prints, and the terminal it prints on.
func printedOn(t testing.TB, width, height int) (*screen, *vt.Emulator) {
	e := vt.NewEmulator(width, height)
	s := newScreen(t)
	p := paint.OpenPrinted(e)
	s.m.printed.Open(p)
	s.m.screen = &p.Screen
	s.send(tea.WindowSizeMsg{Width: width, Height: height})
	return s, e
}

// leave ends the screen and gives all that stands on the terminal, without empty lines and spaces.
func leave(s *screen, e *vt.Emulator) []string {
	s.m.printed.Close(s.m.unprinted())
	var lines []string
	for i := range e.Scrollback().Len() {
		var b strings.Builder
		for _, c := range e.Scrollback().Line(i) {
			b.WriteString(c.Content)
		}
		lines = append(lines, b.String())
	}
	return worded(append(lines, strings.Split(e.String(), "\n")...))
}

func worded(lines []string) []string {
	var out []string
	for _, l := range lines {
		if l = strings.TrimSpace(ansi.Strip(l)); l != "" {
			out = append(out, l)
		}
	}
	return out
}

// Whatever happens, in whatever order, each line of the conversation is printed once, in order, as
// it is in the end.
func TestPrintingLosesAndDoublesNothing(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s, e := printedOn(t, rapid.IntRange(30, 90).Draw(rt, "width"), rapid.IntRange(8, 30).Draw(rt, "height"))
		n := 0
		word := func() string { n++; return fmt.Sprint("w", n) }
		end := func() { s.deliver(event.TurnFinished{Result: event.Result{Response: "x"}}) }
		running := false
		steps := map[string]func(){
			"text": func() { s.deliver(event.TextDelta{Text: word() + " and " + word() + ". "}) },
			"block": func() {
				s.deliver(event.TextDelta{Text: "\n\n" + rapid.SampledFrom([]string{"", "# ", "- ", "> ", "```\n"}).Draw(rt, "block") + word() + "\n\n" + word()})
			},
			"long": func() {
				for range 20 {
					s.deliver(event.TextDelta{Text: word() + "\n\n"})
				}
			},
			"tool": func() {
				id := word()
				s.deliver(event.ToolStarted{ID: id, Name: "write_" + id, Target: id + ".md"}, event.ToolFinished{ID: id, Name: "write_" + id, Summary: "created"})
			},
			"think":  func() { s.deliver(event.StateChanged{State: event.StateThinking}) },
			"reason": func() { s.deliver(event.ReasoningDelta{Text: word()}) },
			"said":   func() { s.deliver(event.AgentMessage{Content: "It says " + word()}) },
			"note":   func() { s.deliver(event.Notice{Text: "Note " + word()}) },
			"help":   func() { s.key("f1"); s.m.paint(); s.key("esc") },
			"review": func() { s.key("pgup"); s.m.paint(); s.key("end") },
		}
		names := make([]string, 0, len(steps))
		for name := range steps {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range rapid.SliceOfN(rapid.SampledFrom(append(names, "end", "ask")), 1, 14).Draw(rt, "steps") {
			switch {
			case name == "end":
				if running {
					end()
				}
				running = false
			case !running:
				s.ask("Ask " + word())
				running = true
			case name != "ask":
				steps[name]()
			}
			s.m.dirty = true
			s.m.paint()
		}
		if running {
			end()
		}
		got := leave(s, e)
		var want []string
		every := func(list.Item) bool { return true }
		for it := s.m.list.Next(nil, 1, every); it != nil; it = s.m.list.Next(it, 1, every) {
			want = append(want, worded(it.Lines(s.m.list.Width()))...)
		}
		if len(got) > 0 && strings.HasPrefix(got[0], "◆ Garden notes") {
			got = got[1:]
		}
		if !slices.Equal(got, want) {
			rt.Fatalf("printed\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}

// What an attempt printed that failed is said to be void, and the next one is printed whole.
func TestPrintingOfAnAttemptThatFailed(t *testing.T) {
	s, e := printedOn(t, 60, 12)
	s.ask("hello")
	s.deliver(event.TextDelta{Text: "One block.\n\nAnother\n\nAnd"})
	s.m.paint()
	s.deliver(event.Retry{Attempt: 2}, event.StateChanged{State: event.StateThinking}, event.TextDelta{Text: "One block.\n\nThe end."})
	s.m.dirty = true
	s.m.paint()
	s.deliver(event.TurnFinished{})
	got := strings.Join(leave(s, e)[1:], "|")
	want := "▌ hello|One block.|— That attempt failed: disregard what it wrote.|One block.|The end."
	if got != want {
		t.Errorf("printed %q, want %q", got, want)
	}
}

// A window that changes its size in the middle of an answer: what was printed is not printed again.
func TestPrintingAtAnotherWidth(t *testing.T) {
	s, e := printedOn(t, 80, 40)
	s.ask("hello")
	for i := range 6 {
		s.deliver(event.TextDelta{Text: fmt.Sprintf("Paragraph %d %s.\n\n", i, strings.Repeat("of some length ", 5))})
		s.m.dirty = true
		s.m.paint()
		width := 80 - 10*(i%3)
		s.send(tea.WindowSizeMsg{Width: width, Height: 40})
		s.m.paint()
	}
	s.deliver(event.TurnFinished{})
	all := strings.Join(leave(s, e), " ")
	for i := range 6 {
		if n := strings.Count(all, fmt.Sprintf("Paragraph %d ", i)); n != 1 {
			t.Errorf("paragraph %d stands there %d times: %s", i, n, all)
		}
	}
	if n := strings.Count(strings.Join(strings.Fields(all), " "), strings.TrimSpace(strings.Repeat("of some length ", 5))); n != 6 {
		t.Errorf("%d of 6 paragraphs are whole: %s", n, all)
	}
}
