package event

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"chatvault/tools"
)

// MaxNote bounds what a user says to a refusal, in runes: it goes to the model.
const MaxNote = 2000

// Checked is the answer as the turn gets it; an error where it does not answer the request.
func (a Answer) Checked(r Request) (Answer, error) {
	fits := a.Decision == Deny
	switch r.Kind {
	case RequestApproval:
		fits = fits || a.Decision == AllowOnce || a.Decision == AllowConversation || a.Decision == AllowAlways && r.Change.Kind == tools.ChangeTool
		a.Value = ""
		if err := a.pick(r.Change); err != nil {
			return a, err
		}
	default:
		fits = fits || a.Decision == Provide
		if a.Value = strings.TrimSpace(a.Value); a.Decision == Provide && a.Value == "" {
			return a, errors.New("nothing was typed")
		}
	}
	if !fits {
		return a, fmt.Errorf("%q does not answer a request of the kind %q", a.Decision, r.Kind)
	}
	if note := []rune(strings.TrimSpace(a.Note)); len(note) > MaxNote {
		a.Note = string(note[:MaxNote-1]) + "…"
	} else {
		a.Note = string(note)
	}
	return a, nil
}

// pick checks which parts of a change are taken: those it has, each once, in order. Where none
// are, it is denied.
func (a *Answer) pick(c tools.Proposal) error {
	if a.Decision == Deny || a.Hunks == nil {
		a.Hunks = nil
		return nil
	}
	if !c.Pick {
		return errors.New("this change can only be taken as a whole")
	}
	a.Hunks = slices.Compact(slices.Sorted(slices.Values(a.Hunks)))
	for _, i := range a.Hunks {
		if i < 0 || i >= len(c.Prose.Hunks) {
			return fmt.Errorf("the change has %d parts: there is no part %d", len(c.Prose.Hunks), i+1)
		}
	}
	switch len(a.Hunks) {
	case 0:
		a.Decision, a.Hunks = Deny, nil
	case len(c.Prose.Hunks):
		a.Hunks = nil
	}
	return nil
}
