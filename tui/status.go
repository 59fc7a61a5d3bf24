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

// statusLine draws the last line: the activity and the available keys.
type statusLine struct {
	*shared
	questions *questions
	menu      *menu
	talk      *talk
	turn      *turn
	sending   *sending
	writing   *writing
	selecting *selecting
	goal      *goal
	notifier  *notifier
	listener  *listener
}

func (l *statusLine) standing(width int) standing {
	s := standing{
		State: l.state, leaving: l.sending.leaving, stopping: l.turn.stopping, starting: len(l.sending.outbox) > 0,
		question: l.questions.question != nil, options: l.questions.picking(), queued: len(l.sending.waiting()),
		moving: l.sending.moving.running, continuing: l.sending.moving.running && l.sending.moving.on, ended: l.ended,
	}
	if len(s.Turn.Calls) == 1 {
		c := s.Turn.Calls[0]
		s.doing = chat.Doing(text.Head(c.Name, maxName), text.Head(c.Target, maxName), width/2)
	}
	since := l.talk.reviewing
	switch {
	case s.Turn.Running:
		since = l.turn.began
		s.Turn.Reading.Read = s.Turn.Reading.After(l.now().Sub(s.Turn.Reading.Time))
		if r := s.Turn.Retry; r != nil {
			s.reason, s.retryIn = retryReason(*r), l.turn.retryAt.Sub(l.now())
		}
	case l.checkingGoal():
		since = l.goal.since
	case s.Compacting:
		since = l.talk.compacting
	}
	s.elapsed = l.now().Sub(since)
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
func (l *statusLine) statusLines(width int) []string {
	if l.hint == "" {
		return []string{l.statusLine(width)}
	}
	lines := markdown.Wrap(terminal.Line(text.Head(l.hint, maxName)), theme.Open(l.styles.Warn), width)
	return lines[:min(len(lines), maxHint)]
}

func (l *statusLine) statusLine(width int) string {
	mode := l.approvalMode(width)
	if mode != "" {
		width -= cells.Width(mode) + 2
	}
	left := l.statusLeft(width - l.kept(width))
	right := l.statusRight(width - cells.Width(left) - 2)
	if right != "" {
		right = l.styles.Muted.Render(right)
	}
	line := phrase.Spread(left, right, width)
	if mode == "" {
		return line
	}
	return phrase.Spread(line, l.styles.AccentBold.Render(mode), width+2+cells.Width(mode))
}

// approvalMode returns the approval mode unless it is off, shortened on a narrow screen.
func (l *statusLine) approvalMode(width int) string {
	a := l.state.Approval
	const wide, narrow = 70, 30
	switch {
	case a == "" || a == event.ApprovalOff || width < narrow, width < wide && l.listener.deciding(): // the request shows it
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
func (l *statusLine) kept(width int) int {
	const working = 40 // minimum width for the activity, in cells
	switch {
	case l.writing.writingHint(width) != "", l.writing.find.Active(), l.selection.Active(), l.editing != nil:
		return 0
	case l.sending.stoppable():
		return usage.Usage(l.state.Usage).Least(width, working)
	case l.questions.question != nil:
		return 0
	}
	keys, _ := l.menu.idleKeys()
	return usage.Usage(l.state.Usage).Least(width, cells.Width(keys))
}

// statusLeft returns the activity or the available keys.
func (l *statusLine) statusLeft(width int) string {
	s := l.styles
	if hint := l.writing.writingHint(width); hint != "" {
		return hint
	}
	if l.writing.find.Active() && l.dialogs.Empty() && !l.sending.leaving {
		return l.working(s.AccentBold.Render("⌕")) + " " + l.writing.find.Status(keys.First(l.keys.SelectUp, ""), width-2)
	}
	if l.selection.Active() && l.dialogs.Empty() && !l.sending.leaving {
		return l.working(s.AccentBold.Render(selection.Mark)) + " " + s.Muted.Render(phrase.Fitting(l.selection.Ways(keys.First(l.keys.SelectUp, ""), l.selecting.canSelected()), width-2))
	}
	texts := statusTexts(l.standing(width))
	for i, t := range texts {
		texts[i] = terminal.Line(t)
	}
	text := texts[0]
	switch {
	case l.sending.stoppable():
		mark := s.Accent.Render(l.env.Spinner())
		tails := []string{""}
		if !l.turn.stopping && !l.sending.leaving {
			stops := s.Muted.Render(" · ") + s.Key.Render(keys.First(l.keys.Stop, "Esc")) + s.Muted.Render(" stops")
			tails = []string{stops, ""}
			if n := len(l.sending.waiting()); n > 0 && l.state.Turn.Running {
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
	case l.editing != nil:
		return s.WarnBold.Render("✎ ") + s.Warn.Render(phrase.Fitting(editingText, width-2))
	case l.questions.question != nil:
		return s.WarnBold.Render("? ") + s.Warn.Render(text)
	}
	if g := l.goal.news(width - 2); g != "" {
		return s.Accent.Render("◎") + " " + g
	}
	keys, more := l.menu.idleKeys()
	forms := []string{phrase.Join(text, keys), keys}
	if l.details {
		forms = []string{phrase.Join(text, more), phrase.Join(text, keys), keys}
	}
	return s.Muted.Render(phrase.Fitting(forms, width))
}

// working returns the spinner during an activity, otherwise the given mark.
func (l *statusLine) working(otherwise string) string {
	if l.sending.stoppable() {
		return l.styles.Accent.Render(l.env.Spinner())
	}
	return otherwise
}

// statusRight returns the right end in at most room cells: the number of lines of a partly visible text, or the
// usage.
func (l *statusLine) statusRight(room int) string {
	if n := l.composer.LineCount(); n > composerLimit(l.height) {
		return fmt.Sprintf("%d lines written", n)
	}
	if l.busy() || l.questions.question != nil {
		if g := l.goal.news(room); g != "" {
			return g
		}
	}
	return usage.Usage(l.state.Usage).Line(room)
}

// windowTitle returns the vault's name and a sign for the activity.
func (l *statusLine) windowTitle() string {
	title := l.o.VaultName + " · chatvault"
	switch {
	case len(l.listener.requests.open) > 0:
		title = "? " + title
	case l.state.Turn.Running:
		title = "… " + title
	case l.questions.question != nil:
		title = "? " + title
	}
	return terminal.Title(title)
}
