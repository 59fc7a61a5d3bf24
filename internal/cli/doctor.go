package cli

import (
	"cmp"
	"os"

	"github.com/spf13/cobra"

	"chatvault/internal/cli/doctor"
	"chatvault/internal/config"
	"chatvault/internal/session"
	"chatvault/internal/session/home"
	"chatvault/internal/smarthole"
	"chatvault/internal/text"
	"chatvault/internal/trust"
)

func newDoctor(s Streams, g *globals) *cobra.Command {
	var report, names bool
	c := &cobra.Command{
		Use: "doctor", Short: "Check vault, configuration, provider and terminal; say how to fix what is wrong", Args: cobra.NoArgs,
		Example: "  chatvault doctor\n  chatvault doctor --vault ~/notes --model ollama/qwen3",
		RunE: func(*cobra.Command, []string) error {
			o := doctor.Options{
				Out: s.Out, InIsTerminal: s.InIsTerminal, LookupEnv: s.LookupEnv, Sources: g.sources(s), UserFile: g.userFile(),
				NotAgreed: notAgreed, Skills: session.Skills, LeftBehind: home.LeftBehind, CheckRouting: func(c config.SmartHole) error {
					return session.CheckSmartHole(c, cmp.Or(c.URL.V, smarthole.DefaultURL), cmp.Or(c.Description.V, "-"))
				},
			}
			switch {
			case report:
				return doctor.Report(o, versionText(), names)
			case names:
				return usageError("--with-names is for --report: chatvault doctor --report --with-names")
			case !doctor.Run(o):
				return &exitError{exitFailed, ""}
			}
			return nil
		},
	}
	c.Flags().BoolVar(&report, "report", false, "print a bug report without keys, texts or names; nothing is sent")
	c.Flags().BoolVar(&names, "with-names", false, "include names of files, folders, models and addresses")
	return c
}

// notAgreed names what a vault brings that does not count.
func notAgreed(cfg *config.Config, vault *os.Root, answers *trust.Answers) (string, error) {
	b, err := session.LookAtBrought(cfg, vault)
	files, _ := b.NotAgreed(answers)
	return b.Describe(files), err
}

func count(n int, what string) string { return text.Count(n, what) }
