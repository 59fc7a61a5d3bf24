package session

import (
	"errors"

	"github.com/aymanbagabas/go-udiff"

	"chatvault/internal/config"
	"chatvault/internal/session/home"
)

const architectureKey = "information_architecture"

// architecture is where things go in this vault: what was accepted in this chat, else what is
// configured.
func (s *Settings) architecture() string {
	if text := s.accepted.Load(); text != nil {
		return *text
	}
	return s.config.Architecture.V
}

// Architecture works out what taking a text for where things go would change in the
// vault's own configuration.
func (s *Settings) Architecture(text string) (SettingChange, error) {
	if o := s.config.Architecture.Origin; o.Kind > config.VaultFile {
		return SettingChange{}, errors.New(architectureKey + " is set by the " + o.String() + ", which the vault's file would not change")
	}
	e, err := config.EditVault(s.vault, architectureKey, text)
	if err != nil {
		return SettingChange{}, err
	}
	const name = home.InVault + "/config.toml"
	change := SettingChange{Path: name}
	if !e.Changes() {
		return change, nil
	}
	change.Diff = udiff.Unified(name, name, e.Before, e.After)
	change.Apply = func() error {
		if err := e.Apply(); err != nil {
			return err
		}
		s.accepted.Store(&text)
		return agreeToEdit(s.answers, e.Before, e.After)
	}
	return change, nil
}
