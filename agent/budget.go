package agent

import (
	"errors"
	"fmt"
	"strings"

	"chatvault/agent/event"
	"chatvault/agent/llm"
)

// overBudget ends the run before a model call that the budget does not allow, with an account
// of our own: another call for one would cost more.
func (r *run) overBudget() bool {
	why := r.spent.Over()
	if why == "" {
		return false
	}
	r.out.Reason = event.StopBudget
	if r.isSubagent() { // the parent gives the account
		r.out.Response = why
		r.to(event.StateCompleted)
		return true
	}
	r.out.Response = "I stopped because this turn's budget is used up (" + why + "). " + r.account() + " Say “continue” to go on with a new budget."
	r.Emit(event.TextDelta{Meta: r.meta(), Text: r.out.Response})
	r.Emit(event.TextDone{Meta: r.meta(), Text: r.out.Response})
	r.recordAnswer(llm.Response{Text: r.out.Response})
	r.to(event.StateCompleted)
	return true
}

// account says what the turn has done and, where the agent keeps a list of its steps, what is
// left.
func (r *run) account() string {
	text := "Nothing was changed."
	if changes := r.box.Changes(); len(changes) > 0 {
		text = "Done so far: " + enumerated(changes) + "."
	}
	var left []string
	for _, item := range r.tasks {
		if !item.Done {
			left = append(left, item.Text)
		}
	}
	switch {
	case len(left) > 0:
		text += " Left: " + enumerated(left) + "."
	case len(r.tasks) > 0:
		text += " All steps of the list are done."
	}
	return text
}

// enumerated is a list in a sentence, of at most ten.
func enumerated(list []string) string {
	const most = 10
	if n := len(list) - most; n > 0 {
		return strings.Join(list[:most], "; ") + fmt.Sprintf("; and %d more", n)
	}
	return strings.Join(list, "; ")
}

// Usage is what the active conversation and the local day have used so far, in all processes,
// with the turn under way in this one.
func (p *Processor) Usage() (conversation, day event.Totals, err error) {
	err = p.accounts.Look()
	id, activeErr := p.goingOn()
	conversation, day = p.accounts.Today(id)
	return conversation, day, errors.Join(err, activeErr)
}

// Context is how many tokens of the model's window the active conversation took with the last
// call of a turn, also of an earlier process, as far as Usage has read; 0: that is not known.
func (p *Processor) Context() (tokens, window int) {
	id, err := p.goingOn()
	if err != nil || id == "" {
		return 0, 0
	}
	return p.accounts.Filled(id)
}

// goingOn is the id of the conversation that the next message goes on with; empty: of none.
func (p *Processor) goingOn() (string, error) {
	if id := p.conversationID(); id != "" {
		return id, nil
	}
	c, err := p.opt.Conversations.Active()
	switch {
	case err != nil:
		return "", err
	case c != nil:
		return c.ID, nil
	}
	return p.unrecordedConversation(), nil
}

// Costs is what the model calls of the vault have used, with those of the turn under way.
func (p *Processor) Costs() (event.Costs, error) {
	err := p.accounts.Look()
	return p.accounts.Costs(), err
}
