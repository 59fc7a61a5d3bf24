package dialog

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"

	"chatvault/tui/theme"
)

func confirm() *Confirm {
	return NewConfirm(theme.New(theme.Dark, termenv.Ascii), "Delete the note?", "It goes to the trash.", "a.md", []Choice{
		{Label: "Delete", Result: "yes"}, {Label: "Keep", Result: "no"},
	}, 1, "escaped", "typed")
}

func runes(s string) tea.KeyMsg { return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(s)} }

func TestConfirm(t *testing.T) {
	tests := []struct {
		name  string
		keys  []tea.KeyMsg
		want  any
		typed bool
	}{
		{"enter takes the preferred", []tea.KeyMsg{{Type: tea.KeyEnter}}, "no", false},
		{"up and enter", []tea.KeyMsg{{Type: tea.KeyUp}, {Type: tea.KeyEnter}}, "yes", false},
		{"down goes round", []tea.KeyMsg{{Type: tea.KeyDown}, {Type: tea.KeyEnter}}, "yes", false},
		{"escape", []tea.KeyMsg{{Type: tea.KeyEsc}}, "escaped", false},
		{"ctrl+c", []tea.KeyMsg{{Type: tea.KeyCtrlC}}, "escaped", false},
		{"a letter is text", []tea.KeyMsg{runes("d")}, "typed", true},
		{"a word is text", []tea.KeyMsg{runes("enter")}, "typed", true},
		{"a paste is text", []tea.KeyMsg{{Type: tea.KeyRunes, Runes: []rune("y"), Paste: true}}, "typed", true},
		{"another key decides nothing", []tea.KeyMsg{{Type: tea.KeyF1}}, nil, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var s Stack
			s.Push(confirm())
			var got Outcome
			for _, k := range tt.keys {
				got = s.Key(k)
			}
			if got.Result != tt.want || got.Typed != tt.typed || s.Empty() != (tt.want != nil) {
				t.Errorf("%+v (closed %v), want %v", got, s.Empty(), tt.want)
			}
		})
	}
}

func TestATextThatDecidesNothingLeavesTheQuestionOpen(t *testing.T) {
	var s Stack
	s.Push(NewConfirm(theme.New(theme.Dark, termenv.Ascii), "Sure?", "", "", []Choice{{Label: "Yes", Result: 1}}, 0, 0, nil))
	if got := s.Key(runes("yes")); !got.Typed || got.Closed || s.Empty() {
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
	entries = append(entries, Bindings(key.NewBinding(key.WithKeys("x"), key.WithHelp("the last", "of all")))...)
	h := NewHelp(theme.New(theme.Dark, termenv.Ascii), []Section{{Title: "Keys", Entries: entries}})
	if got := strings.Join(h.Lines(60, 12), "\n"); strings.Contains(got, "the last") || !strings.Contains(got, "Keys") {
		t.Errorf("at first:\n%s", got)
	}
	if h.Key(tea.KeyMsg{Type: tea.KeyEnd}).Closed {
		t.Error("End closes the help")
	}
	if got := strings.Join(h.Lines(60, 12), "\n"); !strings.Contains(got, "the last") {
		t.Errorf("at the end:\n%s", got)
	}
	if !h.Key(tea.KeyMsg{Type: tea.KeyEsc}).Closed {
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
		h := NewHelp(theme.New(theme.Dark, termenv.Ascii), []Section{{Title: "Writing", Entries: entries}})
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
