package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"chatvault/internal/config"
	"chatvault/internal/session/home"
	"chatvault/tools"
	"chatvault/vault"
	"chatvault/vault/journal"
)

// tendJournal finds out what became of a change that a crash cut, and lets go of what is old.
func (a *app) tendJournal(ctx context.Context) {
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
		_, err = v.PruneJournal(ctx, home.JournalLimits(cfg))
	}
	if err != nil && ctx.Err() == nil {
		fmt.Fprintln(s.Err, "Warning: "+err.Error())
	}
}
