package vault

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"time"

	"chatvault/vault/failure"
	"chatvault/vault/journal"
)

// UseJournal makes j record every change of the vault. It must be called once, before the first change.
func (v *Vault) UseJournal(j *journal.Journal) {
	v.journal = j
	v.hook = &journalHook{vault: v}
}

// EndTurn records the normal end of a turn. Without it, the turn counts as cut off.
func (v *Vault) EndTurn(id string) error {
	if v.journal == nil {
		return nil
	}
	return v.journal.EndTurn(id)
}

// journalHook records every change in the journal: before it happens, with the content that it replaces, and
// afterwards its result.
type journalHook struct {
	vault *Vault
	begun journal.Pending // the change in progress
}

func (h *journalHook) before(ctx context.Context, c Change, planned []byte) error {
	d := &description{vault: h.vault.workTree(), keep: map[string][]byte{}}
	if c.reversal != nil {
		d.change, d.keep = c.reversal.change, c.reversal.keep
	} else if err := d.describe(ctx, c, planned); err != nil {
		return err
	}
	begun, err := h.vault.journal.Begin(journal.Pending{Origin: OriginOf(ctx), Change: d.change}, d.keep)
	if err != nil {
		return journalError(err, c.Path)
	}
	h.begun = begun
	return nil
}

func (h *journalHook) after(ctx context.Context, c Change, err error) {
	p := h.begun
	if err != nil {
		p.Change.Reason = plainText(err)
		err = h.vault.settlePending(ctx, p, false)
	} else {
		if p.Change.Op == "delete" {
			p.Change.NewPath = c.NewPath
		}
		p.Change.State = journal.Done
		err = h.vault.journal.End(p)
	}
	if err == nil && OriginOf(ctx).Turn == "" {
		err = h.vault.journal.EndTurn(p.Origin.Turn)
	}
	if err != nil { // determined before the next change
		h.vault.journal.Warn(fmt.Sprintf("The outcome of a change to %s could not be recorded yet: %v", failure.Quote(c.Path), failure.Plain(err)))
	}
}

// plainText returns the reason of a failure on one line.
func plainText(err error) string {
	if known, ok := errors.AsType[*failure.Error](err); ok {
		return known.Text
	}
	return failure.Plain(err).Error()
}

// journalError returns the error for a change that did not happen because it could not be recorded.
func journalError(err error, path string) error {
	why := failure.Plain(err).Error()
	switch {
	case errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT):
		why = "the disk is full. Ask the user to free some space"
	case errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS):
		why = "chatvault's state folder cannot be written. Ask the user to check its permissions"
	}
	return failure.New(failure.KindOther, path, "Cannot change %s: the change could not be recorded in the journal first, so it could not be undone: %s. Nothing was changed.", failure.Quote(path), why).Because(err)
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

// PruneJournal removes the oldest turns of the journal, with the content stored for them, if it exceeds its limits.
// It is meant for the background after the start. Turns in progress remain.
func (v *Vault) PruneJournal(ctx context.Context, l journal.Limits) (pruned journal.Usage, err error) {
	if v.journal == nil {
		return pruned, nil
	}
	err = v.withRecoveredLock(ctx, func() error {
		pruned, err = v.journal.Prune(time.Now(), l)
		return err
	})
	return pruned, err
}
