package tui

import (
	"fmt"

	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/internal/base/cells"
	"chatvault/internal/base/terminal"
	"chatvault/internal/base/text"
	"chatvault/tui/chat"
	"chatvault/tui/keys"
	"chatvault/tui/markdown"
	"chatvault/tui/phrase"
	"chatvault/tui/selection"
	"chatvault/tui/theme"
	"chatvault/tui/usage"
)

func (m *Model) standing(width int) standing {
	s := standing{
		State: m.state, leaving: m.leaving, stopping: m.turn.stopping, starting: len(m.outbox) > 0,
		question: m.question != nil, options: m.picking(), queued: len(m.waiting()),
		moving: m.moving.running, continuing: m.moving.running && m.moving.on, ended: m.ended,
	}
	if len(s.Turn.Calls) == 1 {
		c := s.Turn.Calls[0]
		s.doing = chat.Doing(text.Head(c.Name, maxName), text.Head(c.Target, maxName), width/2)
	}
	since := m.talk.reviewing
	switch {
	case s.Turn.Running:
		since = m.turn.began
		s.Turn.Reading.Read = s.Turn.Reading.After(m.now().Sub(s.Turn.Reading.Time))
		if r := s.Turn.Retry; r != nil {
			s.reason, s.retryIn = retryReason(*r), m.turn.retryAt.Sub(m.now())
		}
	case m.checkingGoal():
		since = m.goal.since
	case s.Compacting:
		since = m.talk.compacting
	}
	s.elapsed = m.now().Sub(since)
	return s
}

// retryReason returns a short reason for a retry.
func retryReason(e event.Retry) string {
	if e.Code == llm.KindRateLimit || e.Code == llm.KindNetwork {
		return llm.Cause(e.Code, e.Reason)
	}
	if e.Message != "" {
		return text.Head(e.Message, maxName)
	}
	return "The model call failed"
}

// maxHint is the maximum number of lines of a temporary message.
const maxHint = 3

// statusLines draws the status line, or a temporary message in its place, which may wrap.
func (m *Model) statusLines(width int) []string {
	if m.hint == "" {
		return []string{m.statusLine(width)}
	}
	lines := markdown.Wrap(terminal.Line(text.Head(m.hint, maxName)), theme.Open(m.styles.Warn), width)
	return lines[:min(len(lines), maxHint)]
}

func (m *Model) statusLine(width int) string {
	mode := m.approvalMode(width)
	if mode != "" {
		width -= cells.Width(mode) + 2
	}
	left := m.statusLeft(width - m.kept(width))
	right := m.statusRight(width - cells.Width(left) - 2)
	if right != "" {
		right = m.styles.Muted.Render(right)
	}
	line := phrase.Spread(left, right, width)
	if mode == "" {
		return line
	}
	return phrase.Spread(line, m.styles.AccentBold.Render(mode), width+2+cells.Width(mode))
}

// approvalMode returns the approval mode unless it is off, shortened on a narrow screen.
func (m *Model) approvalMode(width int) string {
	a := m.state.Approval
	const wide, narrow = 70, 30
	switch {
	case a == "" || a == event.ApprovalOff || width < narrow, width < wide && m.deciding(): // the request shows it
		return ""
	case a == event.ApprovalPlan:
		return a.Named()
	case width < wide:
		return "ask: " + map[event.Approval]string{event.ApprovalWrites: "all", event.ApprovalDestructive: "some"}[a]
	}
	return "asks first: " + a.Named()
}

// kept returns the number of cells to reserve for the context percentage. Hints for writing, find, a selection and a
// question take all the space they need.
func (m *Model) kept(width int) int {
	const working = 40 // minimum width for the activity, in cells
	switch {
	case m.writingHint(width) != "", m.find.Active(), m.selection.Active(), m.editing != nil:
		return 0
	case m.stoppable():
		return usage.Usage(m.state.Usage).Least(width, working)
	case m.question != nil:
		return 0
	}
	keys, _ := m.idleKeys()
	return usage.Usage(m.state.Usage).Least(width, cells.Width(keys))
}

// statusLeft returns the activity or the available keys.
func (m *Model) statusLeft(width int) string {
	s := m.styles
	if hint := m.writingHint(width); hint != "" {
		return hint
	}
	if m.find.Active() && m.dialogs.Empty() && !m.leaving {
		return m.working(s.AccentBold.Render("⌕")) + " " + m.find.Status(keys.First(m.keys.SelectUp, ""), width-2)
	}
	if m.selection.Active() && m.dialogs.Empty() && !m.leaving {
		return m.working(s.AccentBold.Render(selection.Mark)) + " " + s.Muted.Render(phrase.Fitting(m.selection.Ways(keys.First(m.keys.SelectUp, ""), m.canSelected()), width-2))
	}
	texts := statusTexts(m.standing(width))
	for i, t := range texts {
		texts[i] = terminal.Line(t)
	}
	text := texts[0]
	switch {
	case m.stoppable():
		mark := s.Accent.Render(m.env.Spinner())
		tails := []string{""}
		if !m.turn.stopping && !m.leaving {
			stops := s.Muted.Render(" · ") + s.Key.Render(keys.First(m.keys.Stop, "Esc")) + s.Muted.Render(" stops")
			tails = []string{stops, ""}
			if n := len(m.waiting()); n > 0 && m.state.Turn.Running {
				tails = []string{stops + s.Muted.Render(fmt.Sprintf(" this, then runs %s", queuedMessages(n))), stops, ""}
			}
		}
		for _, tail := range tails {
			for _, text := range texts {
				if left := mark + " " + text + tail; cells.Width(left) <= width {
					return left
				}
			}
		}
		return mark + " " + texts[len(texts)-1]
	case m.editing != nil:
		return s.WarnBold.Render("✎ ") + s.Warn.Render(phrase.Fitting(editingText, width-2))
	case m.question != nil:
		return s.WarnBold.Render("? ") + s.Warn.Render(text)
	}
	if g := m.goal.news(width - 2); g != "" {
		return s.Accent.Render("◎") + " " + g
	}
	keys, more := m.idleKeys()
	forms := []string{phrase.Join(text, keys), keys}
	if m.details {
		forms = []string{phrase.Join(text, more), phrase.Join(text, keys), keys}
	}
	return s.Muted.Render(phrase.Fitting(forms, width))
}

// working returns the spinner during an activity, otherwise the given mark.
func (m *Model) working(otherwise string) string {
	if m.stoppable() {
		return m.styles.Accent.Render(m.env.Spinner())
	}
	return otherwise
}

// statusRight returns the right end in at most room cells: the number of lines of a partly visible text, or the
// usage.
func (m *Model) statusRight(room int) string {
	if n := m.composer.LineCount(); n > composerLimit(m.height) {
		return fmt.Sprintf("%d lines written", n)
	}
	if m.busy() || m.question != nil {
		if g := m.goal.news(room); g != "" {
			return g
		}
	}
	return usage.Usage(m.state.Usage).Line(room)
}

// windowTitle returns the vault's name and a sign for the activity.
func (m *Model) windowTitle() string {
	title := m.o.VaultName + " · chatvault"
	switch {
	case len(m.state.Requests) > 0:
		title = "? " + title
	case m.state.Turn.Running:
		title = "… " + title
	case m.question != nil:
		title = "? " + title
	}
	return terminal.Title(title)
}
