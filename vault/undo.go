package vault

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"chatvault/vault/journal"
	"chatvault/vault/vaulterr"
)

// Undone is the result of an undo or a redo.
type Undone struct {
	Turn    journal.Turn // the turn that was undone or redone
	Lines   []string     // what was done, one line each, for the user
	About   [][]string   // the paths mentioned in each of Lines
	Refused []Refusal    // what was left unchanged
}

// Refusal is a file or folder that was left unchanged.
type Refusal struct {
	Path string // current true name; "" if it is private
	Why  string // a sentence with the reason and the remedy
}

// Errors of Undo and Redo.
var (
	ErrNothingToUndo = errors.New("there is nothing to undo")
	ErrNothingToRedo = errors.New("there is nothing to redo")
	// ErrUndone means that the whole turn was already undone.
	ErrUndone = errors.New("it was already undone")
	// ErrTurnRuns means that the turn has not ended yet.
	ErrTurnRuns = errors.New("it is still running: wait until it ends, or stop it first")
	// ErrNoJournal means that changes of this vault are not recorded.
	ErrNoJournal = errors.New("this vault has no journal")
)

// Sources of turns that undo others.
const (
	sourceUndo = "undo"
	sourceRedo = "redo"
)

// Undo undoes a turn's changes, the last one first. Each is a change of its own, recorded in a turn with the source
// "undo". id is a turn's ID or the beginning of one; "" means the last turn that is not completely undone, except
// undos, redos and changes by the program itself. Files that were changed since, or that are private now, are refused
// one by one and the rest is undone. The error is ErrNothingToUndo, ErrUndone, ErrTurnRuns, KindNotFound,
// KindAmbiguous, or a disk error; Undone has what was done until then.
func (h *History) Undo(ctx context.Context, id string) (Undone, error) {
	turns, err := h.settledTurns(ctx)
	if err != nil {
		return Undone{}, err
	}
	t, err := toUndo(turns, id)
	if err != nil {
		return Undone{Turn: t}, err
	}
	return h.takeBack(ctx, turns, t)
}

// UndoSince undoes every change made since a time, in all turns that Undo would select, the newest first. Changes that
// a later one prevented are tried again after that was undone. It returns the turns with what was done.
func (h *History) UndoSince(ctx context.Context, from time.Time) (done []Undone, err error) {
	tried := map[string]bool{} // since the last progress
	for {
		turns, err := h.settledTurns(ctx)
		if err != nil {
			return done, err
		}
		list := slices.DeleteFunc(Since(turns, from), func(t journal.Turn) bool { return tried[t.Turn] })
		switch {
		case len(list) == 0 && len(done) == 0:
			return nil, ErrNothingToUndo
		case len(list) == 0:
			return done, nil
		case slices.ContainsFunc(list, func(t journal.Turn) bool { return t.Running }):
			return done, fmt.Errorf("a turn is not finished: %w", ErrTurnRuns)
		}
		u, err := h.takeBack(ctx, turns, list[0])
		if len(u.Lines) > 0 {
			clear(tried)
		}
		tried[u.Turn.Turn] = true
		if i := slices.IndexFunc(done, func(o Undone) bool { return o.Turn.Turn == u.Turn.Turn }); i >= 0 {
			u.Lines, u.About = slices.Concat(done[i].Lines, u.Lines), slices.Concat(done[i].About, u.About)
			done = slices.Delete(done, i, i+1)
		}
		if done = append(done, u); err != nil {
			return done, err
		}
	}
}

// Since returns the changes made since a time that can be undone, by turn, newest first: not undos, redos and changes by
// the program itself. turns must be sorted like that.
func Since(turns []journal.Turn, from time.Time) (since []journal.Turn) {
	for _, t := range turns {
		t.Changes = slices.DeleteFunc(slices.Clone(t.Changes), func(c journal.Change) bool {
			return c.Time.Before(from) || c.State == journal.Failed || c.Undone
		})
		if len(t.Changes) > 0 && t.Source != sourceUndo && t.Source != sourceRedo && t.Source != journal.SourceOwn {
			since = append(since, t)
		}
	}
	return since
}

// Redo restores what the last Undo undid, unless it was already redone.
func (h *History) Redo(ctx context.Context) (Undone, error) {
	turns, err := h.settledTurns(ctx)
	if err != nil {
		return Undone{}, err
	}
	for i := range turns {
		if t := turns[i]; t.Source == sourceUndo && !t.Undone && stayed(&t) {
			u, err := h.takeBack(ctx, turns, t)
			if k := slices.IndexFunc(turns, func(o journal.Turn) bool { return o.Turn == t.Undoes }); k >= 0 {
				u.Turn = turns[k]
			}
			return u, err
		}
	}
	return Undone{}, ErrNothingToRedo
}

