package tui

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"chatvault/agent/event"
	"chatvault/internal/app/session"
	"chatvault/internal/ptytest/golden"
)

func newUndoScreen(t *testing.T, change ...func(*Options)) (*screen, *undoing) {
	u := newUndoing(time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC))
	return newScreen(t, append([]func(*Options){u.options}, change...)...), u
}

func (s *screen) slash(command string) {
	s.typeText(command)
	s.key("enter")
}

// The list shows the changes of each turn; Enter shows details, and u undoes them after a confirmation that lists the
// effects.
func TestChanges(t *testing.T) {
	s, u := newUndoScreen(t)
	s.slash("/changes")
	s.wants("sort the recipes into folders", "11:55 AM", "moved Tart.md to Recipes/Tart.md, with 4 links in 3 notes", "and 3 more changes",
		"rename the tart", "undone · ask", "Created Tart.md")
	s.key("enter")
	s.wants("5 changes · 11:55 AM", "Edited Home.md", "better than the jam", "Undo it… (u)")
	s.key("u")
	s.wants("Undo this?", "Recipes/Tart.md moves back to Tart.md", "Recipes/Index.md goes away", "Old list.md comes back", "listed. /redo")
	if len(u.asked) > 0 {
		t.Fatalf("taken back unasked: %v", u.asked)
	}
	s.key("enter") // changes nothing
	if len(u.asked) > 0 {
		t.Fatalf("Enter took back what was not chosen: %v", u.asked)
	}
	s.key("u", "up", "enter")
	if fmt.Sprint(u.asked) != "[t3]" {
		t.Fatalf("asked for %v", u.asked)
	}
	s.wants("↺ Undone: “sort the recipes into folders” · /redo restores it", "• Restored Old list.md", "• Moved Recipes/Tart.md back to Tart.md")
	s.lacks("Changes in this vault")
}

// Text typed while reading changes goes to the composer, including u once there is text.
func TestTypingOverChanges(t *testing.T) {
	s, u := newUndoScreen(t)
	s.slash("/changes")
	s.key("enter")
	for _, r := range "now undo" {
		s.key(string(r))
	}
	s.wants("› now undo")
	if len(u.asked) > 0 {
		t.Errorf("typing took back %v", u.asked)
	}
}

// A turn that was undone cannot be undone again; an undo can be restored.
func TestChangesTakenBack(t *testing.T) {
	s, u := newUndoScreen(t)
	u.turns = append([]session.ChangedTurn{{ID: "u1", Title: "rename the tart", Undoes: "undo", Changes: []string{"restored Tart.md"}, Back: []string{"Tart.md becomes as it was before that"}, Time: s.now}}, u.turns...)
	s.slash("/changes")
	s.wants("Undone: rename the tart")
	s.key("enter")
	s.wants("Restore it… (u)")
	s.key("u")
	s.wants("Restore this?")
	s.key("esc", "esc", "down", "down", "enter")
	s.wants("1 change · undone · ask")
	s.lacks("(u)")
}

// A restored undo shows its state, also on a small screen.
func TestChangesRestored(t *testing.T) {
	s, u := newUndoScreen(t)
	u.turns = append(u.turns, session.ChangedTurn{ID: "u1", Title: "an older one", Undoes: "undo", Undone: true, Changes: []string{"restored Tart.md"}, Time: s.now})
	s.slash("/changes")
	s.wants("Undone: an older one", "restored since · ")
	s.key("end", "enter")
	s.wants("restored since")
	s.slash("/changes")
	s.send(tea.WindowSizeMsg{Width: 40, Height: 15})
	s.wants("undone")
}

func TestUndoAndRedo(t *testing.T) {
	s, u := newUndoScreen(t)
	u.end.Left = []string{"Home.md — you changed it since: take the passage out yourself, or run /changes to see it"}
	s.slash("/undo")
	s.wants("↺ Undone: “sort the recipes into folders”", "Unchanged:", "• Home.md — you changed it since")
	s.slash("/redo")
	s.wants("↻ Restored: “sort the recipes into folders” · /undo reverts it")
	u.end.Lines = nil
	s.slash("/undo")
	s.wants("✗ Nothing was undone: “sort the recipes into folders”")
	u.end, u.err = session.Undone{}, errors.New("there is nothing to undo")
	s.slash("/undo")
	s.wants("There is nothing to undo")
	u.end.Lines = []string{"restored Old list.md"}
	u.err = errors.New("no room on the disk")
	s.slash("/undo")
	s.wants("• Restored Old list.md", "It ended in the middle: no room on the disk")
	if got := fmt.Sprint(u.asked); got != "[ redo   ]" {
		t.Errorf("asked for %s", got)
	}
	s.slash("/changes")
	s.wants("The changes could not be read: no room on the disk")
}

