package tui

import (
	"context"
	"errors"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"chatvault/internal/session"
	"chatvault/tui/chat"
	"chatvault/tui/dialog"
	"chatvault/tui/phrase"
)

// offers are unfinished messages to be asked about, one after the other.
type offers struct {
	left    []session.Unfinished
	total   int
	kept    int
	unasked bool // offered at the start, not by /inbox
}

// decision is what the user decided about an unfinished message.
type decision struct {
	u    session.Unfinished
	what verdict
}

type verdict int

const (
	keepIt verdict = iota
	retryIt
	dropIt
	writeFirst // the user went on writing: this and the others wait
)

// unfinishedMsg brings the unfinished messages as they are now.
type unfinishedMsg struct {
	list  []session.Unfinished
	err   error
	retry bool // the one that was tried last is to be tried again; else all are offered
}

// canDecide says whether unfinished messages can be offered.
func (m *Model) canDecide() bool {
	return m.o.Unfinished != nil && m.o.Retry != nil && m.o.Drop != nil
}

// offerNext asks about the next unfinished message, if there is one.
func (m *Model) offerNext() {
	if len(m.offers.left) == 0 {
		if m.offers.unasked {
			m.sayKept(m.offers.kept)
		}
		m.offers = offers{}
		return
	}
	u := m.offers.left[0]
	title := offerTitle(u)
	if n := m.offers.total; n > 1 {
		title += fmt.Sprintf(" · %d of %d", n-len(m.offers.left)+1, n)
	}
	m.offers.left = m.offers.left[1:]
	d := dialog.NewConfirm(m.styles, title, offerText(u), u.Message.Text, []dialog.Choice{
		{Label: "Try it now", Result: decision{u, retryIt}},
		{Label: "Keep it (see /inbox)", Result: decision{u, keepIt}},
		{Label: "Discard it", Result: decision{u, dropIt}},
	}, 1, decision{u, keepIt}, decision{u, writeFirst})
	if m.offers.unasked {
		m.dialogs.PushUnasked(d, m.now())
	} else {
		m.dialogs.Push(d)
	}
}

func offerTitle(u session.Unfinished) string {
	if u.Begun() {
		return "A message was not finished"
	}
	return "A message is still waiting"
}

// offerText says in whole sentences how an unfinished message stands.
func offerText(u session.Unfinished) string {
	var text string
	switch {
	case !u.Begun():
		text = "It was queued, and chatvault ended before its turn came."
	case u.LastError == "":
		text = "chatvault ended in the middle of it."
	default:
		text = phrase.Ended("What happened: " + u.LastError)
	}
	if u.Attempts > 1 {
		text += fmt.Sprintf(" It was tried %d times.", u.Attempts)
	}
	if u.ToolsRan {
		text += " " + u.Did()
	}
	return text
}

func (m *Model) decided(d decision) tea.Cmd {
	var cmd tea.Cmd
	switch d.what {
	case retryIt:
		cmd = m.retry(d.u)
	case dropIt:
		cmd = m.discard(d.u)
	case keepIt:
		m.offers.kept++
	case writeFirst:
		m.offers.left = append([]session.Unfinished{d.u}, m.offers.left...)
		m.later()
		return nil
	}
	m.offerNext()
	return cmd
}

// later puts off what is not decided, and says where it is.
func (m *Model) later() {
	m.sayKept(m.offers.kept + len(m.offers.left))
	m.offers = offers{}
}

// sayKept says how many messages wait in the inbox.
func (m *Model) sayKept(n int) {
	switch n {
	case 0:
	case 1:
		m.say(chat.NewNotice(m.env, "A message that was not finished is kept: /inbox shows it."))
	default:
		m.say(chat.NewNotice(m.env, fmt.Sprintf("%d messages that were not finished are kept: /inbox shows them.", n)))
	}
}

func (m *Model) retry(u session.Unfinished) tea.Cmd {
	m.received[u.Message.ID] = u.Message
	m.composer.Remember((&outgoing{text: u.Message.Text, mode: u.Message.Mode}).typed()) // what ↑ brings back when it is stopped
	return m.try("“"+phrase.First(u.Message.Text)+"” was not tried again", func(ctx context.Context) error { return m.o.Retry(ctx, u.Message.ID) })
}

// discardedMsg says how discarding ended.
type discardedMsg struct {
	u   session.Unfinished
	err error
}

func (m *Model) discard(u session.Unfinished) tea.Cmd {
	ctx, drop := m.ctx, m.o.Drop
	return func() tea.Msg { return discardedMsg{u, drop(ctx, u.Message.ID)} }
}

func (m *Model) discarded(msg discardedMsg) {
	text := phrase.First(msg.u.Message.Text)
	if msg.err != nil {
		m.say(chat.NewError(m.env, "“"+text+"” was not discarded: "+msg.err.Error()))
		return
	}
	m.say(chat.NewNotice(m.env, "Discarded: "+text))
}

// openInbox and retryLast look into the inbox as it is now: other processes work on it, too.
func (m *Model) openInbox() tea.Cmd { return m.lookIntoInbox(false) }

func (m *Model) retryLast() tea.Cmd { return m.lookIntoInbox(true) }

func (m *Model) lookIntoInbox(retry bool) tea.Cmd {
	ctx, list := m.ctx, m.o.Unfinished
	return func() tea.Msg {
		got, err := list(ctx)
		return unfinishedMsg{got, err, retry}
	}
}

func (m *Model) foundUnfinished(msg unfinishedMsg) tea.Cmd {
	if msg.err != nil {
		if !errors.Is(msg.err, context.Canceled) {
			m.say(chat.NewError(m.env, "The inbox could not be read: "+msg.err.Error()))
		}
		return nil
	}
	waiting := m.notInHand(msg.list)
	if msg.retry {
		last, ok := lastTried(waiting)
		switch {
		case !ok:
			return m.pass("Nothing failed that could be tried again", quitWindow)
		case !last.ToolsRan:
			return m.retry(last)
		}
		waiting = []session.Unfinished{last} // it changed notes: ask first
	}
	if len(waiting) == 0 {
		return m.pass("No unfinished message waits", quitWindow)
	}
	m.offers = offers{left: waiting, total: len(waiting)}
	m.offerNext()
	return nil
}

// notInHand leaves out what is queued or worked on here.
func (m *Model) notInHand(list []session.Unfinished) []session.Unfinished {
	inHand := map[string]bool{}
	for _, o := range m.outbox {
		inHand[o.id] = true
	}
	for _, id := range m.turn.ids {
		inHand[id] = true
	}
	var out []session.Unfinished
	for _, u := range list {
		if !inHand[u.Message.ID] {
			out = append(out, u)
		}
	}
	return out
}

// lastTried is the message that was tried last, of those that were tried at all.
func lastTried(list []session.Unfinished) (last session.Unfinished, ok bool) {
	for _, u := range list {
		if u.Begun() && (!ok || !u.LastTried.Before(last.LastTried)) {
			last, ok = u, true
		}
	}
	return last, ok
}
