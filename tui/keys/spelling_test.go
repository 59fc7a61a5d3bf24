package keys

import (
	"maps"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"pgregory.net/rapid"
)

func TestSpell(t *testing.T) {
	for _, tt := range []struct{ written, want, fault, show string }{
		{"ctrl+x", "ctrl+x", "", "Ctrl+X"},
		{"Ctrl+X", "ctrl+x", "", "Ctrl+X"},
		{"F5", "f5", "", "F5"},
		{"shift+up", "shift+up", "", "Shift+↑"},
		{"alt+enter", "alt+enter", "", "Alt+Enter"},
		{"alt+b", "alt+b", "", "Alt+B"},
		{"ctrl+alt+x", "ctrl+alt+x", "", "Ctrl+Alt+X"},
		{"ctrl+space", "ctrl+space", "", "Ctrl+Space"},
		{"space", "space", "", "Space"},
		{"?", "?", "", "?"},
		{"+", "+", "", "+"},
		{"é", "é", "", "é"},
		{"shift+enter", "shift+enter", "", "Shift+Enter"},
		{"ctrl+enter", "ctrl+enter", "", "Ctrl+Enter"},
		{"ctrl+shift+a", "ctrl+shift+a", "", "Ctrl+Shift+A"},
		{"ctrl+1", "ctrl+1", "", "Ctrl+1"},
		{"cmd+k", "", "is not a key", ""},
		{"shift+a", "", "is not a key", ""},
		{"alt+ctrl+x", "", "is not a key", ""},
		{"f21", "", "is not a key", ""},
		{"ctrl", "", "is not a key", ""},
		{"hello", "", "is not a key", ""},
		{"runes", "", "is not a key", ""},
		{"ctrl+i", "tab", "", "Tab"}, // terminals send the same for both
		{"", "", "is not a key", ""},
		{"\x07", "", "is not a key", ""},
	} {
		got, err := Spell(tt.written)
		fault := ""
		if err != nil {
			fault = err.Error()
		}
		if got != tt.want || (tt.fault == "") != (fault == "") || !strings.Contains(fault, tt.fault) {
			t.Errorf("Spell(%q) = %q, %q; want %q, %q", tt.written, got, fault, tt.want, tt.fault)
		}
		if tt.show != "" && Show(got) != tt.show {
			t.Errorf("Show(%q) = %q, want %q", got, Show(got), tt.show)
		}
	}
}

// Spell returns the name that Press's event has, and accepts the result of Show.
func TestSpellAndPressAgree(t *testing.T) {
	names := slices.Sorted(maps.Keys(special))
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.SampledFrom(names).Draw(rt, "key")
		if rapid.Bool().Draw(rt, "letter") {
			name = rapid.StringMatching(`[a-z?/é]`).Draw(rt, "letter key")
			if rapid.Bool().Draw(rt, "ctrl") {
				name = Name(tea.KeyPressMsg{Code: Press(name).Code, Mod: tea.ModCtrl})
			}
		}
		if rapid.Bool().Draw(rt, "alt") {
			name = Name(tea.KeyPressMsg{Code: Press(name).Code, Mod: Press(name).Mod | tea.ModAlt})
		}
		spelt, err := Spell(name)
		if err != nil || spelt != name {
			rt.Fatalf("Spell(%q) = %q, %v", name, spelt, err)
		}
		if got := Name(Press(name)); got != name {
			rt.Fatalf("Press(%q) is called %q", name, got)
		}
	})
}
