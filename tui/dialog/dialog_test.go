package dialog

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/base/cells"
	"chatvault/tui/keys"
	"chatvault/tui/theme"
)

func confirm() *Reader {
	return NewConfirm(theme.New(theme.Dark, colorprofile.ASCII), "Delete the note?", "It goes to the trash.", []string{"a.md"}, []Choice{
		{Label: "Delete", Result: "yes"}, {Label: "Keep", Result: "no"},
	}, 1, "escaped")
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
		{"a letter is text", []tea.KeyPressMsg{runes("d")}, nil, true},
		{"a word is text", []tea.KeyPressMsg{runes("enter")}, nil, true},
		{"a paste is text", []tea.KeyPressMsg{keys.Paste("y")}, nil, true},
		{"enter after a text is for the text", []tea.KeyPressMsg{runes("hm"), keys.Press("enter")}, nil, true},
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

func TestOtherTextLeavesTheQuestionOpen(t *testing.T) {
	var s Stack
	s.Push(NewConfirm(theme.New(theme.Dark, colorprofile.ASCII), "Sure?", "", nil, []Choice{{Label: "Yes", Result: 1}}, 0, 0))
	if got := s.Key(runes("yes"), time.Now()); !got.Typed || got.Closed || s.Empty() {
		t.Errorf("%+v", got)
	}
}

func TestUnaskedDialogIgnoresKeysAtFirst(t *testing.T) {
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

// The choices are visible at any size.
func TestConfirmFits(t *testing.T) {
	for width := 10; width <= 120; width += 7 {
		for height := 6; height <= 40; height += 5 {
			lines := confirm().Lines(width, height)
			if len(lines) > height {
				t.Fatalf("%d lines at height %d", len(lines), height)
			}
			for _, l := range lines {
				if w := cells.Width(l); w > width {
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
	if got := h.Key(runes("what")); !got.Typed {
		t.Errorf("typing: %+v; want the text passed on", got)
	}
}

// The help is never truncated, however narrow the screen.
func TestHelpIsNeverTruncated(t *testing.T) {
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
			if w := cells.Width(l); w > width {
				t.Errorf("%d cells at width %d: %q", w, width, l)
			}
		}
	}
}

// A question lists as many items as fit and counts the rest.
func TestConfirmLists(t *testing.T) {
	var items []string
	for i := range 30 {
		items = append(items, fmt.Sprintf("B%d.md goes away", i))
	}
	c := NewConfirm(plainStyles(), "What you leave changed 30 notes. Take that back too?", "What somebody changed since stays as it is.", items, []Choice{
		{Label: "Take it back"}, {Label: "Leave the notes as they are"}, {Label: "Do not go back"},
	}, 1, nil)
	for _, height := range []int{10, 14, 24} {
		c.home()
		text := strings.Join(c.Lines(60, height), "\n")
		for _, want := range []string{"changed 30 notes", "› Leave the notes", "↓"} {
			if !strings.Contains(text, want) {
				t.Errorf("%q is missing at height %d:\n%s", want, height, text)
			}
		}
		c.end()
		if text := strings.Join(c.Lines(60, height), "\n"); !strings.Contains(text, "since stays as it is") {
			t.Errorf("the end at height %d:\n%s", height, text)
		}
	}
}

// An open dialog is redrawn in a new theme.
func TestAnotherThemeRedraws(t *testing.T) {
	s := theme.New(theme.Dark, colorprofile.TrueColor)
	a := NewApproval(s, tart().proposed(), []Choice{{Label: "Allow", Result: 1}}, nil, false)
	before := strings.Join(a.Lines(80, 30), "\n")
	*s = *theme.New("warm", colorprofile.TrueColor)
	b := NewApproval(s, tart().proposed(), []Choice{{Label: "Allow", Result: 1}}, nil, false)
	if after := strings.Join(a.Lines(80, 30), "\n"); after == before || after != strings.Join(b.Lines(80, 30), "\n") {
		t.Error("what was drawn before stays in the theme before")
	}
}
