package composer

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/rivo/uniseg"
	"pgregory.net/rapid"

	"chatvault/internal/base/cells"
	"chatvault/tui/keys"
	"chatvault/tui/theme"
)

func newTest() *Model {
	m := New(theme.New(theme.Dark, colorprofile.ASCII))
	m.SetSize(20, 5)
	return m
}

func press(m *Model, keys ...string) {
	for _, k := range keys {
		m.Key(keyMsg(k))
	}
}

func keyMsg(k string) tea.KeyPressMsg {
	names := map[string]tea.KeyPressMsg{
		"left": keys.Press("left"), "right": keys.Press("right"), "up": keys.Press("up"), "down": keys.Press("down"),
		"home": keys.Press("home"), "end": keys.Press("end"), "backspace": keys.Press("backspace"),
		"delete": keys.Press("delete"), "ctrl+w": keys.Press("ctrl+w"), "ctrl+u": keys.Press("ctrl+u"),
		"ctrl+r": keys.Press("ctrl+r"), "ctrl+x": keys.Press("ctrl+x"), "ctrl+k": keys.Press("ctrl+k"), "ctrl+j": keys.Press("ctrl+j"), "alt+b": keys.Press("alt+b"),
		"alt+f": keys.Press("alt+f"), "alt+d": keys.Press("alt+d"),
		"alt+enter": keys.Press("alt+enter"), "space": keys.Press("space"),
	}
	if msg, ok := names[k]; ok {
		return msg
	}
	return keys.Typed(k)
}

func TestEditing(t *testing.T) {
	tests := []struct {
		name string
		keys []string
		want string
	}{
		{"typing", []string{"a", "space", "b"}, "a b"},
		{"new lines", []string{"a", "ctrl+j", "b", "alt+enter", "c"}, "a\nb\nc"},
		{"backspace joins lines", []string{"a", "ctrl+j", "backspace", "b"}, "ab"},
		{"delete joins lines", []string{"a", "ctrl+j", "b", "up", "end", "delete"}, "ab"},
		{"insert inside", []string{"ac", "left", "b"}, "abc"},
		{"family is one character", []string{"x👩‍👩‍👧‍👦", "backspace"}, "x"},
		{"combining mark goes with its letter", []string{"ae\u0301", "backspace"}, "a"},
		{"word left", []string{"one two", "alt+b", "X"}, "one Xtwo"},
		{"word right", []string{"one two", "home", "alt+f", "X"}, "oneX two"},
		{"delete word", []string{"one two", "ctrl+w"}, "one "},
		{"delete word right", []string{"one two", "home", "alt+d"}, " two"},
		{"kill left", []string{"one", "left", "ctrl+u"}, "e"},
		{"kill right", []string{"one", "home", "right", "ctrl+k"}, "o"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := newTest()
			press(m, tt.keys...)
			if got := m.Value(); got != tt.want {
				t.Errorf("value %q, want %q", got, tt.want)
			}
		})
	}
}

func TestBackslashContinues(t *testing.T) {
	m := newTest()
	press(m, `one\`)
	if !m.Continue() || m.Value() != "one\n" {
		t.Errorf("value %q", m.Value())
	}
	press(m, `two\\`)
	if m.Continue() {
		t.Error("an escaped backslash continues")
	}
}

func TestHistoryKeepsTheDraft(t *testing.T) {
	m := newTest()
	m.SetHistory([]string{"first", "second"})
	press(m, "draft", "up", "up")
	if m.Value() != "first" {
		t.Fatalf("two up: %q", m.Value())
	}
	press(m, "up")
	if m.Value() != "first" {
		t.Errorf("past the oldest: %q", m.Value())
	}
	press(m, "down", "down")
	if m.Value() != "draft" {
		t.Errorf("back again: %q", m.Value())
	}
	if m.Remember("second") {
		t.Error("remembered what is the newest already")
	}
	if !m.Remember("third") || m.Remember("  ") {
		t.Error("Remember does not tell new from empty")
	}
	m.Clear()
	press(m, "up")
	if m.Value() != "third" {
		t.Errorf("newest: %q", m.Value())
	}
}

func TestPasteOfManyLinesIsWhole(t *testing.T) {
	m := newTest()
	text := strings.TrimSuffix(strings.Repeat("a pasted line\r\n", 30000), "\r\n")
	m.Key(keys.Paste(text))
	if got := strings.Count(m.Value(), "\n"); got != 29999 {
		t.Errorf("%d line breaks, want 29999", got)
	}
	began := time.Now()
	for range 50 {
		press(m, "x")
		m.Lines()
	}
	if d := time.Since(began) / 50; d > 100*time.Millisecond { // with a margin for a loaded machine
		t.Errorf("a key in a long text takes %v", d)
	}
	m.SetSize(20, 5)
	if got := len(m.Lines()); got != 5 {
		t.Errorf("drew %d rows, want the limit", got)
	}
}

func TestGrowsToItsLimit(t *testing.T) {
	m := newTest()
	for i := 1; i <= 8; i++ {
		if got, want := len(m.Lines()), min(i, 5); got != want {
			t.Errorf("%d lines: %d rows, want %d", i, got, want)
		}
		press(m, "x", "ctrl+j")
	}
}

// After any keys the text is valid and the cursor is in it and on the screen.
func TestAnyKeysKeepTheTextValid(t *testing.T) {
	keys := []string{
		"left", "right", "up", "down", "home", "end", "backspace", "delete", "ctrl+w", "ctrl+u", "ctrl+k", "ctrl+j",
		"alt+b", "alt+f", "alt+d", "space", "a", "word", "é", "日本語", "👩‍👩‍👧‍👦", "\t", "a long run of words to wrap ",
	}
	rapid.Check(t, func(t *rapid.T) {
		cells.SetClusters(rapid.Bool().Draw(t, "terminal draws clusters"))
		defer cells.SetClusters(false)
		m := newTest()
		m.styles = theme.New(theme.Dark, colorprofile.ANSI)
		m.SetSize(rapid.IntRange(1, 30).Draw(t, "width"), rapid.IntRange(1, 6).Draw(t, "limit"))
		for _, k := range rapid.SliceOfN(rapid.SampledFrom(keys), 0, 40).Draw(t, "keys") {
			press(m, k)
			e := &m.editor
			if e.line < 0 || e.line >= len(e.lines) || e.col < 0 || e.col > len(e.current()) || !utf8.ValidString(m.Value()) {
				t.Fatalf("after %q: line %d col %d of %q", k, e.line, e.col, e.lines)
			}
			drawn := m.Lines()
			if len(drawn) == 0 || len(drawn) > m.limit {
				t.Fatalf("after %q: %d rows, limit %d", k, len(drawn), m.limit)
			}
			if !strings.Contains(strings.Join(drawn, "\n"), theme.Cursor) {
				t.Fatalf("after %q the cursor is not in sight of %q: %q", k, m.Value(), drawn)
			}
			for _, l := range drawn {
				if w := cells.Width(l); w > max(m.width, 4)+3 && uniseg.GraphemeClusterCount(ansi.Strip(l)) > 3 { // a single character may be wider
					t.Fatalf("row of %d cells at width %d: %q", w, m.width, l)
				}
			}
		}
	})
}
