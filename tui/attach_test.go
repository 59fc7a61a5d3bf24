package tui

import (
	"context"
	"testing"

	"chatvault/internal/app/session"

	tea "charm.land/bubbletea/v2"
)

// A file that cannot be attached is shown with the reason. It is submitted anyway, so that the turn reports it too.
func TestUnattachableFileShowsTheReason(t *testing.T) {
	s := newScreen(t, func(o *Options) {
		completingOf(o).find = func(_ context.Context, _ []string) (map[string]session.VaultFile, error) {
			return map[string]session.VaultFile{
				`a\b.md`: {Path: `a\b.md`, Why: "its name has a backslash"},
				"c.md":   {Path: "c.md", Size: 12},
			}, nil
		}
	})
	s.send(tea.WindowSizeMsg{Width: 40, Height: 15})
	s.typeText(`sum up @a\b.md and @c.md now`)
	s.wants("+ c.md 12 B", `✗ a\b.md: its name has a backslash`)
	s.key("enter")
	if got := s.f.sent; len(got) != 1 || len(got[0].Attach) != 2 {
		t.Errorf("sent: %+v", got)
	}
}
