package tui

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/internal/app/session"
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
		State: m.state, stopping: m.turn.stopping, starting: len(m.outbox) > 0,
		question: m.question != nil, options: m.picking(), queued: len(m.waiting()),
		moving: m.moving.running, ended: m.ended,
	}
	if len(s.Turn.Calls) == 1 {
		c := s.Turn.Calls[0]
		s.doing = chat.Doing(text.Head(c.Name, maxName), text.Head(c.Target, maxName), width/2)
	}
	since := m.since
	if s.Turn.Running {
		since = m.turn.began
		if r := s.Turn.Retry; r != nil {
			s.reason, s.retryIn = retryReason(*r), m.turn.retryAt.Sub(m.now())
		}
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
	modes := m.viMode(width)
	if mode := m.approvalMode(width); mode != "" {
		modes = strings.TrimSpace(m.styles.AccentBold.Render(mode) + "  " + modes)
	}
	room := width
	if modes != "" {
		room -= cells.Width(modes) + 2
	}
	left := m.statusLeft(room)
	right := m.statusRight(room - cells.Width(left) - 2)
	return phrase.Spread(phrase.Spread(left, m.styles.Muted.Render(right), room), modes, width)
}

// approvalMode returns the approval mode unless it is off, shortened on a narrow screen.
func (m *Model) approvalMode(width int) string {
	a := m.state.Approval
	const wide, narrow = 70, 30
	switch {
	case a == "" || a == event.ApprovalOff || width < narrow, width < wide && m.deciding(): // the request shows it
		return ""
	case a == event.ApprovalPlan, width < wide:
		return a.Named()
	}
	return "asks first: " + a.Named()
}

// statusLeft returns the activity or the available keys.
func (m *Model) statusLeft(width int) string {
	s := m.styles
	if hint := m.writingHint(width); hint != "" {
		return hint
	}
	if m.find.Active() && m.dialogs.Empty() {
		return m.working(s.AccentBold.Render("⌕")) + " " + m.find.Status(keys.First(m.keys.SelectUp, ""), m.composer.Mode() != "", width-2)
	}
	if m.selection.Active() && m.dialogs.Empty() {
		can := selection.Can{Copy: m.o.Copying != nil, EditNote: m.o.Citing.Edit != nil, OpenNote: m.o.Citing.Open != nil, GoBack: m.o.Conversation != nil}
		ways := m.selection.Ways(keys.First(m.keys.SelectUp, ""), can)
		return m.working(s.AccentBold.Render(selection.Mark)) + " " + s.Muted.Render(phrase.Fitting(ways, width-2))
	}
	text, short := terminal.Line(statusText(m.standing(width))), func(text string) string { return cells.Truncate(text, max(width-2, 1), "…") }
	switch {
	case m.stoppable():
		stops := ""
		if !m.turn.stopping {
			stops = s.Muted.Render(" · ") + s.Key.Render(keys.First(m.keys.Stop, "Esc")) + s.Muted.Render(" stops")
		}
		text = cells.Truncate(text, max(width-2-cells.Width(stops), 1), "…")
		return s.Accent.Render(m.env.Spinner()) + " " + text + stops
	case m.editing != nil:
		return s.WarnBold.Render("✎ ") + s.Warn.Render(short("Editing · Esc to cancel · Enter to send as a new branch"))
	case m.question != nil:
		return s.WarnBold.Render("? ") + s.Warn.Render(short(text))
	}
	if g := goalText(m.state.Goal, width-2); g != "" {
		return s.Accent.Render("◎") + " " + g
	}
	keys := m.idleKeys()
	least := keys[len(keys)-1]
	if right := m.statusRight(len("context 12%")); right != "" {
		width -= cells.Width(right) + 2
	}
	return s.Muted.Render(phrase.Fitting([]string{phrase.Join(text, keys[0]), phrase.Join(text, least), least}, width))
}

// working returns the spinner during an activity, otherwise the given mark.
func (m *Model) working(otherwise string) string {
	if m.stoppable() {
		return m.styles.Accent.Render(m.env.Spinner())
	}
	return otherwise
}

