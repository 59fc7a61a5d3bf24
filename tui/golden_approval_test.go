package tui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"chatvault/agent/event"
	"chatvault/internal/base/prosediff"
	"chatvault/internal/ptytest/golden"
	"chatvault/tools"
)

const plan = "---\ntags: [house]\ndue: 2026-11-30\n---\n# House\n\nThe fence is painted red, and the gate is green.\n\n## Garden\n\nThe pear trees want pruning before the first frost comes.\n\n- buy paint\n- buy nails\n\n## Kitchen\n\nThe tap drips.\n"

// rewriting returns a request to overwrite a note, with several parts.
func rewriting(id string) event.Request {
	after := strings.NewReplacer("due: 2026-11-30", "due: 2026-12-15", "painted red", "painted blue", "- buy nails\n", "- buy nails\n- ask Jo for the ladder\n", "The tap drips.", "The tap was mended on Friday.").Replace(plan)
	d := prosediff.Compare(plan, after)
	r := event.Request{ID: id, Kind: event.RequestApproval, Text: "Every change waits (approval = writes)."}
	r.Change.Tool, r.Change.Kind, r.Change.Path, r.Change.Detail = "write_file", "overwrite", "Plans/House.md", "222 bytes become 262 bytes"
	r.Change.Prose, r.Change.Pick, r.Change.Unread = d, true, true
	return r
}

// relinking returns a request to move a note that others link to.
func relinking(id string) event.Request {
	r := event.Request{ID: id, Kind: event.RequestApproval, Text: "Every change waits (approval = writes)."}
	r.Change.Tool, r.Change.Kind, r.Change.Path, r.Change.NewPath = "move_file", "move", "House.md", "Plans/House.md"
	r.Change.Detail = "file, 222 bytes; creates the folder Plans"
	for i, name := range []string{"Home.md", "Journal/2026-11-20.md", "People/Jo.md"} {
		r.Change.Rewrites = append(r.Change.Rewrites, tools.LinkRewrite{Path: name, Links: 1 + i%2, Diff: "@@ -4 +4 @@\n-Paint it as [[House]] says.\n+Paint it as [[Plans/House]] says.\n"})
	}
	return r
}

// changingMany returns a request to change many notes at once.
func changingMany(id string) event.Request {
	r := event.Request{ID: id, Kind: event.RequestApproval, Text: "Changing more than 5 notes at once waits (approval = destructive)."}
	r.Change.Tool, r.Change.Kind, r.Change.Detail = "set_property", "edit", "status in notes with #work; 1 note left unchanged: Broken.md"
	for i := range 34 {
		r.Change.Rewrites = append(r.Change.Rewrites, tools.LinkRewrite{Path: fmt.Sprintf("Projects/Note %d.md", i), Links: 1, Diff: "@@ -2 +2 @@\n-status: draft\n+status: done\n"})
	}
	return r
}

// A change word by word, its parts and its updated links, in each theme and width.
func TestGoldenApprovals(t *testing.T) {
	t.Parallel()
	scenes := map[string]func(*screen){
		"approve-prose": func(s *screen) { s.asked(rewriting("r1")) },
		"approve-parts": func(s *screen) { s.asked(rewriting("r1")); s.key("down", "down", "enter", "y", "n", " ") },
		"approve-links": func(s *screen) { s.asked(relinking("r1")) },
		"approve-many":  func(s *screen) { s.asked(changingMany("r1")) },
	}
	for name, scene := range scenes {
		for _, look := range []string{"dark", "light", "none"} {
			for _, size := range []tea.WindowSizeMsg{{Width: 40, Height: 20}, {Width: 80, Height: 24}, {Width: 120, Height: 40}} {
				file := fmt.Sprintf("%s-%s-%d.golden", name, look, size.Width)
				t.Run(file, func(t *testing.T) {
					t.Parallel()
					s := newScreen(t, func(o *Options) { o.Theme = look })
					s.send(size)
					scene(s)
					golden.Check(t, file, s.m.View().Content+"\n")
				})
			}
		}
	}
}

// The accepted parts are submitted to the turn and reported in the transcript.
func TestPartsAreAnswered(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.asked(rewriting("r1"))
	s.wants("Choose parts…", "The agent has not read this note.", "222 bytes become 262 bytes")
	s.key("down", "down", "enter", "y", "n", "y", "enter")
	s.answers(answered{ID: "r1", Answer: event.Answer{Decision: event.AllowOnce, Hunks: []int{0, 2}}})
	s.lacks("Overwrite this note?")
	s.deliver(event.RequestEnded{ID: "r1", Decision: event.AllowOnce, Hunks: []int{0, 2}})
	s.wants("Accepted 2 of 4 parts of the change to Plans/House.md.")
	if got := s.m.composer.Value(); got != "" {
		t.Errorf("the composer holds %q", got)
	}
}
