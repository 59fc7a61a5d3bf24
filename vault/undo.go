package vault

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"chatvault/internal/text"
	"chatvault/vault/failure"
	"chatvault/vault/journal"
)

// Undone is what became of an undo or a redo.
type Undone struct {
	Turn    journal.Turn // the turn that was taken back, or restored
	Lines   []string     // what was done, a line each, for the user
	About   [][]string   // the paths that each of Lines names
	Refused []Refusal    // what was left as it is
}

// Refusal is a file or folder that was left alone.
type Refusal struct {
	Path string // its true name now; "": it is private
	Why  string // a sentence that says what to do

	Final bool // trying again is of no use
}

// Errors of Undo and Redo.
var (
	ErrNothingToUndo = errors.New("there is nothing to undo")
	ErrNothingToRedo = errors.New("there is nothing to redo")
	// ErrUndone: the turn was taken back already, all of it.
	ErrUndone = errors.New("it was already undone")
	// ErrTurnRuns: the turn is not over yet.
	ErrTurnRuns = errors.New("it is still running: wait until it ends, or stop it first")
	// ErrNoJournal: nothing keeps the changes of this vault.
	ErrNoJournal = errors.New("this vault has no journal")
)

// The sources of turns that take others back.
const (
	sourceUndo = "undo"
	sourceRedo = "redo"
)

// Undo takes a turn's changes back, the last one first; each is a change of its own, which the
// journal keeps as a turn with Source "undo". id is a turn's id or the beginning of one; "" is the
// last turn that is not wholly taken back, but for turns that took others back and changes of the program's own. What was changed
// since is refused file by file, the rest goes on. The error is ErrNothingToUndo, ErrUndone,
// ErrTurnRuns, a KindNotFound or KindAmbiguous Error with near ids, or one of the disk; what was
// done until then is in Undone. What is private now is left as it is, as what tools cannot reach is.
func (v *Vault) Undo(ctx context.Context, id string) (Undone, error) {
	turns, err := v.settledTurns(ctx)
	if err != nil {
		return Undone{}, err
	}
	t, err := toUndo(turns, id)
	if err != nil {
		return Undone{Turn: t}, err
	}
	return v.takeBack(ctx, turns, t)
}

// Redo restores what the last Undo took back that was not restored yet.
func (v *Vault) Redo(ctx context.Context) (Undone, error) {
	turns, err := v.settledTurns(ctx)
	if err != nil {
		return Undone{}, err
	}
	for i := range turns {
		if t := turns[i]; t.Source == sourceUndo && !t.Undone && stayed(&t) {
			u, err := v.takeBack(ctx, turns, t)
			if k := slices.IndexFunc(turns, func(o journal.Turn) bool { return o.Turn == t.Undoes }); k >= 0 {
				u.Turn = turns[k]
			}
			return u, err
		}
	}
	return Undone{}, ErrNothingToRedo
}

