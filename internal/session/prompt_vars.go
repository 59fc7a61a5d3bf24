package session

import (
	"context"
	"os/user"
	"time"

	"github.com/thlib/go-timezone-local/tzlocal"

	"chatvault/agent/prompts"
	"chatvault/agent/spend"
	"chatvault/internal/config"
	"chatvault/internal/session/provider"
	"chatvault/internal/text"
)

// promptVars describes the vault to the model. The walk is bounded, so that a huge vault does
// not delay the first answer.
func (a *Session) promptVars(ctx context.Context) prompts.Vars {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	shape, err := a.vault.Shape(ctx, 200_000, 20)
	if err != nil {
		a.Log().Warn("the vault could not be counted", "error", err)
	}
	v := prompts.Vars{
		VaultName: a.vault.Name(), Notes: shape.Notes, Folders: shape.Folders, Complete: shape.Complete,
		InformationArchitecture: a.Settings.architecture(), UserName: userName(a.config.UserName.V, user.Current),
		NewNotes: a.vault.NewNoteFolder(), ReadOnly: a.vault.ReadOnly(),
	}
	v.TimeZone = timeZone(time.Now())
	for _, f := range shape.Top {
		v.Top = append(v.Top, prompts.FolderCount{Path: f.Path, Notes: f.Notes})
	}
	return v
}

// timeZone is where the person is, in the names of the IANA database; empty where nothing tells: the
// offset beside each message has to do then. A name that does not go with the clock is not told.
func timeZone(now time.Time) string {
	name, err := tzlocal.RuntimeTZ()
	if err != nil || name == "Local" {
		return ""
	}
	if place, err := time.LoadLocation(name); err == nil {
		_, there := now.In(place).Zone()
		if _, here := now.Zone(); here != there {
			return ""
		}
	}
	return name
}

// budget is what a turn may spend.
func budget(cfg *config.Config) spend.Budget {
	return spend.Budget{
		Tokens: cfg.BudgetTokens.V, USD: cfg.BudgetUSD.V,
		Price: func(model string) (spend.Price, bool) { return provider.PriceOf(cfg, model) },
	}
}

// userName is what the agent calls the person: as configured, else the full name the operating
// system knows, else the login name; empty where that is no person's.
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
