package session

import (
	"context"
	"errors"
	"slices"

	"chatvault/vault"
	"chatvault/vault/journal"
)

// undoLast takes back the last turn of which something can be. One that was tried before, and of
// which nothing can be taken back now, is passed over, and named: else nobody would ever come to
// the turns before it. One that was not tried yet is the answer by itself, so that nobody is
// surprised by what went in its place.
func (ch *Changes) undoLast(ctx context.Context) (Undone, error) {
	var passed []string
	more := false
	out, err := ch.takeBack(ctx, "undid", func(ctx context.Context) (vault.Undone, error) {
		turns, err := ch.vault.ChangedTurns(ctx, 0)
		if err != nil {
			return vault.Undone{}, err
		}
		last := ""
		turns, skipped := ch.own(turns)
		if skipped {
			if last = turnBefore(turns, ""); last == "" {
				return vault.Undone{}, errors.New("the last changes are another window's: undo them there, or with /changes")
			}
		}
		u, err := ch.vault.Undo(ctx, last)
		if err != nil || !stuck(u) {
			return u, err
		}
		first := u
		for {
			before := turnBefore(turns, u.Turn.Turn)
			if more = before != ""; !u.Turn.Partly && !ch.refused[u.Turn.Turn] {
				ch.refuse(u.Turn.Turn)
				return u, nil
			}
			if !more {
				passed = nil
				return first, nil
			}
			passed = append(passed, changeTitle(&u.Turn))
			if u, err = ch.vault.Undo(ctx, before); err != nil || !stuck(u) {
				return u, err
			}
		}
	})
	out.Passed, out.More = passed, more
	return out, err
}

// own are the turns without those of conversations that other windows are in, and whether there were any.
func (ch *Changes) own(turns []journal.Turn) (own []journal.Turn, skipped bool) {
	others := map[string]bool{}
	for id := range ch.windows.left() {
		others[id] = ch.windows.elsewhere(id)
	}
	if ch.windows.elsewhere(activeLock) {
		list, _ := ch.manager.List() // where it cannot be read, the turns are nobody's
		for _, e := range list {
			others[e.ID] = others[e.ID] || ch.windows.has(e)
		}
	}
	own = slices.DeleteFunc(slices.Clone(turns), func(t journal.Turn) bool { return others[t.Conversation] })
	return own, len(own) < len(turns)
}

// refuse keeps that a turn was tried, and that nothing of it could be taken back. Undos run one at
// a time.
func (ch *Changes) refuse(id string) {
	if ch.refused == nil {
		ch.refused = map[string]bool{}
	}
	ch.refused[id] = true
}

// stuck says that everything which an undo was to take back was left as it is.
func stuck(u vault.Undone) bool { return len(u.Lines) == 0 && len(u.Refused) > 0 }

// turnBefore is the last turn before another one, or of all where id is "", of which there is anything to take
// back; "": none.
func turnBefore(turns []journal.Turn, id string) string {
	seen := id == ""
	for i := range turns {
		t := &turns[i]
		if seen && !t.Undone && t.Undoes == "" && t.Source != journal.SourceOwn && len(changedTurn(t).Back) > 0 {
			return t.Turn
		}
		seen = seen || t.Turn == id
	}
	return ""
}

// changeTitle is what a turn is called: what was asked for, else what it did first.
func changeTitle(t *journal.Turn) string {
	if t.Title == "" && len(t.Changes) > 0 {
		return t.Changes[0].Text()
	}
	return t.Title
}