// statusRight returns the right end in at most room cells: the goal or the usage.
func (m *Model) statusRight(room int) string {
	if m.busy() || m.question != nil {
		if g := goalText(m.state.Goal, room); g != "" {
			return g
		}
	}
	return usage.Usage(m.state.Usage).Line(room)
}

// windowTitle returns the vault's name and a sign for the activity.
func (m *Model) windowTitle() string {
	title := m.o.VaultName + " · chatvault"
	switch {
	case len(m.state.Requests) > 0, m.question != nil && !m.state.Turn.Running:
		title = "? " + title
	case m.state.Turn.Running:
		title = "… " + title
	}
	return terminal.Title(title)
}

// standing is the state shown in the status line.
type standing struct {
	session.State
	stopping bool
	starting bool          // a message was sent and its turn has not begun
	moving   bool          // going to another point of the conversation, or to another one
	question bool          // a question waits for its answer
	options  bool          // the question has options
	elapsed  time.Duration // since the activity began
	retryIn  time.Duration
	reason   string // of the retry
	doing    string // the running tool call: "reading Projects/Alpha.md"
	queued   int
	ended    string // of the previous turn
}

// statusText returns the status text. What matters most comes first, since the end may be cut.
func statusText(s standing) string {
	switch {
	case s.stopping && s.queued > 0:
		return "Stopping… then running " + queuedMessages(s.queued) + " (↑ takes one back)"
	case s.stopping:
		return "Stopping…"
	case s.Compacting:
		return withDuration("Summarising earlier messages…", s.elapsed)
	case s.moving:
		return "Opening the conversation…"
	case s.Turn.Running:
		return turnText(s)
	case s.Goal.Status == event.GoalChecking:
		return withDuration("Checking the goal…", s.elapsed)
	case s.starting:
		return "Sending…"
	case s.Reviewing:
		return withDuration("Reviewing the conversation…", s.elapsed)
	case s.question && s.options:
		return "↑ ↓ or a number, or type an answer"
	case s.question:
		return "Waiting for your answer"
	}
	return s.ended
}

// turnText returns the text for a running turn.
func turnText(s standing) string {
	does := cmp.Or(map[event.State]string{
		event.StateActing: "Working…", event.StateThinking: "Thinking…", event.StateObserving: "Reading the results…",
		event.StateWaitingDecision: "Waiting for your decision", event.StateWaitingClarification: "Waiting for your answer",
		event.StateCompleted: "Finishing…", event.StateError: "Failing…",
	}[s.Turn.State], "Starting…")
	acting, thinking := s.Turn.State == event.StateActing, s.Turn.State == event.StateThinking
	switch r := s.Turn.Reading; {
	case s.Turn.State == event.StateRetrying:
		return retryText(s)
	case acting && len(s.Turn.Calls) > 1:
		does = fmt.Sprintf("Running %d tools…", len(s.Turn.Calls))
	case acting && s.doing != "":
		does = strings.TrimSuffix(text.Capital(s.doing), "…") + "…"
	case thinking && s.Turn.Writing:
		does = "Writing…"
	case thinking && r.Total > 0:
		does = fmt.Sprintf("Reading %s of %s tokens…", text.Thousands(r.Read), text.Thousands(r.Total))
	}
	return withDuration(does, s.elapsed)
}

// retryText returns the text for a retry of a model call.
func retryText(s standing) string {
	attempt := 0
	if s.Turn.Retry != nil {
		attempt = s.Turn.Retry.Attempt
	}
	switch {
	case attempt <= 1: // the next provider of the fallback chain
		return "Switching to another model… · " + s.reason
	case s.retryIn <= 0:
		return fmt.Sprintf("Trying again… · %s (attempt %d)", s.reason, attempt)
	}
	return fmt.Sprintf("Trying again in %ds · %s (attempt %d)", int((s.retryIn+time.Second-1)/time.Second), s.reason, attempt)
}

// withDuration appends the duration if it is at least a second.
func withDuration(does string, d time.Duration) string {
	if d >= time.Second {
		does += " " + chat.Duration(d.Truncate(time.Second))
	}
	return does
}

// queuedMessages formats the number of queued messages.
func queuedMessages(n int) string {
	if n == 1 {
		return "the queued message"
	}
	return fmt.Sprintf("%d queued messages", n)
}
