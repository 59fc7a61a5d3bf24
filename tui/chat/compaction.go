package chat

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/terminal"
	"chatvault/tui/phrase"
	"chatvault/tui/theme"
)

// Compaction is where older messages were replaced, for the model, by a summary: a dividing
// line, and the summary where details are shown.
type Compaction struct {
	document
	titles []string // the first that fits is shown
	card
}

// NewCompaction makes the item. Before and after are tokens; 0 where they are not known.
func NewCompaction(env *Env, summary string, before, after int) *Compaction {
	const long, short = "Earlier messages summarised", "Summarised"
	c := &Compaction{document: document{env: env}, card: card{env: env}, titles: []string{long, short}}
	if before > 0 && after > 0 {
		size := fmt.Sprintf(": %s → %s tokens", Count(before), Count(after))
		c.titles = []string{long + size, short + size, short}
	}
	c.append(terminal.Text(summary))
	c.finish()
	return c
}

// Folds says whether there is a summary.
func (c *Compaction) Folds() bool { return !c.empty() }

// Lines draws it.
func (c *Compaction) Lines(width int) []string {
	head := c.get(width, func(width int) []string {
		title := phrase.Fitting(c.titles, max(width-ruleEnds, 1))
		return []string{rule(c.document.env, title, c.document.env.DetailsKey, width)}
	})
	if !c.Unfolded() || c.empty() {
		return head
	}
	bar := c.document.env.Styles.Muted.Render("┊") + " "
	return clip(append(head[:1:1], c.draw(textWidth(width), bar)...), width)
}

// Job draws a long summary, where it is shown.
func (c *Compaction) Job() func() func() {
	if !c.Unfolded() {
		return nil
	}
	return c.document.Job()
}

// ruleEnds is what a rule leaves for its line on both sides of the title, in cells.
const ruleEnds = 8

// rule is a dividing line with a title, and the key that shows more, where there is room.
func rule(env *Env, title, key string, width int) string {
	if title == "" {
		return theme.Styled(env.Styles.Rule, strings.Repeat("─", width))
	}
	title = ansi.Truncate(title, max(width-ruleEnds, 1), "…")
	if k := " · " + key; key != "" && ansi.StringWidth(title)+ansi.StringWidth(k)+ruleEnds <= width {
		title += k
	}
	line := "── " + title + " "
	line += strings.Repeat("─", max(width-ansi.StringWidth(line), 0))
	return theme.Styled(env.Styles.Rule, ansi.Truncate(line, width, ""))
}

// Count shows a number of tokens in a few characters: 950, 12.4k, 123k, 1.2M.
func Count(n int) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d", n)
	case n < 99_950:
		return strings.Replace(fmt.Sprintf("%.1fk", float64(n)/1000), ".0k", "k", 1)
	case n < 999_500:
		return fmt.Sprintf("%.0fk", float64(n)/1000)
	}
	return strings.Replace(fmt.Sprintf("%.1fM", float64(n)/1_000_000), ".0M", "M", 1)
}
