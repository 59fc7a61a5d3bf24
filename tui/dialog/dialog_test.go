package dialog

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"chatvault/tui/theme"

	"chatvault/tui/keys"
)

func confirm() *Confirm {
	return NewConfirm(theme.New(theme.Dark, colorprofile.ASCII), "Delete the note?", "It goes to the trash.", "a.md", []Choice{
		{Label: "Delete", Result: "yes"}, {Label: "Keep", Result: "no"},
	}, 1, "escaped", "typed")
}

func runes(s string) tea.KeyPressMsg { return keys.Typed(s) }

func TestConfirm(t *testing.T) {
	tests := []struct {
		name  string
		keys  []tea.KeyPressMsg
		want  any
		typed bool
	}{
		{"enter takes the preferred", []tea.KeyPressMsg{keys.Press("enter")}, "no", false},
		{"up and enter", []tea.KeyPressMsg{keys.Press("up"), keys.Press("enter")}, "yes", false},
		{"down goes round", []tea.KeyPressMsg{keys.Press("down"), keys.Press("enter")}, "yes", false},
		{"escape", []tea.KeyPressMsg{keys.Press("esc")}, "escaped", false},
		{"ctrl+c", []tea.KeyPressMsg{keys.Press("ctrl+c")}, "escaped", false},
		{"a letter is text", []tea.KeyPressMsg{runes("d")}, "typed", true},
		{"a word is text", []tea.KeyPressMsg{runes("enter")}, "typed", true},
		{"a paste is text", []tea.KeyPressMsg{keys.Paste("y")}, "typed", true},
		{"another key decides nothing", []tea.KeyPressMsg{keys.Press("f1")}, nil, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var s Stack
			s.Push(confirm())
			var got Outcome
			for _, k := range tt.keys {
				got = s.Key(k, time.Now())
			}
			if got.Result != tt.want || got.Typed != tt.typed || s.Empty() != (tt.want != nil) {
				t.Errorf("%+v (closed %v), want %v", got, s.Empty(), tt.want)
			}
		})
	}
}

func TestATextThatDecidesNothingLeavesTheQuestionOpen(t *testing.T) {
	var s Stack
	s.Push(NewConfirm(theme.New(theme.Dark, colorprofile.ASCII), "Sure?", "", "", []Choice{{Label: "Yes", Result: 1}}, 0, 0, nil))
	if got := s.Key(runes("yes"), time.Now()); !got.Typed || got.Closed || s.Empty() {
		t.Errorf("%+v", got)
	}
}

func TestUnaskedDialogTakesNoKeyAtFirst(t *testing.T) {
	var s Stack
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	if s.Takes(now) {
		t.Error("an empty stack takes keys")
	}
	s.PushUnasked(confirm(), now)
	if s.Takes(now.Add(Settle - 1)) {
		t.Error("takes a key too soon")
	}
	if !s.Takes(now.Add(Settle)) {
		t.Error("takes no key after its time")
	}
}

// The choices stay in sight at any size.
func TestConfirmFits(t *testing.T) {
	for width := 10; width <= 120; width += 7 {
		for height := 6; height <= 40; height += 5 {
			lines := confirm().Lines(width, height)
			if len(lines) > height {
				t.Fatalf("%d lines at height %d", len(lines), height)
			}
			for _, l := range lines {
				if w := ansi.StringWidth(l); w > width {
					t.Fatalf("%d cells at width %d: %q", w, width, l)
				}
			}
			if height >= 8 && width > 20 && !strings.Contains(strings.Join(lines, "\n"), "Keep") {
				t.Fatalf("a choice is out of sight at %dx%d:\n%s", width, height, strings.Join(lines, "\n"))
			}
		}
	}
}

func TestHelpScrolls(t *testing.T) {
	var entries []Entry
	for range 50 {
		entries = append(entries, Entry{"key", "does something"})
	}
	entries = append(entries, Entry{"the last", "of all"})
	h := NewHelp(theme.New(theme.Dark, colorprofile.ASCII), []Section{{Title: "Keys", Entries: entries}})
	if got := strings.Join(h.Lines(60, 12), "\n"); strings.Contains(got, "the last") || !strings.Contains(got, "Keys") {
		t.Errorf("at first:\n%s", got)
	}
	if h.Key(keys.Press("end")).Closed {
		t.Error("End closes the help")
	}
	if got := strings.Join(h.Lines(60, 12), "\n"); !strings.Contains(got, "the last") {
		t.Errorf("at the end:\n%s", got)
	}
	if !h.Key(keys.Press("esc")).Closed {
		t.Error("Esc does not close the help")
	}
	if got := h.Key(runes("what")); !got.Closed || !got.Typed {
		t.Errorf("typing: %+v; want the help closed and the text passed on", got)
	}
}

