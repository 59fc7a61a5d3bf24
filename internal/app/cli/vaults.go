package cli

import (
	"fmt"
	"path/filepath"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"chatvault/internal/app/config"
	"chatvault/internal/app/session/export"
	"chatvault/internal/app/session/home"
)

func newVaults(s Streams, g *globals) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "vaults", Short: "List the vaults that Obsidian or chatvault knows", Args: cobra.NoArgs,
		Long: `List the vaults that Obsidian knows and those chatvault was used with, what was used last
first: name, when, what is known of it, and its folder.`,
		Example: `  chatvault vaults
  chatvault --vault "$(chatvault vaults --json | jq -r 'select(.name == "Work").path')"`,
		RunE: func(*cobra.Command, []string) error { return runVaults(s, asJSON) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object per vault")
	c.AddCommand(newMoved(s, g))
	return c
}

// newMoved returns `chatvault vaults moved`. A vault moved within its file system is recognized automatically; one
// copied to another is not.
func newMoved(s Streams, g *globals) *cobra.Command {
	return &cobra.Command{
		Use: "moved OLD-FOLDER", Short: "Tell chatvault where this vault was before it moved",
		Long: `What is kept for a vault (conversations, changes, unfinished messages) stays with it when its
folder is renamed or moved. Where it went to another disk it looks like a new one: this gives it
what is kept for the folder where it was, which must be gone.`,
		Example: `  chatvault --vault /mnt/disk/Notes vaults moved ~/Notes`,
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			from, err := filepath.Abs(args[0])
			if err != nil {
				return usageError("%v", err)
			}
			return withPlace(s, g, func(p *place) error {
				if err := home.Dirs().Moved(from, p.Dir()); err != nil {
					return failure("%v", err)
				}
				return s.say("What was kept for " + from + " belongs to " + p.Dir() + " now.")
			})
		},
	}
}

func runVaults(s Streams, asJSON bool) error {
	list, err := config.KnownVaults()
	if err != nil {
		s.warn(err.Error())
	}
	if asJSON {
		return printLines(s, list, func(k config.KnownVault) config.KnownVault { return k })
	}
	if len(list) == 0 {
		return s.say("No vault is known yet. Name one: chatvault --vault DIR")
	}
	w := tabwriter.NewWriter(s.Out, 0, 0, 2, ' ', 0)
	for _, k := range list {
		when, state := vaultState(k)
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", s.safeOut(k.Name), when, state, s.safeOut(k.Dir))
	}
	return w.Flush()
}

// vaultState describes the time of a vault's last use by any program, and its state.
func vaultState(k config.KnownVault) (when, state string) {
	when, state = "-", "-"
	if !k.Last().IsZero() {
		when = k.Last().Local().Format(export.WhenLayout)
	}
	switch {
	case k.Missing:
		state = "missing"
	case k.Open:
		state = "open in Obsidian"
	}
	return when, state
}
