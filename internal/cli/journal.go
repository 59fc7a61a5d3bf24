package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"chatvault/internal/config"
	"chatvault/tools"
	"chatvault/vault"
	"chatvault/vault/journal"
)

// keepJournal has every change of the vault kept, so that it can be taken back.
func keepJournal(v *vault.Vault, cfg *config.Config, warn func(string)) *journal.Journal {
	home := func(create bool) (*os.Root, error) { return openHistory(cfg, v.Dir(), create) }
	o := journal.Options{Warn: warn}
	if cfg.KeepsHistory(v.Dir()) { // what another machine left unfinished is none of ours
		o.Unfinished = stateHome(v.Dir())
	}
	j := journal.New(home, o)
	v.KeepTrash(stateHome(v.Dir()))
	v.UseJournal(j)
	return j
}

// stateHome opens a vault's state folder, and makes it when something is to be kept.
func stateHome(vaultDir string) journal.Home {
	return func(create bool) (*os.Root, error) {
		if create {
			return openState(vaultDir)
		}
		return lookState(vaultDir)
	}
}

// journalLimits are what the journal may keep.
func journalLimits(cfg *config.Config) journal.Limits {
	return journal.Limits{
		Age:   time.Duration(cfg.JournalDays.V) * 24 * time.Hour,
		Bytes: int64(cfg.JournalMegabytes.V) << 20,
	}
}

// recoverFirst finds out what became of a change that a crash cut, before anything is read: half a
// move is no vault to look at. Where nothing was cut it reads a file of a few bytes.
func recoverFirst(ctx context.Context, v *vault.Vault, warn func(string)) {
	ctx, cancel := context.WithTimeout(ctx, recoverWait)
	defer cancel()
	if err := v.Recover(ctx); err != nil && !errors.Is(err, context.Canceled) {
		warn(err.Error())
	}
}

// recoverWait bounds how long another process is waited for whose change is under way.
const recoverWait = 10 * time.Second

// tendJournal finds out what became of a change that a crash cut, and lets go of what is old.
func (a *app) tendJournal(ctx context.Context) {
	if err := a.vault.Recover(ctx); err != nil {
		a.warnings.add(err.Error())
	}
	pruned, err := a.vault.PruneJournal(ctx, journalLimits(a.config))
	switch {
	case err != nil && !errors.Is(err, context.Canceled):
		a.logger().Warn("the journal was not pruned", "error", err)
	case pruned.Turns > 0:
		a.logger().Info("the journal was pruned", "turns", pruned.Turns, "bytes", pruned.Bytes)
	}
}

// turnEnded notes that a turn ended as it should.
func (a *app) turnEnded(id string) {
	if err := a.vault.EndTurn(id); err != nil {
		a.logger().Warn("the end of a turn could not be noted in the journal", "turn", id, "error", err)
	}
}

// toolRequest makes a turn of a single tool call.
func toolRequest(name, args string) tools.Request {
	return tools.Request{
		Turn: journal.NewID(time.Now()), Source: "tool",
		Title: strings.TrimSpace(name + " " + tools.Target(name, json.RawMessage(args))),
	}
}

// pruneEvery is how often single tool calls prune the journal: nobody does where no chat is opened.
const pruneEvery = 24 * time.Hour

// endTool ends the turn of a single tool call, and prunes the journal now and then.
func endTool(ctx context.Context, s Streams, v *vault.Vault, j *journal.Journal, cfg *config.Config, turn string, changed bool) {
	err := v.EndTurn(turn)
	if err == nil && changed && time.Since(j.LastPruned()) > pruneEvery {
		_, err = v.PruneJournal(ctx, journalLimits(cfg))
	}
	if err != nil && ctx.Err() == nil {
		fmt.Fprintln(s.Err, "Warning: "+err.Error())
	}
}

// checkJournal says what became of a change that was cut off, and what the journal takes up.
func checkJournal(ctx context.Context, v *vault.Vault, cfg *config.Config) []finding {
	var out []finding
	j := keepJournal(v, cfg, func(text string) {
		out = append(out, finding{area: "journal", text: text, todo: "chatvault changes shows it", warn: true})
	})
	defer func() { _ = j.Close() }()
	recoverFirst(ctx, v, func(text string) {
		out = append(out, finding{area: "journal", text: text, todo: "mend what it names; until then nothing is changed in this vault"})
	})
	u, err := j.Usage()
	if err != nil {
		return append(out, finding{
			area: "journal", text: "cannot be read: " + firstLine(err.Error()),
			todo: "make journal/ in the vault's state folder readable, or move it away; until then nothing is changed in this vault",
		})
	}
	text := fmt.Sprintf("%s on record, %.1f MB; kept are %s and %d MB at most", count(u.Turns, "turn"), float64(u.Bytes)/(1<<20), count(cfg.JournalDays.V, "day"), cfg.JournalMegabytes.V)
	if u.Turns == 0 {
		text = "nothing was changed through chatvault yet"
	}
	return append(out, finding{area: "journal", text: text})
}
