// Package config is the commands about the configuration: where it is, what is in force, a file to
// begin with, the keys of the chat and those that were typed.
package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"text/tabwriter"

	"chatvault/internal/text"

	"github.com/spf13/cobra"

	"chatvault/internal/config"
	"chatvault/internal/terminal/output"
)

// Options are where the commands read and print.
type Options struct {
	Out, Err  *output.Writer
	LookupEnv func(string) (string, bool)
	UserFile  func() string // the user's configuration file
	// Open reads the configuration and finds the vault.
	Open func() (*config.Config, config.Found, error)
	// Refuse makes an error of what is wrong with the configuration.
	Refuse func(config.Errors) error
}

// Commands are the commands about the configuration.
func Commands(o Options) []*cobra.Command {
	path := &cobra.Command{
		Use: "path", Short: "Print where the configuration files are", Args: cobra.NoArgs,
		Example: "  chatvault config path",
		RunE:    func(*cobra.Command, []string) error { return printPath(o) },
	}
	var asJSON bool
	show := &cobra.Command{
		Use: "show", Short: "Print the effective configuration and where each value comes from", Args: cobra.NoArgs,
		Example: "  chatvault config show\n  chatvault config show --vault ~/notes",
		RunE:    func(*cobra.Command, []string) error { return printAll(o, asJSON) },
	}
	show.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	initialize := &cobra.Command{
		Use: "init", Short: "Write a commented configuration file to start from", Args: cobra.NoArgs,
		Example: "  chatvault config init",
		RunE:    func(*cobra.Command, []string) error { return writeTemplate(o) },
	}
	return []*cobra.Command{path, show, initialize, newKeys(o), newForgetKey(o)}
}

func printPath(o Options) error {
	fmt.Fprintf(o.Out, "%s (yours, %s)\n", o.UserFile(), presence(o.UserFile()))
	_, found, err := o.Open()
	if found.Dir == "" {
		var bad config.Errors
		if err != nil && !errors.As(err, &bad) {
			fmt.Fprintln(o.Err, err.Error())
		}
		return nil
	}
	path := config.VaultPath(found.Dir)
	_, err = fmt.Fprintf(o.Out, "%s (the vault's, %s)\n", path, presence(path))
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

func printAll(o Options, asJSON bool) error {
	cfg, found, err := o.Open()
	var bad config.Errors
	if err != nil && errors.As(err, &bad) {
		return o.Refuse(bad)
	}
	lines := cfg.Describe()
	if err == nil && cfg.Vault.V == "" {
		for i := range lines {
			if lines[i].Key == "vault" {
				lines[i].Value, lines[i].Origin = found.Dir, found.How
			}
		}
	}
	lines = append(lines, storedKeys(o, cfg)...)
	if asJSON {
		return text.WriteJSON(o.Out, lines)
	}
	w := tabwriter.NewWriter(o.Out, 0, 0, 2, ' ', 0)
	for _, l := range lines {
		value := l.Value
		if value == "" {
			value = "-"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", l.Key, o.Out.Text(value), o.Out.Text(l.Origin))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, text := range cfg.Warnings {
		fmt.Fprintln(o.Err, "Warning: "+text)
	}
	return nil
}

func writeTemplate(o Options) error {
	path := o.UserFile()
	switch err := config.Init(path); {
	case errors.Is(err, config.ErrExists):
		return fmt.Errorf("%s already exists and is unchanged; edit it, or move it away first", path)
	case err != nil:
		return err
	}
	_, err := fmt.Fprintf(o.Out, "Wrote %s. Every line in it is a comment until you remove the #.\n", path)
	return err
}
