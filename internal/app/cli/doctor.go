package cli

import (
	"github.com/spf13/cobra"

	"chatvault/internal/app/cli/doctor"
)

func newDoctor(s Streams, g *globals) *cobra.Command {
	return &cobra.Command{
		Use: "doctor", Short: "Check vault, configuration, provider and terminal; say how to fix what is wrong", Args: cobra.NoArgs,
		Example: "  chatvault doctor\n  chatvault doctor --vault ~/notes --model ollama/qwen3",
		RunE: func(*cobra.Command, []string) error {
			o := doctor.Options{Out: s.Out, InIsTerminal: s.InIsTerminal, LookupEnv: s.LookupEnv, Sources: g.sources(s), Version: versionText()}
			if !doctor.Run(o) {
				return &exitError{Status: exitFailed}
			}
			return nil
		},
	}
}
