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
	left := m.statusLeft(room - m.kept(room))
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

// kept returns the number of cells to reserve for the context percentage. Hints for writing, find, a selection and a
// question take all the space they need.
func (m *Model) kept(width int) int {
	keys, needed := m.idleKeys(), 40 // cells for the activity
	switch {
	case m.writingHint(width) != "", m.find.Active(), m.selection.Active(), m.editing != nil, m.question != nil && !m.stoppable():
		return 0
	case !m.stoppable():
		needed = cells.Width(keys[len(keys)-1])
	}
	return usage.Usage(m.state.Usage).Least(width, needed)
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
	texts := statusTexts(m.standing(width))
	for i, t := range texts {
		texts[i] = terminal.Line(t)
	}
	text := texts[0]
	switch {
	case m.stoppable():
		mark := s.Accent.Render(m.env.Spinner())
		tails := []string{""}
		if !m.turn.stopping {
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
	if g := goalText(m.state.Goal, width-2); g != "" {
		return s.Accent.Render("◎") + " " + g
	}
	keys := m.idleKeys()
	short := keys[len(keys)-1]
	return s.Muted.Render(phrase.Fitting([]string{phrase.Join(text, keys[0]), phrase.Join(text, short), short}, width))
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

// statusTexts returns variants of the status text, longest first.
func statusTexts(s standing) []string {
	switch {
	case s.stopping && s.queued > 0:
		return []string{fmt.Sprintf("Stopping… then running %s (↑ takes one back)", queuedMessages(s.queued))}
	case s.stopping:
		return []string{"Stopping…"}
	case s.Compacting:
		return withDuration("Summarising earlier messages…", s.elapsed)
	case s.moving:
		return []string{"Opening the conversation…"}
	case s.Turn.Running:
		return turnTexts(s)
	case s.Goal.Status == event.GoalChecking:
		return withDuration("Checking the goal…", s.elapsed)
	case s.starting:
		return []string{"Sending…"}
	case s.Reviewing:
		return withDuration("Reviewing the conversation…", s.elapsed)
	case s.question && s.options:
		return []string{"Pick with ↑ ↓ or a number, or type an answer", "↑ ↓ or a number, or type an answer", "Pick one, or type an answer"}
	case s.question:
		return []string{"Waiting for your answer"}
	}
	return []string{s.ended}
}

// turnTexts returns the variants for a running turn.
func turnTexts(s standing) []string {
	does := cmp.Or(map[event.State]string{
		event.StateObserving: "Reading the results…", event.StateWaitingDecision: "Waiting for your decision",
		event.StateWaitingClarification: "Waiting for your answer", event.StateCompleted: "Finishing…", event.StateError: "Failing…",
	}[s.Turn.State], "Starting…")
	switch s.Turn.State {
	case event.StateActing:
		switch {
		case len(s.Turn.Calls) > 1:
			does = fmt.Sprintf("Running %d tools…", len(s.Turn.Calls))
		case s.doing != "":
			does = strings.TrimSuffix(text.Capital(s.doing), "…") + "…"
		default:
			does = "Working…"
		}
	case event.StateRetrying:
		return retryTexts(s)
	case event.StateThinking:
		switch r := s.Turn.Reading; {
		case s.Turn.Writing:
			does = "Writing…"
		case r.Total > 0:
			return append(withDuration(fmt.Sprintf("Reading %s of %s tokens…", text.Thousands(r.Read), text.Thousands(r.Total)), s.elapsed),
				withDuration(fmt.Sprintf("Reading %d%%…", r.Read*100/r.Total), s.elapsed)...)
		default:
			does = "Thinking…"
		}
	}
	return withDuration(does, s.elapsed)
}

// retryTexts returns variants of the text for a retry of a model call, longest first.
func retryTexts(s standing) []string {
	attempt := 0
	if s.Turn.Retry != nil {
		attempt = s.Turn.Retry.Attempt
	}
	if attempt <= 1 { // the next provider of the fallback chain
		return []string{s.reason + " · switching to another model…", "Switching to another model…"}
	}
	if s.retryIn <= 0 {
		return []string{fmt.Sprintf("%s · trying again… (attempt %d)", s.reason, attempt), "Trying again…"}
	}
	seconds := int((s.retryIn + time.Second - 1) / time.Second)
	return []string{
		fmt.Sprintf("%s · trying again in %ds (attempt %d)", s.reason, seconds, attempt),
		fmt.Sprintf("%s · again in %ds", s.reason, seconds),
		fmt.Sprintf("%s · %ds", s.reason, seconds),
		fmt.Sprintf("Trying again in %ds", seconds),
		fmt.Sprintf("Again in %ds", seconds),
	}
}

// withDuration appends the duration if it is at least a second.
func withDuration(does string, d time.Duration) []string {
	if d >= time.Second {
		does += " " + chat.Duration(d.Truncate(time.Second))
	}
	return []string{does}
}

// queuedMessages formats the number of queued messages.
func queuedMessages(n int) string {
	if n == 1 {
		return "the queued message"
	}
	return fmt.Sprintf("%d queued messages", n)
}
