package cli

import (
	"github.com/spf13/cobra"

	"chatvault/internal/app/cli/doctor"
	"chatvault/internal/base/text"
)

func newDoctor(s Streams, g *globals) *cobra.Command {
	var report, names bool
	c := &cobra.Command{
		Use: "doctor", Short: "Check vault, configuration, provider and terminal; say how to fix what is wrong", Args: cobra.NoArgs,
		Example: "  chatvault doctor\n  chatvault doctor --vault ~/notes --model ollama/qwen3",
		RunE: func(*cobra.Command, []string) error {
			o := doctor.Options{
				Out: s.Out, InIsTerminal: s.InIsTerminal, LookupEnv: s.LookupEnv, Sources: g.sources(s),
			}
			if report || names {
				return doctor.Report(o, versionText(), names)
			}
			if !doctor.Run(o) {
				return &exitError{Status: exitFailed}
			}
			return nil
		},
	}
	c.Flags().BoolVar(&report, "report", false, "print a bug report without keys, texts or names; nothing is sent")
	c.Flags().BoolVar(&names, "with-names", false, "print a bug report with names of files, folders, models and addresses")
	return c
}

// plural returns one if n is 1, else more.
func plural(n int, one, more string) string {
	if n == 1 {
		return one
	}
	return more
}

func count(n int, what string) string { return text.Count(n, what) }
