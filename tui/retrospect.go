package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"chatvault/agent/event"
	"chatvault/internal/session"
	"chatvault/tui/chat"
	"chatvault/tui/dialog"
	"chatvault/tui/keys"
	"chatvault/tui/phrase"
)

// proposal is a text that a look back proposes for the setting that says where things go.
type proposal struct {
	text string
	from string // the conversation that was looked back at
	card *chat.Retrospection
	open bool // its dialog is
}

type (
	// proposalMsg brings what accepting a proposal would change.
	proposalMsg struct {
		p      *proposal
		change session.SettingChange
		err    error
	}
	// proposalDecided is what the user decided.
	proposalDecided struct {
		p      *proposal
		change session.SettingChange
		take   bool
	}
	// proposalTakenMsg says how writing it ended.
	proposalTakenMsg struct {
		p    *proposal
		path string
		err  error
	}
)

// showsProposal is what shows what is proposed: its key, or the command.
func (m *Model) showsProposal() string { return keys.First(m.keys.Proposal, "/retrospect accept") }

// lookedBack shows a reflection. What it proposes is the newest proposal; one before it that was
// not decided is one no longer.
func (m *Model) lookedBack(e event.Retrospected) {
	card := chat.NewRetrospection(m.env, e.ConversationTitle, e.Content)
	m.hasDetails = true
	if e.Architecture != "" && m.o.Architecture != nil {
		if p := m.proposal; p != nil {
			p.card.Propose("It proposed a change of where things go; a later look back proposes another", false)
		}
		m.proposal = &proposal{text: e.Architecture, from: e.ConversationTitle, card: card}
		card.Propose("It proposes a change of where things go: "+m.showsProposal()+" shows it", true)
	}
	m.say(card)
}

// retrospect is /retrospect.
func (m *Model) retrospect() tea.Cmd {
	ask := m.o.Retrospect
	return tea.Batch(m.pass("Looking back… what comes of it shows here when it is done", 2*quitWindow), func() tea.Msg {
		if err := ask(); err != nil {
			return hintMsg{"Nothing to look back at: " + err.Error()}
		}
		return nil
	})
}

// retrospectCommand is /retrospect with words after it.
func (m *Model) retrospectCommand(words string) tea.Cmd {
	if words != "accept" {
		return m.pass("/retrospect looks back at this conversation; /retrospect accept shows what a look back proposes", 3*quitWindow)
	}
	return m.openProposal()
}

// openProposal shows what accepting the proposal would change.
func (m *Model) openProposal() tea.Cmd {
	p := m.proposal
	switch {
	case m.o.Architecture == nil:
		return nil
	case p == nil:
		return m.pass("No look back proposes anything; /retrospect asks for one", 2*quitWindow)
	case p.open:
		return nil
	}
	work := m.o.Architecture
	return func() tea.Msg {
		change, err := work(p.text)
		return proposalMsg{p, change, err}
	}
}

// proposed routes what comes of a proposal.
func (m *Model) proposed(msg tea.Msg) (cmd tea.Cmd, known bool) {
	switch msg := msg.(type) {
	case proposalMsg:
		return m.showProposal(msg), true
	case proposalDecided:
		return m.decideProposal(msg), true
	case proposalTakenMsg:
		return m.proposalTaken(msg), true
	}
	return nil, false
}

// showProposal asks whether the change is to be made. The question comes a moment after it was
// asked for: it takes no key in its first half second, as one that comes unasked.
func (m *Model) showProposal(msg proposalMsg) tea.Cmd {
	switch {
	case msg.p.open:
		return nil
	case msg.err != nil:
		m.say(chat.NewError(m.env, "The proposal cannot be taken: "+msg.err.Error()))
		return nil
	case msg.change.Diff == "":
		m.closeProposal(msg.p, "It proposed what "+msg.change.Path+" says already")
		return m.pass("That stands there already", 2*quitWindow)
	}
	why := "A look back proposed it; nothing is written before you say so. It counts from the next conversation on."
	if msg.p.from != "" {
		why = "The look back at “" + phrase.Line(msg.p.from) + "” proposed it; nothing is written before you say so. It counts from the next conversation on."
	}
	leave := proposalDecided{msg.p, msg.change, false}
	msg.p.open = true
	m.dialogs.PushUnasked(dialog.NewApproval(m.styles, dialog.Proposed{
		Title: "Change where things go?", Path: msg.change.Path, Diff: msg.change.Diff, Why: why, Idle: true,
	}, []dialog.Choice{
		{Label: "Write it", Result: proposalDecided{msg.p, msg.change, true}},
		{Label: "Leave it", Result: leave, Safe: true},
	}, leave, !m.composer.Empty()), m.now())
	return nil
}

func (m *Model) decideProposal(d proposalDecided) tea.Cmd {
	d.p.open = false
	if !d.take {
		return m.pass("Nothing is written; "+m.showsProposal()+" shows it again", 2*quitWindow)
	}
	return func() tea.Msg { return proposalTakenMsg{d.p, d.change.Path, d.change.Apply()} }
}

func (m *Model) proposalTaken(msg proposalTakenMsg) tea.Cmd {
	if msg.err != nil {
		m.say(chat.NewError(m.env, "Nothing was written: "+msg.err.Error()+"\n"+m.showsProposal()+" shows what it would change now."))
		return nil
	}
	m.closeProposal(msg.p, "Taken: where things go is written to "+msg.path+" and counts from the next conversation on")
	return m.pass("Written to "+msg.path, 2*quitWindow)
}

// closeProposal says how a proposal ended.
func (m *Model) closeProposal(p *proposal, how string) {
	m.list.Redraw(func() { p.card.Propose(how, false) })
	if m.proposal == p {
		m.proposal = nil
	}
}
