package keys

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"pgregory.net/rapid"
)

func runes(s string) tea.KeyMsg { return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(s)} }

func TestName(t *testing.T) {
	tests := []struct {
		name string
		key  tea.KeyMsg
		want string
	}{
		{"a key", tea.KeyMsg{Type: tea.KeyEnter}, "enter"},
		{"with Alt", tea.KeyMsg{Type: tea.KeyEnter, Alt: true}, "alt+enter"},
		{"with Ctrl", tea.KeyMsg{Type: tea.KeyCtrlC}, "ctrl+c"},
		{"a character", runes("?"), "?"},
		{"a character with Alt", tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("b"), Alt: true}, "alt+b"},
		{"a space", tea.KeyMsg{Type: tea.KeySpace, Runes: []rune(" ")}, " "},
		{"a pasted character", tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("?"), Paste: true}, ""},
		{"the word enter", runes("enter"), ""},
		{"the word enter with Alt", tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("enter"), Alt: true}, ""},
		{"nothing", runes(""), ""},
	}
	for _, tt := range tests {
		if got := Name(tt.key); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// Whatever is written, more than one character of it is no key.
func TestTextIsNoKey(t *testing.T) {
	named := []string{
		"enter", "esc", "ctrl+c", "ctrl+d", "pgup", "pgdown", "f1", "up", "down", "home", "end", "tab", "alt+b",
		"shift+up", "ctrl+home", "backspace", "delete", "[enter]", "ctrl+z",
	}
	every := key.NewBinding(key.WithKeys(named...))
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.SampledFrom(named), rapid.StringN(2, 20, -1)).Draw(t, "text")
		k := runes(text)
		if Name(k) != "" || Matches(k, every) {
			t.Fatalf("%q is taken for a key", text)
		}
		if got, ok := Text(k); !ok || got != text {
			t.Fatalf("%q writes %q", text, got)
		}
	})
}

func TestMatches(t *testing.T) {
	b := key.NewBinding(key.WithKeys("enter", "ctrl+j"))
	if !Matches(tea.KeyMsg{Type: tea.KeyEnter}, b) || !Matches(tea.KeyMsg{Type: tea.KeyCtrlJ}, b) || Matches(tea.KeyMsg{Type: tea.KeyEsc}, b) {
		t.Error("a key does not match what is bound to it, or matches another")
	}
	b.SetEnabled(false)
	if Matches(tea.KeyMsg{Type: tea.KeyEnter}, b) {
		t.Error("matches what is off")
	}
}

func TestText(t *testing.T) {
	if _, ok := Text(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("b"), Alt: true}); ok {
		t.Error("Alt+B writes")
	}
	if _, ok := Text(tea.KeyMsg{Type: tea.KeyEnter}); ok {
		t.Error("Enter writes")
	}
	if got, ok := Text(tea.KeyMsg{Type: tea.KeySpace, Runes: []rune(" ")}); !ok || got != " " {
		t.Error("Space does not write")
	}
}

// The screen matches keys through this package alone: Bubble Tea's own ways take the
// typed word "enter" for the key.
func TestNothingElseNamesKeys(t *testing.T) {
	other := regexp.MustCompile(`key\.Matches\(|\b(k|msg|keyMsg)\.String\(\)`)
	err := filepath.WalkDir("..", func(path string, _ os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || filepath.Dir(path) == filepath.Join("..", "keys") {
			return err
		}
		src, err := os.ReadFile(path)
		if err == nil {
			for _, hit := range other.FindAllString(string(src), -1) {
				t.Errorf("%s: %s; use keys.Matches or keys.Name", path, hit)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
