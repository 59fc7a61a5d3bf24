package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"chatvault/internal/app/config"
	"chatvault/internal/app/consent"
	"chatvault/internal/app/session"
	"chatvault/internal/app/session/home"
	"chatvault/internal/base/trust"
)

func newTrust(s Streams, g *globals) *cobra.Command {
	var yes, revoke bool
	c := &cobra.Command{
		Use: "trust", Short: "See what a vault brings that steers the agent, and agree to it",
		Long: `A vault can come from anyone, so what it brings counts only after you agreed: the
instructions in AGENTS.md (or CLAUDE.md), the skills in .agents/skills and .claude/skills, and
the model, the prompts, the commands and the other settings in its .smarthole folder. This
command shows all of it whole and asks. Your answer is kept with you, and asked for again when a file changes.`,
		Example: `  chatvault trust
  chatvault trust --revoke`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return runTrust(s, g, yes, revoke) },
	}
	c.Flags().BoolVar(&yes, "yes", false, "agree to all of it without being asked")
	c.Flags().BoolVar(&revoke, "revoke", false, "revoke your agreement")
	return c
}

func runTrust(s Streams, g *globals, yes, revoke bool) error {
	cfg, found, err := config.Open(g.sources(s), config.Search{})
	var wrong config.Errors
	if err != nil && (!errors.As(err, &wrong) || found.Dir == "") { // a faulty file does not prevent revoking
		return usageError("%v", err)
	}
	dir := found.Dir
	state, err := home.Open(dir)
	if err != nil {
		return failure("%v", err)
	}
	defer func() { _ = state.Close() }()
	answers, err := trust.Load(state)
	if err != nil {
		s.warn(err.Error())
	}
	if revoke {
		return revokeTrust(s, answers)
	}
	own, err := os.OpenRoot(dir)
	if err != nil {
		return failure("%v", err)
	}
	defer func() { _ = own.Close() }()
	b, err := session.LookAtBrought(cfg, own, answers)
	if err != nil {
		return failure("%v", err)
	}
	src := g.sources(s)
	src.VaultDir, src.Agreed = dir, func(string, string, []byte) bool { return true }
	if _, err := config.Load(src); errors.As(err, &wrong) {
		return usageError("with these settings nothing would start, so you cannot agree to them:\n%v", wrong)
	}
	return askTrust(s, b, answers, yes)
}

func revokeTrust(s Streams, answers *trust.Answers) error {
	if !answers.Any() {
		return s.say("You have agreed to nothing in this vault.")
	}
	if err := answers.Forget(); err != nil {
		return failure("%v", err)
	}
	return s.say("Revoked: nothing in this vault steers the agent any more.")
}

// askTrust shows everything without consent in full and records the answer.
func askTrust(s Streams, b session.Brought, answers *trust.Answers, yes bool) error {
	files, _ := b.NotAgreed(answers)
	for _, f := range b.Files {
		if f.Why != "" {
			s.warn(f.Name + " cannot be used: " + f.Why)
		}
	}
	if len(files) == 0 {
		return s.say("This vault brings nothing that you have not agreed to.")
	}
	fmt.Fprintln(s.Out, "This vault brings "+session.DescribeWhole(files)+".")
	if len(b.Keys) > 0 {
		fmt.Fprintln(s.Out, "Not used so far: "+strings.Join(b.Keys, ", ")+".")
	}
	for _, f := range files {
		fmt.Fprint(s.Out, session.ShownWhole(f))
	}
	fmt.Fprintln(s.Out)
	if !yes {
		if !s.attended() {
			return failure("nothing was agreed to: there is nobody to ask. On a terminal: chatvault trust; without being asked: chatvault trust --yes")
		}
		if !s.confirmed(s.Out, "Let all of this steer the agent in this vault? [y/N] ") {
			if err := answers.Keep(files, false); err != nil {
				return failure("the answer could not be saved: %v", err)
			}
			return s.say("It stays unused, and you are not asked again until it changes.")
		}
	}
	if err := answers.Keep(files, true); err != nil {
		return failure("the answer could not be saved: %v", err)
	}
	return s.say("Agreed: " + session.FileNames(files) + ". In a chat " + session.WhenAgreed + "; to undo this: chatvault trust --revoke.")
}

// confirmed asks on out; only a yes counts.
func (s Streams) confirmed(out io.Writer, question string) bool {
	fmt.Fprint(out, question)
	answer, err := consent.NewInput(s.In).Line()
	if err != nil {
		fmt.Fprintln(out)
	}
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes"
}
