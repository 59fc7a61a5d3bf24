package agent

import (
	"context"

	"chatvault/agent/event"
	"chatvault/tools"
)

// linkChooser asks the user whether a move shall update links, in a vault where Obsidian is set to
// ask. What was allowed for the conversation, or for everything, needs no question.
func (p *Processor) linkChooser(t *turn) func(context.Context, tools.Proposal, askFunc) (tools.LinkChoice, error) {
	return func(ctx context.Context, change tools.Proposal, ask askFunc) (tools.LinkChoice, error) {
		switch {
		case p.opt.ApproveAll, p.allowed.has(t.conv.ID, change):
			return tools.LinksUpdate, nil
		case ask == nil:
			return tools.LinksUnasked, nil
		}
		a, err := ask(ctx, event.Request{
			Kind: event.RequestApproval, Change: change,
			Text: "Obsidian is set to ask before links are updated (alwaysUpdateLinks is off). It is moved in any case; denied, the links stay as they are and lead nowhere.",
		})
		if err != nil {
			return tools.LinksUnasked, err
		}
		switch a.Decision {
		case event.AllowOnce:
		case event.AllowConversation:
			p.allowed.add(t.conv.ID, change)
		default:
			return tools.LinksLeave, nil
		}
		return tools.LinksUpdate, nil
	}
}

// ChooseLinks asks whether a move shall update links.
func (m *messenger) ChooseLinks(ctx context.Context, p tools.Proposal) (tools.LinkChoice, error) {
	r := (*run)(m)
	switch {
	case r.ChooseLinks == nil:
		return tools.LinksUnasked, nil
	case r.Ask == nil:
		return r.ChooseLinks(ctx, p, nil)
	}
	return r.ChooseLinks(ctx, p, r.ask)
}
