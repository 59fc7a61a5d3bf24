package session

import (
	"context"
	"os/user"
	"time"

	"github.com/thlib/go-timezone-local/tzlocal"

	"chatvault/agent/prompts"
	"chatvault/agent/spend"
	"chatvault/internal/app/config"
	"chatvault/internal/app/session/provider"
	"chatvault/internal/base/text"
)

// promptVars describes the vault for the prompt. Its walk is bounded, so that a huge vault does not delay the first
// answer.
func (a *Session) promptVars(ctx context.Context) prompts.Vars {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	shape, err := a.vault.Query.Shape(ctx, 200_000, 20)
	if err != nil {
		a.Log().Warn("the vault could not be counted", "error", err)
	}
	v := prompts.Vars{
		VaultName: a.vault.Name(), Notes: shape.Notes, Folders: shape.Folders, Complete: shape.Complete,
		InformationArchitecture: a.config.Architecture.V, UserName: userName(a.config.UserName.V, user.Current),
		NewNotes: a.vault.Obsidian.NewNoteFolder(), ReadOnly: a.vault.ReadOnly(),
	}
	if n, err := a.vault.Obsidian.PeriodicNote(ctx, "weekly", time.Now()); err == nil && !n.Default {
		v.WeekNote = n.Path
	}
	if name, err := tzlocal.RuntimeTZ(); err == nil && name != "Local" {
		v.TimeZone = name
	}
	for _, f := range shape.Top {
		v.Top = append(v.Top, prompts.FolderCount{Path: f.Path, Notes: f.Notes})
	}
	return v
}

// budget returns the spending limits of a turn.
func budget(cfg *config.Config) spend.Budget {
	return spend.Budget{
		Tokens: cfg.BudgetTokens.V, USD: cfg.BudgetUSD.V,
		Price: func(model string) (spend.Price, bool) { return provider.PriceOf(cfg, model) },
	}
}

// userName returns the user's name for the agent: configured, else the full name from the operating system, else the
// login name. It is empty for root and unknown users.
func userName(configured string, current func() (*user.User, error)) string {
	if configured != "" {
		return configured
	}
	u, err := current()
	if err != nil || u.Uid == "0" {
		return ""
	}
	if name := text.OneLine(u.Name); name != "" {
		return name
	}
	return u.Username
}
