package tui

import (
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"chatvault/agent"
	"chatvault/agent/llm"
	"chatvault/tui/chat"
	"chatvault/tui/markdown"
	"chatvault/tui/safe"
	"chatvault/tui/theme"
)

// standing is what the status line speaks of, as plain values.
type standing struct {
	leaving, stopping, running, starting bool
	state                                agent.State
	elapsed                              time.Duration
	retryIn                              time.Duration
	attempt                              int
	reason                               string
	question                             bool
	waiting                              bool // for another process's turn to end
	writing                              bool // the model writes
	queued                               int
}

// statusText puts a standing into words: what happens, and how long it has.
func statusText(s standing) string {
	took := ""
	if s.elapsed >= time.Second {
		took = " " + chat.Duration(s.elapsed.Truncate(time.Second))
	}
	switch {
	case s.leaving:
		return "Saving what you sent, then leaving…"
	case s.stopping && s.queued > 0:
		return fmt.Sprintf("Stopping… then on with %s (↑ takes one back)", queuedMessages(s.queued))
	case s.stopping:
		return "Stopping…"
	case s.running && s.waiting:
		return "Waiting for another chatvault…" + took
	case s.running && s.state == agent.StateRetrying:
		in := max(s.retryIn, 0)
		wait := fmt.Sprintf("trying again in %ds", int((in+time.Second-1)/time.Second))
		if in == 0 {
			wait = "trying again…"
		}
		return fmt.Sprintf("%s · %s (attempt %d)", s.reason, wait, s.attempt)
	case s.running && s.state == agent.StateActing, s.running && s.state == agent.StateObserving:
		return "Working…" + took
	case s.running && s.writing:
		return "Writing…" + took
	case s.running:
		return "Thinking…" + took
	case s.starting:
		return "Sending…"
	case s.question:
		return "Waiting for your answer"
	}
	return ""
}

func (m *Model) standing() standing {
	s := standing{
		leaving: m.leaving, stopping: m.turn.stopping, running: m.turn.running,
		starting: len(m.outbox) > 0, state: m.turn.state,
		attempt: m.turn.retry.attempt, reason: m.turn.retry.why, question: m.question != nil,
		waiting: m.turn.waiting, writing: m.turn.writing, queued: m.queued(),
	}
	if m.turn.running {
		s.elapsed = m.now().Sub(m.turn.began)
		s.retryIn = m.turn.retry.until.Sub(m.now())
	}
	return s
}

// retryReason is a short word for why a model call is tried again.
func retryReason(e agent.Retry) string {
	switch e.Code {
	case llm.KindRateLimit:
		return "Too many requests"
	case llm.KindNetwork:
		return "Network error"
	}
	if e.Message != "" {
		return e.Message
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
	lines := markdown.Wrap(safe.Line(m.hint), theme.Open(m.styles.Warn), width)
	return lines[:min(len(lines), maxHint)]
}

func (m *Model) statusLine(width int) string {
	s := m.styles
	text := safe.Line(statusText(m.standing()))
	right := m.statusRight()
	if text == "" {
		return spread(s.Muted.Render("Enter sends · ? help"), s.Muted.Render(right), width)
	}
	left := text
	switch {
	case m.busy():
		mark := s.Accent.Render(m.env.Spinner())
		tail := ""
		if !m.turn.stopping && !m.leaving {
			tail = s.Muted.Render(" · ") + s.Key.Render("Esc") + s.Muted.Render(" stops")
			if n := m.queued(); n > 0 && m.turn.running {
				tail += s.Muted.Render(fmt.Sprintf(" this, then on with %s", queuedMessages(n)))
			}
		}
		left = mark + " " + text + tail
		if ansi.StringWidth(left) > width {
			left = mark + " " + text
		}
	case m.question != nil:
		left = s.WarnBold.Render("? ") + s.Warn.Render(text)
	}
	return spread(left, s.Muted.Render(right), width)
}

// queued counts the messages that wait for the turn to end.
func (m *Model) queued() int {
	n := 0
	for _, o := range m.outbox {
		if o.item == nil {
			n++
		}
	}
	return n
}

func queuedMessages(n int) string {
	if n == 1 {
		return "the queued message"
	}
	return fmt.Sprintf("%d queued messages", n)
}

// statusRight is what stands at the right end: how long a text is of which only a part is
// in sight, else the tokens so far.
func (m *Model) statusRight() string {
	if n := m.composer.LineCount(); n > composerLimit(m.height) {
		return fmt.Sprintf("%d lines written", n)
	}
	if m.usage.prompt+m.usage.completion == 0 {
		return ""
	}
	return tokens(m.usage.prompt) + " in · " + tokens(m.usage.completion) + " out"
}

func tokens(n int) string {
	if n < 1000 {
		return fmt.Sprintf("%d", n)
	}
	return fmt.Sprintf("%.1fk", float64(n)/1000)
}

// spread puts left and right at the two ends of a line; right goes where there
// is no room for both.
func spread(left, right string, width int) string {
	l, r := ansi.StringWidth(left), ansi.StringWidth(right)
	if l > width {
		return ansi.Truncate(left, width, "…")
	}
	if r == 0 || l+2+r > width {
		return left
	}
	return left + strings.Repeat(" ", width-l-r) + right
}

// windowTitle names the vault and what happens.
func (m *Model) windowTitle() string {
	title := m.o.VaultName + " · chatvault"
	switch {
	case m.turn.running:
		title = "… " + title
	case m.question != nil:
		title = "? " + title
	}
	return safe.Title(title)
}

func firstLine(text string) string {
	line, _, more := strings.Cut(strings.TrimSpace(text), "\n")
	if more || ansi.StringWidth(line) > 60 {
		line = ansi.Truncate(line, 60, "") + "…"
	}
	return line
}
