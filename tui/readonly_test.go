package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// A read-only vault is marked next to its name, even on a narrow screen, and the first screen promises no changes.
func TestAReadOnlyVault(t *testing.T) {
	t.Parallel()
	for width, want := range map[int]string{
		80: "◆ Garden notes · read-only", 40: "◆ Garden notes · read-only", 24: "· read-only",
	} {
		s := newScreen(t, func(o *Options) { o.ReadOnly = true })
		s.send(tea.WindowSizeMsg{Width: width, Height: 24})
		head := strings.TrimSpace(strings.Split(s.text(), "\n")[0])
		if !strings.Contains(head, want) {
			t.Errorf("%d: %q", width, head)
		}
		if width >= 40 {
			s.wants("This vault is read-only")
			s.lacks("/undo takes", "ask first", "or say what to write")
		}
	}
}
