package cli

import (
	"cmp"
	"time"

	"github.com/spf13/cobra"

	"chatvault/agent/event"
	"chatvault/agent/spend"
	"chatvault/internal/app/session"
	"chatvault/internal/app/session/export"
	"chatvault/internal/base/text"
)

func newCost(s Streams, g *globals) *cobra.Command {
	asJSON := false
	c := &cobra.Command{
		Use: "cost", Aliases: []string{"usage"}, Short: "Model usage of this vault, by day and by conversation", Args: cobra.NoArgs,
		Long: `What the model calls of this vault used, by day and by conversation, the newest first: calls,
tokens, and the cost in US dollars where the provider tells it or prices are configured.`,
		Example: "  chatvault cost\n  chatvault cost --json | jq .days",
		RunE:    func(*cobra.Command, []string) error { return costShow(s, g, asJSON) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON object with everything kept: 400 days and 500 conversations")
	return c
}

// maxCosts is the maximum number of days and of conversations listed.
const maxCosts = 10

func costShow(s Streams, g *globals, asJSON bool) error {
	return withShelf(s, g, func(h *shelf) (err error) {
		var costs event.Costs
		if h.state != nil {
			if costs, err = spend.Read(h.state); err != nil {
				return failure("%v", err)
			}
		}
		if asJSON {
			return text.WriteJSON(s.Out, struct {
				Time          time.Time                `json:"time"`
				Days          []event.DayCost          `json:"days"`
				Conversations []event.ConversationCost `json:"conversations"`
			}{time.Now(), append([]event.DayCost{}, costs.Days...), append([]event.ConversationCost{}, costs.Conversations...)})
		}
		if len(costs.Days) == 0 {
			return s.say("No model has been called in this vault yet.")
		}
		for _, d := range costs.Days[:min(len(costs.Days), maxCosts)] {
			_ = s.say(costLine(d.Day, d.Totals))
		}
		titles := map[string]string{}
		for _, e := range h.entries {
			titles[e.ID] = session.TitleOf(e)
		}
		for _, c := range costs.Conversations[:min(len(costs.Conversations), maxCosts)] {
			title := cmp.Or(titles[c.ID], "The conversation of "+c.Last.Local().Format(export.WhenLayout))
			_ = s.say(costLine(excerpt(title, 60), c.Totals))
		}
		return nil
	})
}

func costLine(of string, t event.Totals) string {
	line := session.UsageLine(of, t)
	if t.Estimated {
		line += " Partly estimated."
	}
	return line
}
