package tui

import (
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/tui/chat"
	"chatvault/tui/keys"
	"chatvault/tui/markdown"
	"chatvault/tui/phrase"
	"chatvault/tui/safe"
	"chatvault/tui/selection"
	"chatvault/tui/theme"
)

// standing is what the status line speaks of, as plain values.
type standing struct {
	leaving, stopping, running, starting bool
	state                                event.State
	elapsed                              time.Duration // since the turn began
	retryIn                              time.Duration
	attempt                              int
	reason                               string
	question                             bool   // waits for its answer
	options                              bool   // it comes with
	waiting                              bool   // for another process's turn to end
	writing                              bool   // the model writes
	compacting                           bool   // earlier messages are being summarised
	moving                               bool   // to another place in the conversation
	continuing                           bool   // one that ended
	checking                             bool   // whether the goal is met is being found out
	doing                                string // the tool call that runs: "reading Projects/Alpha.md"
	calls                                int    // how many run
	queued                               int
	ended                                ended // the turn before
}

// ended is how a turn ended, and after how long; the zero value is none.
type ended struct {
	state event.State
	took  time.Duration
}

// statusText puts a standing into words: what happens, and how long it has.
func statusText(s standing) string {
	switch {
	case s.leaving:
		return "Saving what you sent, then leaving…"
	case s.stopping && s.queued > 0:
		return fmt.Sprintf("Stopping… then on with %s (↑ takes one back)", queuedMessages(s.queued))
	case s.stopping:
		return "Stopping…"
	case s.compacting:
		return "Summarising earlier messages…" + elapsed(s.elapsed)
	case s.continuing:
		return "Continuing the conversation…"
	case s.moving:
		return "Going back in the conversation…"
	case s.running:
		return turnText(s)
	case s.checking:
		return "Checking the goal…" + elapsed(s.elapsed)
	case s.starting:
		return "Sending…"
	case s.question && s.options:
		return "Pick with ↑ ↓ or a number, or type an answer"
	case s.question:
		return "Waiting for your answer"
	case s.ended.took < time.Second: // not worth a word
		return ""
	case s.ended.state == event.StateCompleted:
		return "Done in " + chat.Duration(s.ended.took.Truncate(time.Second))
	case s.ended.state == event.StateError:
		return "Failed after " + chat.Duration(s.ended.took.Truncate(time.Second))
	}
	return ""
}

// turnText says what a turn that runs does.
func turnText(s standing) string {
	took := elapsed(s.elapsed)
	if s.waiting {
		return "Waiting for another chatvault…" + took
	}
	switch s.state {
	case event.StateActing:
		switch {
		case s.calls > 1:
			return fmt.Sprintf("Running %d tools…", s.calls) + took
		case s.doing != "":
			return strings.TrimSuffix(chat.Sentence(s.doing), "…") + "…" + took
		}
		return "Working…" + took
	case event.StateObserving:
		return "Reading the results…" + took
	case event.StateRetrying:
		return retryTexts(s)[0]
	case event.StateWaitingDecision:
		return "Waiting for your decision" + took
	case event.StateWaitingClarification:
		return "Waiting for your answer" + took
	case event.StateCompleted:
		return "Finishing…" + took
	case event.StateError:
		return "Failing…" + took
	case event.StateThinking:
		if s.writing {
			return "Writing…" + took
		}
		return "Thinking…" + took
	}
	return "Starting…" + took
}

// retryTexts say why a model call is tried again, and when, the longest way first.
func retryTexts(s standing) []string {
	if s.attempt <= 1 { // the first of the next provider of the chain
		return []string{s.reason + " · going on with another model…", "Going on with another model…"}
	}
	if s.retryIn <= 0 {
		return []string{fmt.Sprintf("%s · trying again… (attempt %d)", s.reason, s.attempt), "Trying again…"}
	}
	seconds := int((s.retryIn + time.Second - 1) / time.Second)
	return []string{
		fmt.Sprintf("%s · trying again in %ds (attempt %d)", s.reason, seconds, s.attempt),
		fmt.Sprintf("%s · again in %ds", s.reason, seconds),
		fmt.Sprintf("%s · %ds", s.reason, seconds),
		fmt.Sprintf("Trying again in %ds", seconds),
		fmt.Sprintf("Again in %ds", seconds),
	}
}