// Turns returns the turns with changes, newest first, including undos and redos. A positive limit limits their
// number.
func (h *History) Turns(ctx context.Context, limit int) ([]journal.Turn, error) {
	if h.journal == nil {
		return nil, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	turns, err := h.journal.Turns()
	if limit > 0 && len(turns) > limit {
		turns = turns[:limit]
	}
	return turns, err
}

// Made returns the changes of a turn that succeeded, or may have, and were not undone since. A change that was cut off
// is recovered first.
func (h *History) Made(ctx context.Context, turn string) ([]journal.Change, error) {
	if h.journal == nil || !h.journal.Has(turn) {
		return nil, nil
	}
	turns, err := h.settledTurns(ctx)
	i := slices.IndexFunc(turns, func(t journal.Turn) bool { return t.Turn == turn })
	if i < 0 {
		return nil, err
	}
	return slices.DeleteFunc(turns[i].Changes, func(c journal.Change) bool { return c.State == journal.Failed || c.Undone }), nil
}

// settledTurns returns all turns after a change that was cut off has been recovered.
func (h *History) settledTurns(ctx context.Context) ([]journal.Turn, error) {
	if h.journal == nil {
		return nil, ErrNoJournal
	}
	if err := h.Recover(ctx); err != nil {
		return nil, err
	}
	return h.Turns(ctx, 0)
}

// toUndo selects the turn to undo.
func toUndo(turns []journal.Turn, id string) (journal.Turn, error) {
	if id == "" {
		last := Since(turns, time.Time{})
		if len(last) == 0 {
			return journal.Turn{}, ErrNothingToUndo
		}
		id = last[0].Turn
	}
	t, err := FindTurn(turns, id)
	switch {
	case err != nil:
		return t, err
	case t.Undone:
		return t, ErrUndone
	case t.Running:
		return t, ErrTurnRuns
	case !stayed(&t):
		return t, ErrNothingToUndo
	}
	return t, nil
}

// stayed reports whether any change of a turn succeeded.
func stayed(t *journal.Turn) bool {
	return slices.ContainsFunc(t.Changes, func(c journal.Change) bool { return c.State != journal.Failed })
}

// FindTurn returns the turn with an ID, or the only one whose ID begins with it. The error is KindNotFound or
// KindAmbiguous.
func FindTurn(turns []journal.Turn, id string) (journal.Turn, error) {
	id = strings.ToLower(strings.TrimSpace(id))
	var found []journal.Turn
	for _, t := range turns {
		name := strings.ToLower(t.Turn)
		if name == id {
			return t, nil
		}
		if id != "" && strings.HasPrefix(name, id) {
			found = append(found, t)
		}
	}
	if len(found) == 1 {
		return found[0], nil
	}
	e := vaulterr.New(vaulterr.KindAmbiguous, id, "%s is the beginning of %d turns; give more of it.", vaulterr.Quote(id), len(found))
	if len(found) == 0 {
		e = vaulterr.New(vaulterr.KindNotFound, id, "The journal has no turn %s.", vaulterr.Quote(id))
	}
	return journal.Turn{}, e
}

// takeBack undoes every change of a turn, the last one first. turns must be all turns.
func (h *History) takeBack(ctx context.Context, turns []journal.Turn, t journal.Turn) (u Undone, err error) {
	u.Turn = t
	source := sourceUndo
	if t.Source == sourceUndo {
		source = sourceRedo
	}
	id := journal.NewID(time.Now())
	ctx = WithOrigin(ctx, Origin{Turn: id, Source: source, Title: t.Title, Conversation: t.Conversation, Undoes: t.Turn})
	defer func() { err = errors.Join(err, h.journal.EndTurn(id)) }()
	for _, c := range slices.Backward(t.Changes) {
		if c.State == journal.Failed || c.Undone {
			continue
		}
		if err := ctx.Err(); err != nil {
			return u, err
		}
		if err := h.takeBackChange(ctx, turns, &t, &c, &u); err != nil {
			return u, err
		}
	}
	return u, nil
}

// Guard sets a check that is called with each file before an undo or a redo changes it. If it returns an error,
// the change is refused.
func (h *History) Guard(check func(ctx context.Context, path string) error) { h.guard = check }

// takeBackChange undoes one change as far as its files have not been changed since.
func (h *History) takeBackChange(ctx context.Context, turns []journal.Turn, t *journal.Turn, c *journal.Change, u *Undone) error {
	r, err := h.tryTakeBack(ctx, turns, t, c)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		u.refuse(Refusal{Path: c.Path, Why: plainText(err)})
		return nil
	}
	for _, no := range r.refused {
		u.refuse(no)
	}
	if r.change.Op != "none" {
		u.Lines, u.About = append(u.Lines, r.change.Text()), append(u.About, []string{r.change.Path, r.change.NewPath})
	}
	return nil
}

// tryTakeBack undoes one change. The error is KindChanged if a file was changed by others at the same time.
func (h *History) tryTakeBack(ctx context.Context, turns []journal.Turn, t *journal.Turn, c *journal.Change) (*reversal, error) {
	for i := 0; h.guard != nil && i < len(c.Files); i++ {
		if err := h.guard(ctx, cmp.Or(c.Files[i].NewPath, c.Files[i].Path)); err != nil {
			return nil, err
		}
	}
	unlock, err := h.vault.lockToChange(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	g := h.vault.workTreeFor(c)
	defer g.close()
	r, err := g.reverse(ctx, turns, t, c)
	if err != nil || r.change.Op == "none" && len(r.refused) > 0 {
		return r, err
	}
	return r, r.carryOut(ctx)
}

// refuse adds a refusal, once per file.
func (u *Undone) refuse(r Refusal) {
	if !slices.ContainsFunc(u.Refused, func(o Refusal) bool { return o.Path == r.Path }) {
		u.Refused = append(u.Refused, r)
	}
}