// ChangedTurns are the turns that changed something, newest first, at most limit where that is over
// 0. Turns that took others back are among them, with Source "undo" or "redo".
func (v *Vault) ChangedTurns(ctx context.Context, limit int) ([]journal.Turn, error) {
	if v.journal == nil {
		return nil, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	turns, err := v.journal.Turns()
	if limit > 0 && len(turns) > limit {
		turns = turns[:limit]
	}
	return turns, err
}

// settledTurns are all turns, when it is known of each change how it went.
func (v *Vault) settledTurns(ctx context.Context) ([]journal.Turn, error) {
	if v.journal == nil {
		return nil, ErrNoJournal
	}
	if err := v.Recover(ctx); err != nil {
		return nil, err
	}
	return v.ChangedTurns(ctx, 0)
}

// toUndo chooses the turn that is to be taken back.
func toUndo(turns []journal.Turn, id string) (journal.Turn, error) {
	if id != "" {
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
	for _, t := range turns {
		if t.Source == sourceUndo || t.Source == sourceRedo || t.Source == journal.SourceOwn || t.Undone || !stayed(&t) {
			continue
		}
		if t.Running {
			return t, ErrTurnRuns
		}
		return t, nil
	}
	return journal.Turn{}, ErrNothingToUndo
}

// stayed says whether something stayed of a turn's changes.
func stayed(t *journal.Turn) bool {
	return slices.ContainsFunc(t.Changes, func(c journal.Change) bool { return c.State != journal.Failed })
}

// FindTurn is the turn with an id, or the one whose id begins so; the error is a KindNotFound or
// KindAmbiguous Error with near ids.
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
	e := failure.New(failure.KindAmbiguous, id, "%s is the beginning of %d turns; give more of it.", failure.Quote(id), len(found))
	if len(found) == 0 {
		e = failure.New(failure.KindNotFound, id, "The journal has no turn %s.", failure.Quote(id))
		found = nearTurns(turns, id)
	}
	e.Near = text.Of(found, func(t journal.Turn) string { return t.Turn })
	return journal.Turn{}, e
}

// maxNearTurns bounds the ids that an error names.
const maxNearTurns = 5

// nearTurns are turns whose ids begin most like id, the likest first.
func nearTurns(turns []journal.Turn, id string) []journal.Turn {
	near := slices.Clone(turns)
	slices.SortStableFunc(near, func(a, b journal.Turn) int { return text.CommonPrefix(id, b.Turn) - text.CommonPrefix(id, a.Turn) })
	return near[:min(len(near), maxNearTurns)]
}

// takeBack takes every change of a turn back, the last one first; turns are all there are.
func (v *Vault) takeBack(ctx context.Context, turns []journal.Turn, t journal.Turn) (u Undone, err error) {
	u.Turn = t
	source := sourceUndo
	if t.Source == sourceUndo {
		source = sourceRedo
	}
	id := journal.NewID(time.Now())
	ctx = WithOrigin(ctx, Origin{Turn: id, Source: source, Title: t.Title, Conversation: t.Conversation, Undoes: t.Turn})
	defer func() { err = errors.Join(err, v.journal.EndTurn(id)) }()
	for _, c := range slices.Backward(t.Changes) {
		if c.State == journal.Failed || c.Undone {
			continue
		}
		if err := ctx.Err(); err != nil {
			return u, err
		}
		if err := v.takeBackChange(ctx, turns, &t, &c, &u); err != nil {
			return u, err
		}
	}
	return u, nil
}

// GuardUndo has a check run on each file before an undo or a redo changes it; its error is why the change is
// left as it is.
func (v *Vault) GuardUndo(check func(ctx context.Context, path string) error) { v.undoGuard = check }

// guarded runs that check on the files of a change.
func (v *Vault) guarded(ctx context.Context, c *journal.Change) error {
	if v.undoGuard == nil {
		return nil
	}
	for i := range c.Files {
		f := &c.Files[i]
		if err := v.undoGuard(ctx, cmp.Or(f.NewPath, f.Path)); err != nil {
			return err
		}
	}
	return nil
}

// undoTries is how often a change is looked at anew when somebody changes its files meanwhile.
const undoTries = 3

// takeBackChange takes one change back, as far as nobody changed its files since.
func (v *Vault) takeBackChange(ctx context.Context, turns []journal.Turn, t *journal.Turn, c *journal.Change, u *Undone) error {
	var r *reversal
	err := v.guarded(ctx, c)
	for range undoTries {
		if err != nil {
			break
		}
		g := v.groundOf(c)
		_, err = v.apply(ctx, nil, func() (*plan, error) {
			var err error
			if r, err = g.reverse(ctx, turns, t, c); err != nil {
				return nil, err
			}
			return r.plan(ctx), nil
		})
		g.close()
		if !errors.Is(err, failure.KindChanged) {
			break
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		u.refuse(Refusal{Path: c.Path, Why: plainText(err)})
		return nil
	}
	for _, no := range slices.Concat(r.refused, r.told) {
		u.refuse(no)
	}
	if r.does() {
		u.did(r.change.Text(), r.change.Path, r.change.NewPath)
		for _, l := range r.lines {
			u.did(l.Why, l.Path)
		}
	}
	return nil
}

// did adds a line, and the paths it names.
func (u *Undone) did(line string, about ...string) {
	u.Lines, u.About = append(u.Lines, line), append(u.About, about)
}

// refuse adds a refusal, once for each file.
func (u *Undone) refuse(r Refusal) {
	if !slices.ContainsFunc(u.Refused, func(o Refusal) bool { return o.Path == r.Path }) {
		u.Refused = append(u.Refused, r)
	}
}
