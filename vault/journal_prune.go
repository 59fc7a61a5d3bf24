package vault

import (
	"chatvault/vault/fsys"
	"context"
	"time"

	"chatvault/vault/journal"
)

// PruneJournal removes the oldest turns of the journal, and the bytes kept for them, where it is
// over its limits. It is meant for the background, after the start; turns that are worked on stay.
func (v *Vault) PruneJournal(ctx context.Context, l journal.Limits) (journal.Pruned, error) {
	if v.journal == nil {
		return journal.Pruned{}, nil
	}
	v.changing.Lock()
	defer v.changing.Unlock()
	unlock, err := fsys.LockOut(ctx, v.root)
	if err != nil {
		return journal.Pruned{}, err
	}
	defer unlock()
	if err := v.settle(ctx); err != nil {
		return journal.Pruned{}, err
	}
	return v.journal.Prune(time.Now(), l)
}
