package config

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"chatvault/internal/config"
	"chatvault/internal/session/provider"
)

func newForgetKey(o Options) *cobra.Command {
	return &cobra.Command{
		Use: "forget-key NAME", Short: "Remove a key that was typed and stored",
		Example: "  chatvault config forget-key openrouter",
		Long: `Remove a key that was typed and stored. NAME is its provider's, or its variable's, as
chatvault config show prints them.`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return forgetKey(o, args[0]) },
	}
}

func forgetKey(o Options, name string) error {
	keys := provider.NewKeys("", o.LookupEnv)
	gone, err := keys.Forget(context.Background(), name)
	for _, e := range gone {
		fmt.Fprintf(o.Out, "Removed the key of %s (%s) from %s.\n", e.Provider, e.Address, e.Where)
	}
	if err != nil {
		return err
	}
	if len(gone) > 0 {
		return nil
	}
	list, err := keys.Entries()
	if err != nil {
		return err
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Provider)
	}
	if len(names) == 0 {
		return fmt.Errorf("no key is stored, so there is nothing to remove")
	}
	return fmt.Errorf("there is no stored key %q; there are keys of %s", name, strings.Join(names, ", "))
}

// storedKeys lists the keys that were typed, as `config show` prints settings.
func storedKeys(o Options, cfg *config.Config) []config.Line {
	keys := provider.NewKeys("", o.LookupEnv)
	list, err := keys.Entries()
	if err != nil {
		return []config.Line{{Key: "stored_keys", Value: "(not usable)", Origin: err.Error()}}
	}
	var lines []config.Line
	for _, e := range list {
		lines = append(lines, config.Line{Key: "stored_keys." + e.Provider, Value: "(hidden) for " + e.Address + ", " + provider.Standing(o.LookupEnv, cfg, e), Origin: e.Where})
	}
	return lines
}