// If nothing was undone, the screen tells how to continue. A turn can be given by id.
func TestUndoByID(t *testing.T) {
	s, u := newUndoScreen(t)
	u.end = session.Undone{Title: "second", Left: []string{"U2.md — it was changed since"}}
	s.slash("/undo")
	s.wants("✗ Nothing was undone: “second”")
	s.slash("/undo 20261121-1015")
	s.slash("/undo one two")
	s.wants("“one two” is not a time")
	s.slash("/undo 25:00")
	s.wants("“25:00” is not a time")
	if got := fmt.Sprint(u.asked); got != "[ 20261121-1015]" {
		t.Errorf("asked for %s", got)
	}
	u.end = session.Undone{Title: "third", Lines: []string{"created U3.md again"}, Restored: true}
	s.slash("/undo t9")
	s.wants("↻ Restored: “third”")
}

// Nothing can be undone while a turn runs.
func TestNoUndoWhileATurnRuns(t *testing.T) {
	s, u := newUndoScreen(t)
	s.ask("hello")
	for _, c := range []string{"/undo", "/redo"} {
		s.slash(c)
		s.wants("A turn is running: stop it with Esc")
	}
	s.slash("/changes")
	s.key("enter", "u")
	s.wants("A turn is running: stop it with Esc")
	if len(u.asked) > 0 {
		t.Errorf("taken back %v", u.asked)
	}
}

// Two undos do not run at the same time.
func TestOneUndoAtATime(t *testing.T) {
	s, u := newUndoScreen(t)
	first := s.m.lists.undoTurn("") // not done yet
	s.slash("/undo")
	s.wants("Changes are already being undone")
	if len(u.asked) > 0 {
		t.Errorf("asked for %v", u.asked)
	}
	s.run(first)
	s.slash("/redo")
	if len(u.asked) != 2 || u.asked[1] != "redo" {
		t.Errorf("asked for %v", u.asked)
	}
}

// A stopped turn tells how to undo its changes.
func TestStoppedTurnOffersUndo(t *testing.T) {
	s, _ := newUndoScreen(t)
	s.ask("hello")
	s.deliver(event.TurnStopped{MessageIDs: []string{"m1"}, Changed: []string{"edited Home.md"}})
	s.wants("Already done before the stop:", "• edited Home.md", "/undo reverts it")
}

// Names in changes are sanitized.
func TestChangesAreSanitized(t *testing.T) {
	s, u := newUndoScreen(t)
	evil := "edited \x1b]52;c;aaaa\x07\u202e.md"
	u.turns[0].Title, u.turns[0].Changes, u.turns[0].Back = evil, []string{evil}, []string{evil}
	u.end = session.Undone{Title: evil, Lines: []string{evil}, Left: []string{evil}}
	s.slash("/changes")
	s.key("enter", "u", "up", "enter")
	for _, bad := range []string{"\x1b]52", "\x07", "\u202e"} {
		if strings.Contains(s.m.View().Content, bad) {
			t.Errorf("%q is on the screen: %q", bad, s.m.View().Content)
		}
	}
}

func TestGoldenChanges(t *testing.T) {
	t.Parallel()
	scenes := map[string]func(*screen){
		"list":    func(s *screen) { s.slash("/changes") },
		"diff":    func(s *screen) { s.slash("/changes"); s.key("enter") },
		"confirm": func(s *screen) { s.slash("/changes"); s.key("enter", "u") },
		"undone":  func(s *screen) { s.slash("/undo") },
	}
	for name, scene := range scenes {
		for _, look := range []string{"dark", "light", "none"} {
			for _, size := range []tea.WindowSizeMsg{{Width: 40, Height: 15}, {Width: 80, Height: 24}, {Width: 120, Height: 40}} {
				file := fmt.Sprintf("changes-%s-%s-%d.golden", name, look, size.Width)
				t.Run(file, func(t *testing.T) {
					t.Parallel()
					s, u := newUndoScreen(t, func(o *Options) { o.Theme = look })
					u.end.Left = []string{"Home.md — it was changed since: put back what you want of it yourself"}
					s.send(size)
					scene(s)
					golden.Check(t, file, s.m.View().Content+"\n")
				})
			}
		}
	}
}
