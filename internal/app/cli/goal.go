package cli

import (
	"fmt"

	"chatvault/internal/base/text"

	"github.com/spf13/cobra"

	"chatvault/agent/event"
	"chatvault/agent/pending"
	"chatvault/internal/app/session"
)

func newGoal(s Streams, g *globals) *cobra.Command {
	var asJSON bool
	show := &cobra.Command{
		Use: "show", Short: "Print the goal's status", Args: cobra.NoArgs,
		Example: "  chatvault goal show\n  chatvault goal show --json | jq -r .status",
		RunE:    func(*cobra.Command, []string) error { return goalShow(s, g, asJSON) },
	}
	show.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	drop := &cobra.Command{
		Use: "drop", Short: "Drop the goal", Args: cobra.NoArgs,
		Example: "  chatvault goal drop",
		RunE:    func(*cobra.Command, []string) error { return goalDrop(s, g) },
	}
	return group("goal", "The goal that the agent works toward (set with: chatvault ask --goal, or /goal)", show, drop)
}

// goalShow prints the goal. It only reads: it takes no lock, creates no folder, and shows the goal of another running
// process.
func goalShow(s Streams, g *globals, asJSON bool) error {
	return withPlace(s, g, func(p *place) (err error) {
		var goal event.Goal
		by := ""
		if p.state != nil {
			if goal, by, err = pending.Goal(p.state); err != nil {
				return failure("%v", err)
			}
		}
		if asJSON {
			return text.Encoder(s.Out).Encode(struct {
				event.Goal
				Process string `json:"process,omitempty"` // the live process that works toward it
			}{goal, by})
		}
		_, err = fmt.Fprint(s.Out, goalText(goal, by))
		return err
	})
}

// goalText describes the goal and its state.
func goalText(g event.Goal, by string) string {
	if g.Text == "" {
		return "There is no goal. Set one with: chatvault ask --goal \"…\"\n"
	}
	stands := string(g.Status) + " after " + count(g.Turns, "turn")
	if g.Why != "" {
		stands += ": " + g.Why
	}
	switch {
	case by == "":
	case g.Status == event.GoalActive:
		stands += "\n  chatvault is working toward it now (" + by + ")"
	default:
		stands += "\n  it is open in another chatvault process (" + by + ")"
	}
	return g.Text + "\n  " + stands + "\n"
}

func goalDrop(s Streams, g *globals) error {
	a, err := open(s, g, session.Options{Name: "goal"})
	if err != nil {
		return err
	}
	defer a.Close()
	goal := a.Goal()
	if _, err := a.SetGoal(""); err != nil {
		return failure("%v", err)
	}
	text := "There was no goal."
	if goal.Text != "" {
		text = "Dropped: " + goal.Text
	}
	return s.say(text)
}
