package tui

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"chatvault/agent/event"
	"chatvault/internal/terminal"
	"chatvault/internal/text"
	"chatvault/tui/keys"
	"chatvault/tui/phrase"
)

// maxQueue is how many waiting messages are shown.
const maxQueue = 3

// goes is where a waiting message will go.
type goes string

const (
	toThisTurn goes = "→ this turn" // into the running one, at its next model step
	toNextTurn goes = "→ next turn"
	toNew      goes = "→ new conversation" // the agent has ended this one
)

// goesTo says where a waiting message will go: open says that a turn runs, or is about to, that
// takes messages as it goes on, ends that the agent ends the conversation with it.
func goesTo(open, ends bool, in event.Inbound) goes {
	if open && in.Source == event.SourceDirect && !in.Hold && in.Mode == event.ModeAct {
		return toThisTurn
	}
	if ends {
		return toNew
	}
	return toNextTurn
}

// open says whether what is sent now may go into a turn that runs or is about to. One that is
// being stopped takes nothing any more.
func (m *Model) open() bool {
	if m.turn.stopping || m.leaving {
		return false
	}
	return m.state.Turn.Running && m.turn.folds || !m.state.Turn.Running && m.starting()
}

// takesMore says whether a turn that begins with these messages takes others while it runs:
// one of the user's own, or toward the goal.
func (s *sending) takesMore(ids []string) bool {
	if len(ids) == 0 {
		return true
	}
	switch s.received[ids[0]].Source {
	case event.SourceDirect, event.SourceGoal, "":
		return true
	}
	return false
}

// starting says that a message is in the transcript whose turn has not begun.
func (s *sending) starting() bool {
	return slices.ContainsFunc(s.outbox, func(o *outgoing) bool { return o.item != nil })
}

// waiting are the messages that wait, in order.
func (s *sending) waiting() []*outgoing {
	var out []*outgoing
	for _, o := range s.outbox {
		if o.item == nil {
			out = append(out, o)
		}
	}
	return out
}

// queueLines shows the messages that wait, and where each will go.
func (m *Model) queueLines(width int) []string {
	s := m.styles
	waiting := m.waiting()
	if len(waiting) == 0 {
		return nil
	}
	open := m.open()
	last, stays := m.lastQueued(), len(waiting)-1 // what can be taken back stays in sight, else the newest
	if i := slices.Index(waiting, last); i >= maxQueue-1 {
		stays = i
	}
	var out []string
	for i, o := range waiting {
		if i == maxQueue-1 && len(waiting) > maxQueue {
			out = append(out, s.Muted.Render(ansi.Truncate(fmt.Sprintf("  … %d more", len(waiting)-maxQueue), width, "")))
		}
		if i >= maxQueue-1 && i != stays && len(waiting) > maxQueue {
			continue
		}
		right := string(goesTo(open, m.state.Turn.Leaves, o.Inbound))
		if o.ID == "" {
			right = "saving"
		}
		if o == last && m.composer.Empty() && !m.picking() && m.dialogs.Empty() {
			if up := keys.First(m.keys.TakeBack, ""); up != "" {
				right += " · " + up + " takes it back"
			}
		}
		out = append(out, m.queueLine(o, right, width))
	}
	return out
}

// queueLine is a waiting message in one line. Where it goes is said as far as there is room.
func (m *Model) queueLine(o *outgoing, right string, width int) string {
	s := m.styles
	const mark, least, gap = "↳ ", 12, 2
	text := text.OneLine(terminal.Text(phrase.Head(o.Text, 400)))
	via := m.received[o.ID].Via()
	switch {
	case via != "":
		text = via + ": " + text
	case o.Mode == event.ModePlan:
		text = "plan: " + text
	}
	room := width - ansi.StringWidth(mark)
	if room-ansi.StringWidth(right)-gap < least {
		right, _, _ = strings.Cut(right, " · ")
	}
	if left := room - ansi.StringWidth(right) - gap; left >= least {
		room = left
	} else {
		right = ""
	}
	return phrase.Spread(s.Muted.Render(mark)+ansi.Truncate(text, max(room, 1), "…"), s.Muted.Render(right), width)
}

// folded moves messages that went into the running turn into the transcript. Before the turn's
// first model step they are as good as sent together with what began it.
func (m *Model) folded(e event.Folded) {
	m.endText()
	for _, it := range m.shown(e.MessageIDs) {
		if m.state.Turn.Thought {
			it.Added()
		}
	}
	if m.question != nil && m.question == m.turn.answers.question && m.answering(e.MessageIDs) {
		m.closeQuestion()
	}
}

// waits says whether a text, as it was typed, is a message that waits: it shows in the queue, from
// where it can be taken back.
func (s *sending) waits(text string) bool {
	return slices.ContainsFunc(s.outbox, func(o *outgoing) bool { return o.item == nil && typedIn(o.Mode, o.Text) == text })
}

// queued counts the messages that wait for the turn to end.
func (s *sending) queued() int {
	n := 0
	for _, o := range s.outbox {
		if o.item == nil {
			n++
		}
	}
	return n
}
