package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"chatvault/internal/config"
	"chatvault/internal/session/home"
	"chatvault/tools"
	"chatvault/vault"
	"chatvault/vault/journal"
)

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
