package tools

import (
	"context"

	"chatvault/vault"
)

// changeCheck returns the check that reports a change to the turn and its Recorder, if any, right before it happens.
// parts may be nil; it gets the content that a write replaces.
func (t *Turn) changeCheck(ctx context.Context, parts *partialWrite) vault.CommitCheck {
	r, ok := t.messenger.(Recorder)
	return func(c vault.Change, planned []byte) error {
		t.known.Plans(c, planned)
		if !ok {
			return nil
		}
		e := Effect{Op: c.Op, Path: c.Path, NewPath: c.NewPath}
		if planned != nil {
			e.Planned = vault.Hash(planned)
		}
		if c.Op == "overwrite" {
			f, err := t.notes.Read(ctx, c.Path)
			switch {
			case err == nil:
				e.Before = f.Hash
				parts.replaces(f.Data)
			case !isKind(err, vault.KindTooLarge):
				return err
			}
		}
		return r.BeforeChange(ctx, e)
	}
}

// Outcome is whether an interrupted effect happened.
type Outcome int

// The outcomes.
const (
	OutcomeUnknown Outcome = iota // the file is neither as before nor as planned
	OutcomeDone
	OutcomeNotDone
)

// Outcome determines from the vault whether an effect happened that was recorded before a process ended.
func (t *Turn) Outcome(ctx context.Context, e Effect) Outcome {
	if t.vault.History.Recover(ctx) != nil {
		return OutcomeUnknown // a part of it may have happened
	}
	at := func(path string) (there bool, hash string) {
		if f, err := t.notes.Read(ctx, path); err == nil {
			return true, f.Hash
		}
		_, err := t.notes.Stat(ctx, path)
		return err == nil, ""
	}
	there, hash := at(e.Path)
	switch e.Op {
	case "create", "overwrite":
		switch {
		case there && hash == e.Planned && e.Planned != "":
			return OutcomeDone
		case !there && e.Op == "create", there && hash == e.Before && e.Before != "":
			return OutcomeNotDone
		}
	case "mkdir":
		if there {
			return OutcomeDone
		}
		return OutcomeNotDone
	case "delete":
		if there {
			return OutcomeNotDone
		}
		return OutcomeDone
	case "move":
		switch arrived, _ := at(e.NewPath); {
		case !there && arrived:
			return OutcomeDone
		case there && !arrived:
			return OutcomeNotDone
		}
	}
	return OutcomeUnknown
}
