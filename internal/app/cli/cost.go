package cli

import (
	"cmp"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"chatvault/agent/event"
	"chatvault/agent/spend"
	"chatvault/internal/app/session"
	"chatvault/internal/app/session/export"
	"chatvault/internal/base/text"
)

func newCost(s Streams, g *globals) *cobra.Command {
	var o listOptions
	c := &cobra.Command{
		Use: "cost", Aliases: []string{"usage"}, Short: "Model usage of this vault, by day and by conversation", Args: cobra.NoArgs,
		Long: `What the model calls of this vault used, by day and by conversation, the newest first: calls,
tokens, and the cost in US dollars where the provider tells it or prices are configured. A ~
marks what was estimated, a part at least. The last 400 days and 500 conversations are kept.`,
		Example: "  chatvault cost\n  chatvault cost --json | jq .days",
		RunE:    func(*cobra.Command, []string) error { return costShow(s, g, o) },
	}
	c.Flags().BoolVar(&o.json, "json", false, "print a JSON object with everything kept")
	c.Flags().IntVarP(&o.limit, "limit", "n", 10, "maximum number of days and conversations to list")
	return c
}

func costShow(s Streams, g *globals, o listOptions) error {
	if o.limit < 1 {
		return usageError("--limit is at least 1")
	}
	return withShelf(s, g, func(h *shelf) error {
		var costs event.Costs
		var err error
		if h.state != nil {
			if costs, err = spend.Read(h.state); err != nil {
				return failure("%v", err)
			}
		}
		if o.json {
			return text.WriteJSON(s.Out, struct {
				Time          time.Time                `json:"time"`
				Days          []event.DayCost          `json:"days"`
				Conversations []event.ConversationCost `json:"conversations"`
			}{time.Now(), append([]event.DayCost{}, costs.Days...), append([]event.ConversationCost{}, costs.Conversations...)})
		}
		if len(costs.Days) == 0 {
			return s.say("No model has been called in this vault yet.")
		}
		titles := map[string]string{}
		for _, e := range h.entries {
			titles[e.ID] = session.TitleOf(e)
		}
		var out strings.Builder
		w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "DAY\tCALLS\tTOKENS\tCOST")
		for _, d := range costs.Days[:min(len(costs.Days), o.limit)] {
			fmt.Fprintf(w, "%s\t%s\n", d.Day, costColumns(d.Totals))
		}
		fmt.Fprintln(w, "\t\t\t\nCONVERSATION\tCALLS\tTOKENS\tCOST")
		for _, c := range costs.Conversations[:min(len(costs.Conversations), o.limit)] {
			title := cmp.Or(titles[c.ID], "("+c.Last.Local().Format(export.WhenLayout)+")")
			fmt.Fprintf(w, "%s\t%s\n", s.safeOut(text.Clip(title, maxCostTitle)), costColumns(c.Totals))
		}
		_ = w.Flush() // into memory
		for line := range strings.Lines(out.String()) {
			if err := s.say(strings.TrimRight(line, " \n")); err != nil {
				return err
			}
		}
		return nil
	})
}

// maxCostTitle is the maximum length of a listed title, in characters.
const maxCostTitle = 48

func costColumns(t event.Totals) string {
	about, cost := "", "-"
	if t.Estimated {
		about = "~"
	}
	if t.Priced {
		cost = fmt.Sprintf("%s$%.4f", about, t.Cost)
	}
	return fmt.Sprintf("%d\t%s%d\t%s", t.Calls, about, t.Prompt+t.Completion, cost)
}
