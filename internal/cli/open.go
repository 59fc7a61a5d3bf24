package cli

import (
	"errors"

	"chatvault/internal/config"
	"chatvault/internal/session"
	"chatvault/internal/session/provider"
	"chatvault/vault"
)

// openVault opens the vault and the configuration: all that a tool needs.
func openVault(s Streams, g *globals) (*vault.Vault, *config.Config, error) {
	cfg, dir, err := loadConfig(s, g)
	if err != nil {
		return nil, nil, err
	}
	v, err := session.OpenVault(cfg, dir)
	if err != nil {
		return nil, nil, withStatus(err)
	}
	return v, cfg, nil
}

// open opens the vault with all that talks to its agent.
func open(s Streams, g *globals, o session.Options) (*session.Session, error) {
	cfg, dir, err := loadConfig(s, g)
	if err != nil {
		return nil, err
	}
	o.Config, o.Dir, o.LookupEnv, o.Version = cfg, dir, s.LookupEnv, versionText()
	o.Sources = g.sources(s)
	o.Sources.VaultDir, o.Sources.UserFile = dir, g.userFile()
	o.Begun = s.faults.reportTo
	a, err := session.Open(o)
	if err != nil {
		return nil, withStatus(err)
	}
	return a, nil
}

// withStatus gives an error of a session its exit status.
func withStatus(err error) error {
	var bad *provider.SettingsError
	if errors.As(err, &bad) {
		return usageError("%v", err)
	}
	return failure("%v", err)
}
