package pickers

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"chatvault/agent/event"
	"chatvault/internal/session"
	"chatvault/tui/chat"
	"chatvault/tui/dialog"
	"chatvault/tui/loop"
	"chatvault/tui/phrase"
)

// Proposal is the newest undecided proposal, made by a review, for the setting information_architecture.
type Proposal struct {
	*Base
	Config Configuration // nil if proposals cannot be applied
	ShowBy string        // the key or command that opens it

	now     *proposed           // the open proposal, or nil
	writing *chat.Retrospection // the reflection being streamed, or nil
	of      string              // the id of its conversation
}

type proposed struct {
	text string
	from string // title of the reviewed conversation
	card *chat.Retrospection
	open bool // its dialog is open
}

// Hear appends streamed text of a reflection.
func (p *Proposal) Hear(e event.RetrospectionDelta) {
	if p.writing == nil || p.of != e.ConversationID {
		p.writing, p.of = chat.NewRetrospection(p.env, e.ConversationTitle), e.ConversationID
		p.Say(p.writing)
	}
	p.writing.Append(e.Text)
}

// Look shows a completed reflection. Its proposal replaces an earlier undecided one.
func (p *Proposal) Look(e event.Retrospected) {
	card := p.writing
	shown := card != nil && p.of == e.ConversationID
	if !shown {
		card = chat.NewRetrospection(p.env, e.ConversationTitle)
	}
	p.writing = nil
	p.Redraw(func() { card.Finish(e.Content, e.Cut) })
	if e.Architecture != "" && p.Config != nil {
		if p.now != nil {
			p.now.card.Propose("It proposed a change to where things go; a later review proposes another", false)
		}
		p.now = &proposed{text: e.Architecture, from: e.ConversationTitle, card: card}
		card.Propose("It proposes a change to where things go: "+p.ShowBy+" shows it", true)
	}
	if !shown {
		p.Say(card)
	}
}

// Open shows the change that the proposal would make.
func (p *Proposal) Open() tea.Cmd {
	x := p.now
	switch {
	case p.Config == nil:
		return nil
	case x == nil:
		return p.Flash("No review proposes anything; /retrospect starts one", sentence)
	case x.open:
		return nil
	}
	change := func(context.Context) (session.SettingChange, error) { return p.Config.Architecture(x.text) }
	return fetch(p.Base, "The proposal cannot be accepted: ", change, func(change session.SettingChange) tea.Cmd { return p.show(x, change) })
}

// show asks for confirmation. Since the question appears with a delay, it ignores keys in its first half second, like
// dialogs that the user did not ask for.
func (p *Proposal) show(x *proposed, change session.SettingChange) tea.Cmd {
	switch {
	case x.open:
		return nil
	case change.Diff == "":
		p.close(x, "It proposed no change to "+change.Path)
		return p.Flash("The setting already has this value", sentence)
	}
	who := "A review"
	if x.from != "" {
		who = "The review of “" + phrase.Line(x.from) + "”"
	}
	leave := loop.Do(func() tea.Cmd {
		x.open = false
		return p.Flash("Nothing is written; "+p.ShowBy+" shows it again", sentence)
	})
	x.open = true
	what := dialog.Proposed{Title: "Change where things go?", Idle: true}
	what.Change.Path, what.Change.Diff = change.Path, change.Diff
	what.Text = who + " proposed it; nothing is written before you say so. It takes effect in the next conversation."
	p.PushUnasked(dialog.NewApproval(p.env.Styles, what, []dialog.Choice{
		{Label: "Write it", Result: loop.Do(func() tea.Cmd { return p.take(x, change) })},
		{Label: "Leave it", Result: leave, Safe: true},
	}, leave, p.Writing()))
	return nil
}

func (p *Proposal) take(x *proposed, change session.SettingChange) tea.Cmd {
	x.open = false
	apply := func(context.Context) (any, error) { return nil, change.Apply() }
	return loop.Then(p.ctx, apply, func(_ any, err error) tea.Cmd {
		if err != nil {
			return p.Flash("Nothing was written: "+err.Error()+" · "+p.ShowBy+" shows what it would change now", long)
		}
		p.close(x, "Accepted: where things go is written to "+change.Path+" and takes effect in the next conversation")
		return p.Flash("Written to "+change.Path, sentence)
	})
}

// close shows how a proposal was decided.
func (p *Proposal) close(x *proposed, how string) {
	p.Redraw(func() { x.card.Propose(how, false) })
	if p.now == x {
		p.now = nil
	}
}
