package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"chatvault/internal/app/config"
	"chatvault/internal/app/keystore"
	"chatvault/internal/app/session/provider"
	"chatvault/internal/base/text"
)

func newConfig(s Streams, g *globals) *cobra.Command {
	path := &cobra.Command{
		Use: "path", Short: "Print where the configuration files are", Args: cobra.NoArgs,
		Example: "  chatvault config path",
		RunE:    func(*cobra.Command, []string) error { return printPath(s, g) },
	}
	var asJSON bool
	show := &cobra.Command{
		Use: "show", Short: "Print the effective configuration and where each value comes from", Args: cobra.NoArgs,
		Example: "  chatvault config show\n  chatvault config show --vault ~/notes",
		RunE:    func(*cobra.Command, []string) error { return printAll(s, g, asJSON) },
	}
	show.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	initialize := &cobra.Command{
		Use: "init", Short: "Write a commented configuration file to start from", Args: cobra.NoArgs,
		Example: "  chatvault config init",
		RunE: func(*cobra.Command, []string) error {
			if err := config.Init(g.userFile()); err != nil {
				return err
			}
			return s.say(fmt.Sprintf("Wrote %s. Every line in it is a comment until you remove the #.", g.userFile()))
		},
	}
	return group("config", "The effective configuration, and where each value comes from", path, show, initialize, newForgetKey(s))
}

func printPath(s Streams, g *globals) error {
	line := func(path, what string) {
		there := "there"
		if _, err := os.Stat(path); err != nil {
			there = "not there"
		}
		fmt.Fprintf(s.Out, "%s (%s, %s)\n", path, what, there)
	}
	line(g.userFile(), "yours")
	line(config.SettingsPath(g.userFile()), "set in chatvault")
	_, found, err := config.Open(g.sources(s), config.Search{})
	if found.Dir == "" {
		if err != nil && refused(err) == nil {
			fmt.Fprintln(s.Err, err.Error())
		}
		return nil
	}
	path := config.VaultPath(found.Dir)
	line(path, "the vault's")
	line(config.SettingsPath(path), "set in chatvault for this vault")
	return nil
}

// shownLine is a line of config show.
type shownLine struct {
	Key    string `json:"key"`
	Value  string `json:"value"` // empty if not set
	Origin string `json:"origin"`
}

func printAll(s Streams, g *globals, asJSON bool) error {
	cfg, found, err := config.Open(g.sources(s), config.Search{})
	if err := refused(err); err != nil {
		return err
	}
	var lines []shownLine
	for _, s := range cfg.Settings() {
		lines = append(lines, shownLine{s.Key, s.Shown, s.From.String()})
	}
	if err == nil && cfg.Vault.V == "" {
		for i := range lines {
			if lines[i].Key == "vault" {
				lines[i].Value, lines[i].Origin = found.Dir, found.How
			}
		}
	}
	keys, err := provider.NewKeys(s.LookupEnv).Entries()
	for _, e := range keys {
		lines = append(lines, shownLine{Key: "stored_keys." + e.Provider, Value: "(hidden) for " + e.Address, Origin: keyPlace})
	}
	if err != nil {
		lines = append(lines, shownLine{Key: "stored_keys", Value: "(not usable)", Origin: err.Error()})
	}
	if asJSON {
		return text.WriteJSON(s.Out, lines)
	}
	w := tabwriter.NewWriter(s.Out, 0, 0, 2, ' ', 0)
	for _, l := range lines {
		value := cmp.Or(l.Value, "-")
		fmt.Fprintf(w, "%s\t%s\t%s\n", l.Key, s.Out.Text(value), s.Out.Text(l.Origin))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, text := range cfg.Warnings {
		s.warn(text)
	}
	return nil
}

func newForgetKey(s Streams) *cobra.Command {
	return &cobra.Command{
		Use: "forget-key NAME", Short: "Remove a key that was typed and stored",
		Example: "  chatvault config forget-key openrouter",
		Long: `Remove a key that was typed and stored. NAME is its provider's, or its variable's, as
chatvault config show prints them.`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return forgetKey(s, args[0]) },
	}
}

func forgetKey(s Streams, name string) error {
	gone, err := provider.NewKeys(s.LookupEnv).Forget(context.Background(), func(e keystore.Entry) bool {
		return strings.EqualFold(e.Provider, name) || strings.EqualFold(e.Variable, name)
	})
	for _, e := range gone {
		fmt.Fprintf(s.Out, "Removed the key of %s (%s) from %s.\n", e.Provider, e.Address, keyPlace)
	}
	if err != nil || len(gone) > 0 {
		return err
	}
	return fmt.Errorf("there is no stored key %q; chatvault config show lists them", name)
}

// keyPlace is where typed keys are stored.
const keyPlace = "the system's keyring"
