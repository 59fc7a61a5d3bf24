package cli

import (
	"errors"

	"github.com/spf13/cobra"

	commands "chatvault/internal/cli/config"
	"chatvault/internal/config"
	"chatvault/internal/session/home"
	"chatvault/tui"
	"chatvault/vault"
)

func newConfig(s Streams, g *globals) *cobra.Command {
	return group("config", "The effective configuration, and where each value comes from", commands.Commands(commands.Options{
		Out: s.Out, Err: s.Err, LookupEnv: s.LookupEnv, UserFile: g.userFile,
		Open:   func() (*config.Config, config.Found, error) { return config.Open(g.sources(s), config.Search{}) },
		Refuse: func(bad config.Errors) error { return usageError("the configuration is invalid:\n%v", bad) },
	})...)
}

// userFile is the user's configuration file.
func (g *globals) userFile() string {
	if g.config != "" {
		return g.config
	}
	return config.UserPath()
}

// sources are where this run reads its configuration.
func (g *globals) sources(s Streams) config.Sources {
	flags := g.settings.changed()
	if g.vault != "" {
		flags["vault"] = g.vault
	}
	return config.Sources{Flags: flags, Demo: g.demo, UserFile: g.config, LookupEnv: s.LookupEnv, CheckGlob: vault.CheckPrivate, Chosen: home.ChosenModel, CheckKeys: tui.CheckKeys, Agreed: home.AgreedSettings}
}

// loadConfig finds the vault and reads the configuration; its errors are of usage.
func loadConfig(s Streams, g *globals) (*config.Config, string, error) {
	cfg, found, err := config.Open(g.sources(s), config.Search{})
	if errors.Is(err, config.ErrNoVault) && g.which != nil {
		if g.vault, err = g.which(cfg); err != nil {
			return nil, "", err
		}
		cfg, found, err = config.Open(g.sources(s), config.Search{})
	}
	if err == nil && found.Unsure != "" && g.unsure != nil {
		if err := g.unsure(found); err != nil {
			return nil, "", err
		}
	}
	if err == nil {
		return cfg, found.Dir, nil
	}
	var bad config.Errors
	if errors.As(err, &bad) {
		return nil, "", usageError("the configuration is invalid:\n%v", bad)
	}
	return nil, "", usageError("%v", err)
}
