package session

import (
	"context"
	"errors"

	"chatvault/internal/session/home"
)

// tendJournal finds out what became of a change that a crash cut, and lets go of what is old.
func (a *Session) tendJournal(ctx context.Context) {
	if err := a.vault.Recover(ctx); err != nil {
		a.warnings.add(err.Error())
	}
	pruned, err := a.vault.PruneJournal(ctx, home.JournalLimits(a.config))
	switch {
	case err != nil && !errors.Is(err, context.Canceled):
		a.logger().Warn("the journal was not pruned", "error", err)
	case pruned.Turns > 0:
		a.logger().Info("the journal was pruned", "turns", pruned.Turns, "bytes", pruned.Bytes)
	}
}

// turnEnded notes that a turn ended as it should.
func (a *Session) turnEnded(id string) {
	if err := a.vault.EndTurn(id); err != nil {
		a.logger().Warn("the end of a turn could not be noted in the journal", "turn", id, "error", err)
	}
}
