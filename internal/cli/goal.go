package cli

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"chatvault/agent"
)

func newGoal(s Streams, g *globals) *cobra.Command {
	var asJSON bool
	show := &cobra.Command{
		Use: "show", Short: "Print how the goal stands", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return goalShow(s, g, asJSON) },
	}
	show.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	drop := &cobra.Command{
		Use: "drop", Short: "Work toward the goal no longer", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return goalDrop(s, g) },
	}
	return group("goal", "The goal that the agent works toward (set with: chatvault ask --goal, or /goal)", show, drop)
}

// withGoal opens the vault's goal, as it was left when no other process works toward it.
func withGoal(s Streams, g *globals, do func(*agent.Processor) error) error {
	a, err := open(s, g, appOptions{name: "goal"})
	if err != nil {
		return err
	}
	defer a.close()
	return do(a.processor)
}

func goalShow(s Streams, g *globals, asJSON bool) error {
	return withGoal(s, g, func(p *agent.Processor) error {
		goal := p.Goal()
		if asJSON {
			enc := json.NewEncoder(s.Out)
			enc.SetEscapeHTML(false)
			return enc.Encode(goal)
		}
		_, err := fmt.Fprint(s.Out, s.safeOut(goalText(goal)))
		return err
	})
}

// goalText is how a goal stands, in lines.
func goalText(g agent.Goal) string {
	if g.Text == "" {
		return "There is no goal. Set one with: chatvault ask --goal \"…\"\n"
	}
	stands := string(g.Status) + " after " + count(g.Turns, "turn")
	if g.Why != "" {
		stands += ": " + g.Why
	}
	return g.Text + "\n  " + stands + "\n"
}

func goalDrop(s Streams, g *globals) error {
	return withGoal(s, g, func(p *agent.Processor) error {
		goal := p.Goal()
		if _, err := p.SetGoal(""); err != nil {
			return failure("%v", err)
		}
		text := "There was no goal."
		if goal.Text != "" {
			text = "Dropped: " + goal.Text
		}
		_, err := fmt.Fprintln(s.Out, s.safeOut(text))
		return err
	})
}
