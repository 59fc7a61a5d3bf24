package home

import (
	"context"
	"errors"
	"os"
	"time"

	"chatvault/internal/config"
	"chatvault/vault"
	"chatvault/vault/journal"
)

// KeepJournal has every change of the vault kept, so that it can be taken back.
func KeepJournal(v *vault.Vault, cfg *config.Config, warn func(string)) *journal.Journal {
	home := func(create bool) (*os.Root, error) { return OpenHistory(cfg, v.Dir(), create) }
	o := journal.Options{Warn: warn}
	if cfg.KeepsHistory(v.Dir()) { // what another machine left unfinished is none of ours
		o.Unfinished = journalHome(v.Dir())
	}
	j := journal.New(home, o)
	v.KeepTrash(journalHome(v.Dir()))
	v.UseJournal(j)
	return j
}

// journalHome opens a vault's state folder, and makes it when something is to be kept.
func journalHome(vaultDir string) journal.Home {
	return func(create bool) (*os.Root, error) {
		if create {
			return Open(vaultDir)
		}
		return Look(vaultDir)
	}
}

// JournalLimits are what the journal may keep.
func JournalLimits(cfg *config.Config) journal.Limits {
	return journal.Limits{
		Age:   time.Duration(cfg.JournalDays.V) * 24 * time.Hour,
		Bytes: int64(cfg.JournalMegabytes.V) << 20,
	}
}

// pruneEvery is how often the journal is pruned where no chat is opened, which does it at its start.
const pruneEvery = 24 * time.Hour

// PruneSeldom prunes the journal where that was not done for long.
func PruneSeldom(ctx context.Context, v *vault.Vault, j *journal.Journal, cfg *config.Config) error {
	if time.Since(j.LastPruned()) < pruneEvery {
		return nil
	}
	_, err := v.PruneJournal(ctx, JournalLimits(cfg))
	return err
}

// Recover finds out what became of a change that a crash cut, before anything is read: half a
// move is no vault to look at. Where nothing was cut it reads a file of a few bytes.
func Recover(ctx context.Context, v *vault.Vault, warn func(string)) {
	ctx, cancel := context.WithTimeout(ctx, recoverWait)
	defer cancel()
	if err := v.Recover(ctx); err != nil && !errors.Is(err, context.Canceled) {
		warn(err.Error())
	}
}

// recoverWait bounds how long another process is waited for whose change is under way.
const recoverWait = 10 * time.Second
