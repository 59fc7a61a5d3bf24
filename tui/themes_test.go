package tui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"chatvault/agent/event"
	"chatvault/internal/ptytest/golden"
	"chatvault/tui/theme"
)

// mixed fills the transcript with everything that themes colour.
func mixed(s *screen) {
	busyTurn(s)
	s.now = s.now.Add(40 * time.Second)
	s.deliver(event.ToolFinished{ID: "d", Name: "delegate", Summary: "report of 2 lines", Result: "Two recipes.", Duration: 12 * time.Second},
		event.ToolStarted{ID: "w", Name: "edit_file", Target: "Recipes/Plum jam.md"},
		event.ToolFinished{ID: "w", Name: "edit_file", Summary: "1 replaced", Result: "Replaced 1 occurrence in \"Recipes/Plum jam.md\".\n\n--- a/Recipes/Plum jam.md\n+++ b/Recipes/Plum jam.md\n@@ -1 +1 @@\n-Boil the plums for an hour.\n+Boil the plums for two hours.\n", Duration: 2 * time.Second},
		event.ToolStarted{ID: "x", Name: "read_file", Target: "gone.md"},
		event.ToolFinished{ID: "x", Name: "read_file", Summary: "File not found", IsError: true},
		event.AgentMessage{Content: "Both are **ready**."},
		event.StateChanged{State: event.StateThinking},
		event.TextDelta{Text: "# Stone fruit\n\nBoth are in [[Recipes]], ==marked==, with `code` and #tags:\n\n> [!note] Mind\n> the *stones*\n\n- [x] plum\n- [ ] ~~pear~~ cherry\n\n| fruit | weeks |\n|---|---|\n| plum | 6 |\n\n```go\nfunc main() { print(\"x\", 1) } // done\n```\n\nSee [here](https://example.org/a).\n"},
		steps(s.t, 8, 9), event.TurnFinished{})
	s.key("ctrl+t")
}

// Golden screens of one transcript in each theme.
func TestGoldenThemes(t *testing.T) {
	t.Parallel()
	for _, l := range theme.Looks {
		name := l.Name
		for _, size := range []tea.WindowSizeMsg{{Width: 40, Height: 30}, {Width: 80, Height: 60}, {Width: 120, Height: 60}} {
			file := fmt.Sprintf("theme-%s-%d.golden", name, size.Width)
			t.Run(file, func(t *testing.T) {
				t.Parallel()
				s := newScreen(t, func(o *Options) { o.Theme = name })
				s.send(size)
				mixed(s)
				golden.Check(t, file, s.m.View().Content+"\n")
			})
		}
	}
}

// After a change of theme the screen is identical to one that started with it: no old colour remains.
func TestRestyleRedrawsEverything(t *testing.T) {
	t.Parallel()
	for _, from := range []string{theme.Dark, theme.None} {
		for _, l := range theme.Looks {
			to := l.Name
			live := newScreen(t, func(o *Options) { o.Theme = from })
			fresh := newScreen(t, func(o *Options) { o.Theme = to })
			for _, s := range []*screen{live, fresh} {
				s.send(tea.WindowSizeMsg{Width: 90, Height: 400})
				mixed(s)
				s.m.View()
			}
			live.m.restyle(to)
			live.m.dirty = true
			if got, want := live.m.View().Content, fresh.m.View().Content; got != want {
				t.Errorf("from %s to %s differs:\n%q\nwant\n%q", from, to, firstDifference(got, want), firstDifference(want, got))
			}
		}
	}
}

func firstDifference(a, b string) string {
	other := strings.Split(b, "\n")
	for i, l := range strings.Split(a, "\n") {
		if i >= len(other) || other[i] != l {
			return l
		}
	}
	return ""
}

// The marked theme is previewed, Esc restores the previous one, Enter keeps it.
func TestThemePicker(t *testing.T) {
	t.Parallel()
	var kept *fakeSettings
	s := newScreen(t, func(o *Options) {
		o.Theme = theme.Dark
		kept = settingsOf(o)
	})
	s.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	s.ask("what is **bold**?")
	s.deliver(event.TextDelta{Text: "It is **bold**."}, event.TurnFinished{})
	before := s.m.View().Content

	s.typeText("/theme")
	s.key("enter")
	if got := s.m.styles.Name; got != theme.Dark {
		t.Errorf("opening shows %s", got)
	}
	s.key("down")
	if got := s.m.styles.Name; got != theme.Light {
		t.Errorf("the mark is on light and %s is shown", got)
	}
	s.wants("what is **bold**?", "It is bold.")
	s.typeText("cntr")
	if got := s.m.styles.Name; got != theme.Contrast {
		t.Errorf("the filter leads to contrast and %s is shown", got)
	}
	s.key("esc")
	if got := s.m.View().Content; got != before {
		t.Errorf("Esc left something:\n%s\nwant\n%s", got, before)
	}
	if len(kept.set) > 0 {
		t.Errorf("kept %v", kept.set)
	}

	s.typeText("/theme")
	s.key("enter")
	s.typeText("light")
	s.key("enter")
	if s.m.styles.Name != theme.Light || !slices.Equal(kept.set, []string{"theme=light yours"}) {
		t.Errorf("%s is shown, %v kept", s.m.styles.Name, kept.set)
	}
	if !strings.Contains(s.m.View().Content, "Theme: light, kept") {
		t.Errorf("nothing says where it is kept:\n%s", s.m.View().Content)
	}
	s.lacks("Esc to go back")

	s.typeText("/theme warm")
	s.key("enter")
	if s.m.styles.Name != theme.Warm || len(kept.set) != 2 {
		t.Errorf("%s is shown, %v kept", s.m.styles.Name, kept.set)
	}
	s.typeText("/theme pink")
	s.key("enter")
	if view := s.m.View().Content; !strings.Contains(view, "There is no theme pink") || s.m.styles.Name != theme.Warm {
		t.Errorf("pink:\n%s", view)
	}
}

// Without colours no theme has any.
func TestThemePickerWithoutColour(t *testing.T) {
	t.Parallel()
	s := newScreen(t, func(o *Options) { o.NoColor = true })
	s.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	s.typeText("/theme")
	s.key("enter")
	s.key("down", "down", "enter")
	if got := s.m.styles.Name; got != theme.None {
		t.Errorf("%s is shown", got)
	}
}

func TestGoldenThemePicker(t *testing.T) {
	t.Parallel()
	for _, look := range []string{theme.Dark, theme.None} {
		for _, size := range []tea.WindowSizeMsg{{Width: 40, Height: 15}, {Width: 80, Height: 24}, {Width: 120, Height: 40}} {
			file := fmt.Sprintf("themes-%s-%d.golden", look, size.Width)
			t.Run(file, func(t *testing.T) {
				t.Parallel()
				s := newScreen(t, func(o *Options) { o.Theme = look })
				s.send(size)
				mixed(s)
				s.m.composer.Clear()
				s.typeText("/theme")
				s.key("enter")
				golden.Check(t, file, s.m.View().Content+"\n")
			})
		}
	}
}
