package vault

import (
	"fmt"
	"slices"
	"strings"

	"chatvault/vault/failure"
	"chatvault/vault/journal"
)

// later returns the last later turn that changed or moved a file and is not undone; it must be undone first. to is
// the current path of the file, or "" if the journal does not know it.
func (r *reversal) later(at string) (turn, to string) {
	to = at
	for _, t := range slices.Backward(r.turns) { // oldest first
		if t.Turn == r.turn.Turn || t.Source == sourceUndo || t.Source == sourceRedo {
			continue
		}
		for k := range t.Changes {
			c := &t.Changes[k]
			if c.State != journal.Done || c.Undone || !c.Time.After(r.back.Time) {
				continue
			}
			if now, touched := after(c, to); touched {
				turn, to = t.Turn, now
			}
		}
	}
	return turn, to
}

// after returns the path of a file after a change and reports whether the change affected it.
func after(c *journal.Change, at string) (now string, touched bool) {
	rest, in := strings.CutPrefix(at, c.Path)
	in = in && (rest == "" || c.Folder && rest[0] == '/')
	switch {
	case c.Op == "move" && in:
		return c.NewPath + rest, true
	case c.Op == "delete" && in:
		return "", true
	}
	return at, slices.ContainsFunc(c.Files, func(f journal.File) bool { return f.Path == at })
}

// undoFirst returns a sentence with the turn to undo first.
func undoFirst(turn string) string { return "Undo that turn first, with: chatvault undo " + turn }

// refuseGone refuses a file that no longer exists. but is what is not done with it.
func (r *reversal) refuseGone(at, but string) {
	turn, to := r.later(at)
	if to != "" && r.private(to) {
		r.refusePrivate()
		return
	}
	why := fmt.Sprintf("%s no longer exists, so it is not %s.", failure.Quote(at), but)
	switch {
	case turn == "":
		why += " If it was only moved or deleted, restore it under this name and try again."
	case to == "":
		why = fmt.Sprintf("%s was deleted by a later turn, so it is not %s. %s", failure.Quote(at), but, undoFirst(turn))
	case to != at:
		why = fmt.Sprintf("%s was moved to %s by a later turn, so it is not %s. %s", failure.Quote(at), failure.Quote(to), but, undoFirst(turn))
	}
	r.refuse(at, why)
}

// refuseChanged refuses a file that has been changed since.
func (r *reversal) refuseChanged(at string) {
	if turn, to := r.later(at); turn != "" && to == at {
		r.refuse(at, fmt.Sprintf("%s was changed by a later turn, so it is left unchanged. %s", failure.Quote(at), undoFirst(turn)))
		return
	}
	r.refuse(at, fmt.Sprintf("%s was changed since, so it is left unchanged. Look at it with: chatvault changes --diff %s, and restore by hand what you need.", failure.Quote(at), r.turn.Turn))
}
