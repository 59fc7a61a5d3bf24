package cli

import (
	"cmp"
	"os"

	"github.com/spf13/cobra"

	"chatvault/internal/cli/doctor"
	"chatvault/internal/config"
	"chatvault/internal/session"
	"chatvault/internal/smarthole"
	"chatvault/internal/text"
	"chatvault/internal/trust"
)

func newDoctor(s Streams, g *globals) *cobra.Command {
	return &cobra.Command{
		Use: "doctor", Short: "Check vault, configuration, provider and terminal; say how to fix what is wrong", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if !doctor.Run(doctor.Options{
				Out: s.Out, InIsTerminal: s.InIsTerminal, LookupEnv: s.LookupEnv, Sources: g.sources(s), UserFile: g.userFile(),
				NotAgreed: notAgreed, LeftBehind: session.LeftBehind, CheckRouting: func(c config.SmartHole) error {
					return session.CheckSmartHole(c, cmp.Or(c.URL.V, smarthole.DefaultURL), cmp.Or(c.Description.V, "-"))
				},
			}) {
				return &exitError{exitFailed, ""}
			}
			return nil
		},
	}
}

// notAgreed names what a vault brings that does not count.
func notAgreed(cfg *config.Config, vault *os.Root, answers *trust.Answers) (string, error) {
	b, err := session.LookAtBrought(cfg, vault)
	files, _ := b.NotAgreed(answers)
	return b.Describe(files), err
}

func count(n int, what string) string { return text.Count(n, what) }
