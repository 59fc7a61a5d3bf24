package tui

import (
	"fmt"
	"testing"

	tea "charm.land/bubbletea/v2"

	"chatvault/agent/event"
	"chatvault/tools"
)

// A request shows that its note changed on disk, even on a small screen, while queued, or if the note is changed only
// in its links or lies in the affected folder.
func TestAnApprovalSaysThatItsNoteChanged(t *testing.T) {
	t.Parallel()
	const said = "Changed on disk since"
	for name, tt := range map[string]struct {
		change func(*event.Request)
		path   string
		want   bool
	}{
		"its note":          {func(*event.Request) {}, "Recipes/Nectarine tart.md", true},
		"another":           {func(*event.Request) {}, "Recipes/Nectarine tart.md.md", false},
		"a note to relink":  {func(r *event.Request) { r.Change.Rewrites = []tools.LinkRewrite{{Path: "Home.md", Links: 1}} }, "Home.md", true},
		"in its folder":     {func(r *event.Request) { r.Change.Path = "Recipes" }, "Recipes/Plums.md", true},
		"beside its folder": {func(r *event.Request) { r.Change.Path = "Recipes" }, "Recipes.md", false},
	} {
		for _, size := range []tea.WindowSizeMsg{{Width: 40, Height: 15}, {Width: 80, Height: 24}, {Width: 200, Height: 50}} {
			t.Run(fmt.Sprintf("%s at %d", name, size.Width), func(t *testing.T) {
				t.Parallel()
				s := newScreen(t)
				s.send(size)
				r := edit("r1")
				tt.change(&r)
				s.asked(r)
				s.lacks(said)
				s.deliver(event.NoteChanged{Path: tt.path})
				if tt.want {
					s.wants(said, "› ")
				} else {
					s.lacks(said)
				}
				checkFrame(t, s.m)
			})
		}
	}
	s := newScreen(t)
	other := edit("r2")
	other.Change.Path = "Home.md"
	s.asked(deletion("r1"), other)
	s.deliver(event.NoteChanged{Path: "Home.md"})
	s.lacks(said)
	s.key("n")
	s.wants("Home.md", said)
}
