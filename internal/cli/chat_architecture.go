package cli

import (
	"errors"

	"github.com/aymanbagabas/go-udiff"

	"chatvault/internal/config"
	"chatvault/internal/session"
	"chatvault/internal/session/home"
)

const architectureKey = "information_architecture"

// architecture is where things go in this vault: what was accepted in this chat, else what is
// configured.
func (a *app) architecture() string {
	if text := a.accepted.Load(); text != nil {
		return *text
	}
	return a.config.Architecture.V
}

// proposeArchitecture works out what taking a text for where things go would change in the
// vault's own configuration.
func (a *app) proposeArchitecture(text string) (session.SettingChange, error) {
	if o := a.config.Architecture.Origin; o.Kind > config.VaultFile {
		return session.SettingChange{}, errors.New(architectureKey + " is set by the " + o.String() + ", which the vault's file would not change")
	}
	e, err := config.EditVault(a.vault.Dir(), architectureKey, text)
	if err != nil {
		return session.SettingChange{}, err
	}
	const name = home.InVault + "/config.toml"
	change := session.SettingChange{Path: name}
	if !e.Changes() {
		return change, nil
	}
	change.Diff = udiff.Unified(name, name, e.Before, e.After)
	change.Apply = func() error {
		if err := e.Apply(); err != nil {
			return err
		}
		a.accepted.Store(&text)
		return agreeToEdit(a.answers, e.Before, e.After)
	}
	return change, nil
}
