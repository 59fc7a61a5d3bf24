package config

import (
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"chatvault/internal/text"

	"github.com/spf13/cobra"

	"chatvault/internal/config"
	"chatvault/tui"
)

func newKeys(o Options) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "keys", Short: "List the keys of the chat, by the names that [keys] binds them with", Args: cobra.NoArgs,
		Example: "  chatvault config keys",
		Long: `List the keys of the chat: the name of each action, the keys in force, and what it does. Your
configuration binds others, in the table [keys]:

  [keys]
  details = "ctrl+x"              # one key
  palette = ["ctrl+p", "f2"]      # several
  suspend = "none"                # no key

A key that another action has is an error that names both, as is one that no terminal can
send. A * marks what is not the default.`,
		RunE: func(*cobra.Command, []string) error { return printKeys(o, asJSON) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	return c
}

func printKeys(o Options, asJSON bool) error {
	cfg, _, err := o.Open()
	var bad config.Errors
	if err != nil && errors.As(err, &bad) {
		return o.Refuse(bad)
	}
	actions := tui.KeyActions(cfg.Bindings())
	if asJSON {
		return text.WriteJSON(o.Out, actions)
	}
	w := tabwriter.NewWriter(o.Out, 0, 0, 2, ' ', 0)
	where := ""
	for _, a := range actions {
		if a.Where != where {
			if where != "" {
				fmt.Fprintln(w)
			}
			where = a.Where
			fmt.Fprintf(w, "# %s\n", where)
		}
		bound := strings.Join(a.Keys, ", ")
		if bound == "" {
			bound = config.NoKey
		}
		if bound != strings.Join(a.Default, ", ") {
			bound += " *"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", a.Name, bound, a.Does)
	}
	return w.Flush()
}
