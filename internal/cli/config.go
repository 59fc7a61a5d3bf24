package cli

import (
	"github.com/spf13/cobra"

	commands "chatvault/internal/cli/config"
	"chatvault/internal/config"
)

func newConfig(s Streams, g *globals) *cobra.Command {
	return group("config", "The configuration in force, and where each value came from", commands.Commands(commands.Options{
		Out: s.Out, Err: s.Err, LookupEnv: s.LookupEnv, UserFile: g.userFile,
		Open:   func() (*config.Config, config.Found, error) { return config.Open(g.sources(s), config.Search{}) },
		Refuse: func(bad config.Errors) error { return usageError("the configuration is not right:\n%v", bad) },
	})...)
}

// userFile is the user's configuration file.
func (g *globals) userFile() string {
	if g.config != "" {
		return g.config
	}
	return config.UserPath()
}
