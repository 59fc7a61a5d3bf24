package tui

import (
	"fmt"

	"github.com/charmbracelet/x/ansi"

	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/internal/terminal"
	"chatvault/tui/chat"
	"chatvault/tui/keys"
	"chatvault/tui/markdown"
	"chatvault/tui/phrase"
	"chatvault/tui/selection"
	"chatvault/tui/status"
	"chatvault/tui/theme"
	"chatvault/tui/usage"
)

func (m *Model) standing(width int) status.Standing {
	s := status.Standing{
		Leaving: m.leaving, Stopping: m.turn.stopping, Running: m.state.Turn.Running,
		Starting: len(m.outbox) > 0, State: m.state.Turn.State,
		Question: m.question != nil, Options: m.picking(),
		Writing: m.state.Turn.Writing, Queued: len(m.waiting()),
		Reviewing: m.state.Reviewing, Moving: m.moving.running, Continuing: m.moving.running && m.moving.on, Compacting: m.state.Compacting, Checking: m.checkingGoal(), Calls: len(m.state.Turn.Calls), End: m.ended,
	}
	if s.Calls == 1 {
		c := m.state.Turn.Calls[0]
		s.Doing = chat.Doing(phrase.Head(c.Name, maxName), phrase.Head(c.Target, maxName), width/2)
	}
	switch {
	case m.state.Turn.Running:
		s.Elapsed = m.now().Sub(m.turn.began)
		if r := m.state.Turn.Reading; r.Total > 0 {
			s.Reading, s.Reading.Read = r.Reading, r.After(m.now().Sub(r.Time))
		}
		if r := m.state.Turn.Retry; r != nil {
			s.Attempt, s.Reason, s.RetryIn = r.Attempt, retryReason(*r), m.turn.retryAt.Sub(m.now())
		}
	case s.Checking:
		s.Elapsed = m.now().Sub(m.goal.since)
	case m.state.Compacting:
		s.Elapsed = m.now().Sub(m.talk.compacting)
	case s.Reviewing:
		s.Elapsed = m.now().Sub(m.talk.reviewing)
	}
	return s
}

// retryReason is a short word for why a model call is tried again.
func retryReason(e event.Retry) string {
	if e.Code == llm.KindRateLimit || e.Code == llm.KindNetwork {
		return llm.Cause(e.Code, e.Reason)
	}
	if e.Message != "" {
		return phrase.Head(e.Message, maxName)
	}
	return "The model call failed"
}

// maxHint is the most lines a hint takes.
const maxHint = 3

// statusLines is the status line, or the hint in its place, which may wrap.
func (m *Model) statusLines(width int) []string {
	if m.hint == "" {
		return []string{m.statusLine(width)}
	}
	lines := markdown.Wrap(terminal.Line(phrase.Head(m.hint, maxName)), theme.Open(m.styles.Warn), width)
	return lines[:min(len(lines), maxHint)]
}

func (m *Model) statusLine(width int) string {
	mode := m.approvalMode(width)
	if mode != "" {
		width -= ansi.StringWidth(mode) + 2
	}
	left := m.statusLeft(width - m.kept(width))
	right := m.statusRight(width - ansi.StringWidth(left) - 2)
	if right != "" {
		right = m.styles.Muted.Render(right)
	}
	line := phrase.Spread(left, right, width)
	if mode == "" {
		return line
	}
	return phrase.Spread(line, m.styles.AccentBold.Render(mode), width+2+ansi.StringWidth(mode))
}

// approvalMode is what waits for the user, where that is not nothing; in fewer words on a narrow screen.
func (m *Model) approvalMode(width int) string {
	a := m.state.Approval
	const wide, narrow = 70, 30
	switch {
	case a == "" || a == event.ApprovalOff || width < narrow, width < wide && m.deciding(): // which says it itself
		return ""
	case a == event.ApprovalPlan:
		return a.Named()
	case width < wide:
		return "ask: " + map[event.Approval]string{event.ApprovalWrites: "all", event.ApprovalDestructive: "some"}[a]
	}
	return "asks first: " + a.Named()
}

// kept is the room of the status line that what goes on and what can be done leave to how full the
// model's window is. What is written, found or selected, and a question, take all they need.
func (m *Model) kept(width int) int {
	const working = 40 // cells in which what a turn does can be said
	switch {
	case m.writingHint(width) != "", m.find.Active(), m.selection.Active(), m.editing != nil:
		return 0
	case m.stoppable():
		return usage.Usage(m.state.Usage).Least(width, working)
	case m.question != nil:
		return 0
	}
	keys, _ := m.idleKeys()
	return usage.Usage(m.state.Usage).Least(width, ansi.StringWidth(keys))
}

// statusLeft is what happens, or what can be done.
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
	texts := status.Texts(m.standing(width))
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
				tails = []string{stops + s.Muted.Render(fmt.Sprintf(" this, then on with %s", status.QueuedMessages(n))), stops, ""}
			}
		}
		for _, tail := range tails {
			for _, text := range texts {
				if left := mark + " " + text + tail; ansi.StringWidth(left) <= width {
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
	if g := m.goalNow(width - 2); g != "" {
		return s.Accent.Render("◎") + " " + g
	}
	keys, more := m.idleKeys()
	forms := []string{phrase.Join(text, keys), keys}
	if m.details {
		forms = []string{phrase.Join(text, more), phrase.Join(text, keys), keys}
	}
	return s.Muted.Render(phrase.Fitting(forms, width))
}

// working is the spinner while something goes on, else a mark.
func (m *Model) working(otherwise string) string {
	if m.stoppable() {
		return m.styles.Accent.Render(m.env.Spinner())
	}
	return otherwise
}

// statusRight is what stands at the right end, in at most room cells: how long a text is of
// which only a part is in sight, else what was used so far.
func (m *Model) statusRight(room int) string {
	if n := m.composer.LineCount(); n > composerLimit(m.height) {
		return fmt.Sprintf("%d lines written", n)
	}
	if m.busy() || m.question != nil {
		if g := m.goalNow(room); g != "" {
			return g
		}
	}
	return usage.Usage(m.state.Usage).Line(room)
}

// windowTitle names the vault and what happens.
func (m *Model) windowTitle() string {
	title := m.o.VaultName + " · chatvault"
	switch {
	case m.requests.Open():
		title = "? " + title
	case m.state.Turn.Running:
		title = "… " + title
	case m.question != nil:
		title = "? " + title
	}
	return terminal.Title(title)
}