// Nothing of the help is cut, however narrow the screen.
func TestHelpIsWhole(t *testing.T) {
	entries := []Entry{
		{"Alt+Enter, Ctrl+J", "new line (or a backslash before Enter)"},
		{"Ctrl+D", "quit, when nothing is written; a turn that runs is kept for the next start"},
	}
	for _, width := range []int{20, 40, 52, 60, 80, 120} {
		h := NewHelp(theme.New(theme.Dark, colorprofile.ASCII), []Section{{Title: "Writing", Entries: entries}})
		lines := h.Lines(width, 60)
		text := strings.Join(strings.Fields(strings.NewReplacer("│", " ", "\n", " ").Replace(ansi.Strip(strings.Join(lines, "\n")))), " ")
		for _, e := range entries {
			for _, word := range strings.Fields(e.Name + " " + e.Does) {
				if !strings.Contains(text, word) {
					t.Errorf("at %d: %q is missing in\n%s", width, word, strings.Join(lines, "\n"))
				}
			}
		}
		for _, l := range lines {
			if w := ansi.StringWidth(l); w > width {
				t.Errorf("%d cells at width %d: %q", w, width, l)
			}
		}
	}
}

// What a question lists is shown as far as there is room, and how much more there is is said.
func TestConfirmLists(t *testing.T) {
	goes := func(n int) (items []string) {
		for i := range n {
			items = append(items, fmt.Sprintf("B%d.md goes away", n-i))
		}
		return items
	}
	long := strings.Repeat("a long name ", 20) + "goes away"
	for _, tt := range []struct {
		name          string
		items         []string
		width, height int
		want          []string
		lacks         string
	}{
		{"all of it", goes(4), 80, 24, []string{"▎ B4.md goes away", "▎ B1.md goes away"}, "more"},
		{"many", goes(6), 80, 24, []string{"▎ B4.md goes away", "▎ … and 3 more changes"}, "B3"},
		{"one more", []string{long, "B1.md goes away"}, 50, 12, []string{"▎ a long name", "▎ … and 1 more change "}, "B1.md"},
		{"little room", goes(6), 38, 12, []string{"▎ B6.md goes away", "▎ … and 4 more changes"}, "B4.md"},
		{"less", goes(6), 38, 11, []string{"▎ B6.md goes away", "▎ … and 5 more changes"}, "B5.md"},
		{"a row", goes(6), 38, 10, []string{"▎ 6 changes: B6.md goes away, …"}, "B5.md"},
		{"a row for one", goes(1), 38, 10, []string{"▎ B1.md goes away"}, "changes"},
	} {
		c := NewConfirm(plainStyles(), "What you leave changed 6 notes. Take that back too?", "What somebody changed since stays as it is.", "", []Choice{
			{Label: "Take it back"}, {Label: "Leave the notes as they are"}, {Label: "Do not go back"},
		}, 1, nil, nil)
		c.List(tt.items, "change")
		lines := c.Lines(tt.width, tt.height)
		text := strings.Join(lines, "\n")
		for _, want := range append(tt.want, "› Leave the notes") {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q is missing:\n%s", tt.name, want, text)
			}
		}
		if strings.Contains(text, tt.lacks) || len(lines) > tt.height {
			t.Errorf("%s: %d lines, or %q is shown:\n%s", tt.name, len(lines), tt.lacks, text)
		}
	}
	for height := range 30 {
		c := NewConfirm(plainStyles(), "Try it again?", "It was not finished.", strings.Repeat("a line of what was said\n", 3)+"the end", []Choice{{Label: "Yes"}}, 0, nil, nil)
		text := strings.Join(c.Lines(40, height), "\n")
		if strings.Contains(text, "▎") && !strings.Contains(text, "the end") && !strings.Contains(text, "…") {
			t.Errorf("something is left out unsaid at height %d:\n%s", height, text)
		}
	}
}
