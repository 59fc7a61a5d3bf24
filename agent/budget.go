package agent

import (
	"errors"
	"fmt"
	"strings"

	"chatvault/agent/event"
	"chatvault/agent/llm"
)

// overBudget ends the run before a model call that the budget does not allow.
func (r *run) overBudget() bool {
	why := r.spent.Over()
	if why != "" {
		r.stopShort(event.StopBudget, why, "this turn's budget is used up ("+why+")", " with a new budget")
	}
	return why != ""
}

// outgrown ends the run if its steps have outgrown the model's window. In the next turn a summary can replace them.
func (r *run) outgrown(err error) bool {
	e, ok := errors.AsType[*llm.Error](err)
	if !ok || e.Reason != llm.ReasonContextLength || len(r.out.Messages) == 0 {
		return false
	}
	r.to(event.StateThinking)
	r.Log.Warn("a turn has outgrown the window", "turn", r.TurnID, "error", err)
	r.stopShort(event.StopLength, "its steps no longer fit its model", "this turn has grown longer than the model takes", "")
	return true
}

// stopShort ends the run with an account of our own: another model call for one would cost too much. why is the account
// of a sub-agent, to which its parent adds; because and next complete the sentences for the user.
func (r *run) stopShort(reason event.StopReason, why, because, next string) {
	r.out.Reason, r.out.Response = reason, why
	if !r.isSubagent() {
		r.out.Response = "I stopped because " + because + ". " + r.account() + " Say “continue” to go on" + next + "."
		r.Emit(event.TextDelta{Meta: r.meta(), Text: r.out.Response})
		r.Emit(event.TextDone{Meta: r.meta(), Text: r.out.Response})
		r.recordAnswer(llm.Response{Text: r.out.Response})
	}
	r.to(event.StateCompleted)
}

// account describes what the turn has done and, if the agent keeps a task list, what remains.
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

// enumerated joins at most ten items by semicolons.
func enumerated(list []string) string {
	const most = 10
	if n := len(list) - most; n > 0 {
		return strings.Join(list[:most], "; ") + fmt.Sprintf("; and %d more", n)
	}
	return strings.Join(list, "; ")
}

// Usage returns the usage of the active conversation and of the local day, including the running turn.
func (in *intake) Usage() (conversation, day event.Totals, err error) {
	err = in.accounts.Refresh()
	id, activeErr := in.goingOn()
	conversation, day = in.accounts.Today(id)
	return conversation, day, errors.Join(err, activeErr)
}

// Context returns how many tokens of the model's window the conversation's last call took; zero means unknown.
func (in *intake) Context() (tokens, window int) {
	id, err := in.goingOn()
	if err != nil || id == "" {
		return 0, 0
	}
	return in.accounts.Filled(id)
}

// goingOn returns the ID of the conversation that the next message continues; empty if there is none.
func (in *intake) goingOn() (string, error) {
	if id := in.conversationID(); id != "" {
		return id, nil
	}
	c, err := in.opt.Conversations.Active()
	switch {
	case err != nil:
		return "", err
	case c != nil:
		return c.ID, nil
	}
	return in.nextID(), nil
}

// Costs returns the costs of the vault, including the running turn.
func (in *intake) Costs() (event.Costs, error) {
	err := in.accounts.Refresh()
	return in.accounts.Costs(), err
}
