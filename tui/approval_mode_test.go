package tui

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"chatvault/agent/event"
)

// modes is an agent with a switchable approval mode.
type modes struct {
	now event.Approval
}

func (m *modes) Approval() event.Approval { return m.now }

func (m *modes) SetApproval(a event.Approval) error {
	m.now = a
	return nil
}

func (m *modes) options(o *Options) { o.Approval = m }

// The key and the command cycle through the modes, even while a turn runs and a change waits, and the status line
// shows the mode.
func TestApprovalMode(t *testing.T) {
	t.Parallel()
	m := &modes{now: event.ApprovalOff}
	s := newScreen(t, m.options)
	s.wants("F3 makes it ask before changing anything.")
	s.lacks("asks first", "plan only")
	over := func() { s.send(hintOverMsg{s.m.hintID}) }
	for _, want := range []struct {
		mode event.Approval
		said string
		line string
	}{
		{event.ApprovalDestructive, "deleting, moving folders, overwriting", "asks first: destructive"},
		{event.ApprovalWrites, "every change waits for you", "asks first: writes"},
		{event.ApprovalPlan, "nothing changes; you get a plan to approve", "plan only"},
	} {
		s.key("f3")
		s.wants(want.said)
		over()
		if s.wants(want.line); m.now != want.mode {
			t.Errorf("it is %q, want %q", m.now, want.mode)
		}
	}
	s.command("/approval")
	s.wants("/undo reverts them")
	over()
	s.lacks("asks first", "plan only")
	s.command("/approval Plan only")
	over()
	s.wants("plan only")
	s.command("/approval maybe")
	s.wants("/approval takes autonomous, destructive, writes or plan.")
	over()
	s.asked(deletion("r1"))
	s.key("f3")
	s.wants("changes happen at once", "Delete this?")
	if s.answers(); m.now != event.ApprovalOff {
		t.Errorf("it is %q", m.now)
	}
	s.deliver(event.ApprovalChanged{Approval: event.ApprovalWrites}) // from another front-end
	over()
	s.wants("asks first: writes")
	s.send(tea.WindowSizeMsg{Width: 50, Height: 18})
	s.lacks("writes") // the request itself gives the reason
	s.key("n")
	s.wants("writes")
}
