package agent

import (
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