// statusTexts are statusText, and shorter ways to say it where there are some.
func statusTexts(s standing) []string {
	text := statusText(s)
	if ways := retryTexts(s); s.state == event.StateRetrying && text == ways[0] {
		return ways
	}
	return []string{text}
}

// elapsed is for how long something has gone on, once that is a second.
func elapsed(d time.Duration) string {
	if d < time.Second {
		return ""
	}
	return " " + chat.Duration(d.Truncate(time.Second))
}

func (m *Model) standing(width int) standing {
	s := standing{
		leaving: m.leaving, stopping: m.turn.stopping, running: m.turn.running,
		starting: len(m.outbox) > 0, state: m.turn.state,
		attempt: m.turn.retry.attempt, reason: m.turn.retry.why, question: m.question != nil, options: m.picking(),
		waiting: m.turn.waiting, writing: m.turn.writing, queued: m.queued(),
		moving: m.moving.running, continuing: m.moving.running && m.moving.on, compacting: m.compacting.running, checking: m.checkingGoal(), calls: len(m.turn.active), ended: m.ended,
	}
	if s.calls == 1 {
		c := m.turn.active[0]
		s.doing = chat.Doing(phrase.Head(c.name, maxName), phrase.Head(c.target, maxName), width/2)
	}
	switch {
	case m.turn.running:
		s.elapsed = m.now().Sub(m.turn.began)
		s.retryIn = m.turn.retry.until.Sub(m.now())
	case s.checking:
		s.elapsed = m.now().Sub(m.goal.since)
	case m.compacting.running:
		s.elapsed = m.now().Sub(m.compacting.began)
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
	lines := markdown.Wrap(safe.Line(phrase.Head(m.hint, maxName)), theme.Open(m.styles.Warn), width)
	return lines[:min(len(lines), maxHint)]
}

func (m *Model) statusLine(width int) string {
	left := m.statusLeft(width - m.kept(width))
	right := m.statusRight(width - ansi.StringWidth(left) - 2)
	if right == "" {
		return phrase.Spread(left, "", width)
	}
	return phrase.Spread(left, m.styles.Muted.Render(right), width)
}

// kept is the room of the status line that what goes on and what can be done leave to how full the
// model's window is. What is written, found or selected, and a question, take all they need.
func (m *Model) kept(width int) int {
	const working = 40 // cells in which what a turn does can be said
	switch {
	case m.writingHint(width) != "", m.find.Active(), m.selection.Active(), m.editing != nil:
		return 0
	case m.busy():
		return m.usage.Least(width, working)
	case m.question != nil:
		return 0
	}
	keys, _ := m.idleKeys()
	return m.usage.Least(width, ansi.StringWidth(keys))
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
	texts := statusTexts(m.standing(width))
	for i, t := range texts {
		texts[i] = safe.Line(t)
	}
	text := texts[0]
	switch {
	case m.busy():
		mark := s.Accent.Render(m.env.Spinner())
		tails := []string{""}
		if !m.turn.stopping && !m.leaving && m.requests.dialog == nil { // there Esc denies
			if m.stops == "" {
				m.stops = s.Muted.Render(" · ") + s.Key.Render(keys.First(m.keys.Stop, "Esc")) + s.Muted.Render(" stops")
			}
			tails = []string{m.stops, ""}
			if n := m.queued(); n > 0 && m.turn.running {
				tails = []string{m.stops + s.Muted.Render(fmt.Sprintf(" this, then on with %s", queuedMessages(n))), m.stops, ""}
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
	if m.hasDetails {
		forms = []string{phrase.Join(text, more), phrase.Join(text, keys), keys}
	}
	return s.Muted.Render(phrase.Fitting(forms, width))
}

// working is the spinner while something goes on, else a mark.
func (m *Model) working(otherwise string) string {
	if m.busy() {
		return m.styles.Accent.Render(m.env.Spinner())
	}
	return otherwise
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
	return m.usage.Line(room)
}

// windowTitle names the vault and what happens.
func (m *Model) windowTitle() string {
	title := m.o.VaultName + " · chatvault"
	switch {
	case len(m.requests.open) > 0:
		title = "? " + title
	case m.turn.running:
		title = "… " + title
	case m.question != nil:
		title = "? " + title
	}
	return safe.Title(title)
}
