package vault

import (
	"context"
	"errors"
	"fmt"
	"time"

	"chatvault/vault/journal"
	"chatvault/vault/vaulterr"
)

// Record makes j record every change of the vault. It must be called once, before the first change.
func (h *History) Record(j *journal.Journal) { h.journal = j }

// EndTurn records the normal end of a turn. Without it, the turn counts as cut off.
func (h *History) EndTurn(id string) error {
	if h.journal == nil {
		return nil
	}
	return h.journal.EndTurn(id)
}

// begin records a change that is about to happen, with the content that it replaces.
func (v *Vault) begin(ctx context.Context, d *description) (p journal.Pending, err error) {
	p = journal.Pending{Origin: OriginOf(ctx), Change: d.change}
	if v.History.journal != nil {
		p, err = v.History.journal.Begin(p, d.keep)
	}
	if err != nil {
		err = vaulterr.New(vaulterr.KindOther, d.change.Path, "Cannot change %s: the change could not be recorded in chatvault's state folder first, so it could not be undone: %v. Nothing was changed.",
			vaulterr.Quote(d.change.Path), vaulterr.Plain(err)).Because(err)
	}
	return p, err
}

// end records the outcome of a change. If it failed, what it did until then is undone. where is the place in the trash
// of what it deleted.
//
// The error means that the outcome is determined, and a failed change put back, before the next change only.
func (v *Vault) end(ctx context.Context, p journal.Pending, where string, failed error) (err error) {
	if v.History.journal == nil {
		return nil
	}
	if failed != nil {
		p.Change.Reason = plainText(failed)
		err = v.settle(ctx, p, false)
	} else {
		if p.Change.Op == "delete" {
			p.Change.NewPath = where
		}
		p.Change.State = journal.Done
		err = v.History.journal.End(p)
	}
	if err == nil && OriginOf(ctx).Turn == "" {
		err = v.History.journal.EndTurn(p.Origin.Turn)
	}
	if err != nil { // determined before the next change
		v.History.journal.Warn(fmt.Sprintf("The outcome of a change to %s could not be recorded yet: %v", vaulterr.Quote(p.Change.Path), vaulterr.Plain(err)))
	}
	return err
}

// plainText returns the reason of a failure on one line.
func plainText(err error) string {
	if known, ok := errors.AsType[*vaulterr.Error](err); ok {
		return known.Text
	}
	return vaulterr.Plain(err).Error()
}

// Origin describes on whose behalf a change is made.
type Origin = journal.Origin

type originKey struct{}

// WithOrigin returns a context whose changes belong to o.
func WithOrigin(ctx context.Context, o Origin) context.Context {
	return context.WithValue(ctx, originKey{}, o)
}

// OriginOf returns the origin in the context, or the zero Origin.
func OriginOf(ctx context.Context) Origin {
	o, _ := ctx.Value(originKey{}).(Origin)
	return o
}

// Prune removes the oldest turns of the journal, with the content stored for them, if it exceeds its limits.
// It is meant for the background after the start. Turns in progress remain.
func (h *History) Prune(ctx context.Context, l journal.Limits) (pruned journal.Usage, err error) {
	if h.journal == nil {
		return pruned, nil
	}
	unlock, err := h.vault.lock(ctx)
	if err != nil {
		return pruned, err
	}
	defer unlock()
	return h.journal.Prune(time.Now(), l)
}
