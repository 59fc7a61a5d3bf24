package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"chatvault/internal/config"
)

func newConfig(s Streams, g *globals) *cobra.Command {
	path := &cobra.Command{
		Use: "path", Short: "Print where the configuration files are", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return configPath(s, g) },
	}
	var asJSON bool
	show := &cobra.Command{
		Use: "show", Short: "Print the configuration in force and where each value came from", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return configShow(s, g, asJSON) },
	}
	show.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	initialize := &cobra.Command{
		Use: "init", Short: "Write a commented configuration file to start from", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return configInit(s, g) },
	}
	return group("config", "The configuration in force, and where each value came from", path, show, initialize, newConfigKeys(s, g), newForgetKey(s))
}

// userFile is the user's configuration file.
func (g *globals) userFile() string {
	if g.config != "" {
		return g.config
	}
	return config.UserPath()
}

func configPath(s Streams, g *globals) error {
	fmt.Fprintf(s.Out, "%s (yours, %s)\n", g.userFile(), presence(g.userFile()))
	_, found, err := config.Open(g.sources(s), config.Search{})
	if found.Dir == "" {
		var bad config.Errors
		if err != nil && !errors.As(err, &bad) {
			fmt.Fprintln(s.Err, err.Error())
		}
		return nil
	}
	path := config.VaultPath(found.Dir)
	_, err = fmt.Fprintf(s.Out, "%s (the vault's, %s)\n", path, presence(path))
	return err
}

func presence(path string) string {
	switch _, err := os.Stat(path); {
	case err == nil:
		return "there"
	case errors.Is(err, fs.ErrNotExist):
		return "not there"
	default:
		return "cannot be read"
	}
}

func configShow(s Streams, g *globals, asJSON bool) error {
	cfg, found, err := config.Open(g.sources(s), config.Search{})
	var bad config.Errors
	if err != nil && errors.As(err, &bad) {
		return usageError("the configuration is not right:\n%v", bad)
	}
	lines := cfg.Describe()
	if err == nil && cfg.Vault.V == "" {
		for i := range lines {
			if lines[i].Key == "vault" {
				lines[i].Value, lines[i].Origin = found.Dir, found.How
			}
		}
	}
	lines = append(lines, storedKeys(s, cfg)...)
	if asJSON {
		enc := json.NewEncoder(s.Out)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(lines)
	}
	w := tabwriter.NewWriter(s.Out, 0, 0, 2, ' ', 0)
	for _, l := range lines {
		value := l.Value
		if value == "" {
			value = "-"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", l.Key, s.safeOut(value), s.safeOut(l.Origin))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, text := range cfg.Warnings {
		fmt.Fprintln(s.Err, "Warning: "+text)
	}
	return nil
}

func configInit(s Streams, g *globals) error {
	path := g.userFile()
	switch err := config.Init(path); {
	case errors.Is(err, config.ErrExists):
		return failure("%s is there already and was left as it is; edit it, or move it away first", path)
	case err != nil:
		return failure("%v", err)
	}
	_, err := fmt.Fprintf(s.Out, "Wrote %s. Every line in it is a comment until you take the # away.\n", path)
	return err
}
