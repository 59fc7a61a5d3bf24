package keys

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"
)

func runes(s string) tea.KeyPressMsg { return Typed(s) }

func TestName(t *testing.T) {
	tests := []struct {
		name string
		key  tea.KeyPressMsg
		want string
	}{
		{"a key", Press("enter"), "enter"},
		{"with Alt", Press("alt+enter"), "alt+enter"},
		{"with Ctrl", Press("ctrl+c"), "ctrl+c"},
		{"a character", runes("?"), "?"},
		{"a character with Alt", Press("alt+b"), "alt+b"},
		{"a space", Press("space"), "space"},
		{"a pasted character", Paste("?"), ""},
		{"the word enter", runes("enter"), ""},
		{"nothing", runes(""), ""},
	}
	for _, tt := range tests {
		if got := Name(tt.key); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// More than one character is never a key.
func TestTextIsNotAKey(t *testing.T) {
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
	if !Matches(Press("enter"), b) || !Matches(Press("ctrl+j"), b) || Matches(Press("esc"), b) {
		t.Error("a key does not match what is bound to it, or matches another")
	}
	b.SetEnabled(false)
	if Matches(Press("enter"), b) {
		t.Error("matches what is off")
	}
}

func TestText(t *testing.T) {
	if _, ok := Text(Press("alt+b")); ok {
		t.Error("Alt+B writes")
	}
	if _, ok := Text(Press("enter")); ok {
		t.Error("Enter writes")
	}
	if got, ok := Text(Press("space")); !ok || got != " " {
		t.Error("Space does not write")
	}
}

// The screen must match keys only through this package: Bubble Tea's own functions mistake the typed word "enter" for
// the key.
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
