package home

import (
	"context"
	"errors"
	"os"
	"time"

	"chatvault/internal/app/config"
	"chatvault/vault"
	"chatvault/vault/journal"
)

// KeepJournal records every change of the vault in a journal, so that it can be undone.
func KeepJournal(v *vault.Vault, warn func(string)) *journal.Journal {
	home := journalHome(v.Dir())
	j := journal.New(home, journal.Options{Warn: warn})
	v.KeepTrash(home)
	v.History.Record(j)
	return j
}

// journalHome returns a journal.Home that opens a vault's state folder, creating it only for writing.
func journalHome(vaultDir string) journal.Home {
	return func(create bool) (*os.Root, error) {
		if create {
			return Open(vaultDir)
		}
		return Look(vaultDir)
	}
}

// JournalLimits returns the configured limits of the journal.
func JournalLimits(cfg *config.Config) journal.Limits {
	return journal.Limits{
		Age:   time.Duration(cfg.JournalDays.V) * 24 * time.Hour,
		Bytes: int64(cfg.JournalMegabytes.V) << 20,
	}
}

// pruneEvery is how often the journal is pruned if no chat is opened, which prunes at its start.
const pruneEvery = 24 * time.Hour

// PruneSeldom prunes the journal if that has not been done for a day.
func PruneSeldom(ctx context.Context, v *vault.Vault, j *journal.Journal, cfg *config.Config) error {
	if time.Since(j.LastPruned()) < pruneEvery {
		return nil
	}
	_, err := v.History.Prune(ctx, JournalLimits(cfg))
	return err
}

// Recover settles a change that a crash interrupted, so that nothing reads a half-done move. Without one it reads a
// file of a few bytes.
func Recover(ctx context.Context, v *vault.Vault, warn func(string)) {
	ctx, cancel := context.WithTimeout(ctx, recoverWait)
	defer cancel()
	if err := v.History.Recover(ctx); err != nil && !errors.Is(err, context.Canceled) {
		warn(err.Error())
	}
}

// recoverWait limits the wait for another process's running change.
const recoverWait = 10 * time.Second
