package chat

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/terminal"
	"chatvault/internal/text"
	"chatvault/tui/markdown"
	"chatvault/tui/phrase"
	"chatvault/tui/theme"
)

// divided is a dividing line with a quiet line about it below. When unfolded, a summary follows.
type divided struct {
	heads []string // variants of the dividing line, longest first; empty for no line
	key   bool     // the dividing line names the key that shows the summary; without details only this line is drawn
	name  string   // name of the ended conversation; empty if none ended or it is not known yet
	about string   // further remark
	document
	card
}

func newDivided(env *Env, summary string, heads ...string) divided {
	d := divided{document: document{env: env}, card: card{env: env}, heads: heads}
	d.summarise(summary)
	return d
}

func (d *divided) summarise(summary string) {
	d.clear()
	d.append(strings.TrimSpace(terminal.Text(summary)))
	d.finish()
	d.touch()
}

// Folds reports whether there is a summary.
func (d *divided) Folds() bool { return !d.empty() }

func (d *divided) Lines(width int) []string {
	out := d.get(width, d.above)
	if !d.open || d.empty() {
		return out
	}
	bar := d.card.env.Styles.Muted.Render("┊") + " "
	return clip(append(out[:len(out):len(out)], d.draw(textWidth(width), bar)...), width)
}

// above returns the lines above the summary. When folded, the summary ends the quiet line.
func (d *divided) above(width int) []string {
	env, room := d.card.env, textWidth(width)
	var out []string
	if len(d.heads) > 0 {
		key := ""
		if d.key {
			key = env.DetailsKey
		}
		out = append(out, rule(env, phrase.Fitting(d.heads, width-ruleEnds), key, width))
	}
	line := d.about
	if d.name != "" {
		line = phrase.Join("Before: "+d.name, d.about)
	}
	if !d.open && !d.key && !d.empty() {
		if line != "" {
			line += " — "
		}
		line += text.OneLine(string(d.source))
	}
	switch {
	case line == "":
	case d.open:
		out = append(out, marked(env.Styles.Muted.Render("·")+" ", "  ", markdown.Wrap(line, theme.Open(env.Styles.Muted), room))...)
	default:
		out = append(out, env.Styles.Muted.Render("· "+ansi.Truncate(line, room, "…")))
	}
	return out
}

// Raw implements Sourced.
func (d *divided) Raw() (string, bool) {
	return joined(append(d.heads[:min(1, len(d.heads)):1], d.name, string(d.source))...), true
}

// Words implements Sourced.
func (d *divided) Words(b []byte) []byte {
	return appendLines(b, append(d.heads[:min(1, len(d.heads)):1], d.name, d.about, string(d.source))...)
}

// Boundary marks the end of one conversation and the start of the next.
type Boundary struct{ divided }

// NewBoundary returns a boundary with the given title. Without a title there is no dividing line.
func NewBoundary(env *Env, head string) *Boundary {
	b := &Boundary{newDivided(env, "")}
	if head != "" {
		b.heads = []string{terminal.Line(head)}
	}
	return b
}

// Before sets the name of the ended conversation, when it ended, and a summary, which may be empty.
func (b *Boundary) Before(name, ended, summary string) {
	b.name, b.about = terminal.Line(name), terminal.Line(ended)
	b.summarise(summary)
}

// Title replaces the ended conversation's name and summary.
func (b *Boundary) Title(title, summary string) { b.Before(title, b.about, summary) }

// Compaction marks where a summary replaced older messages in the model's context.
type Compaction struct{ divided }

// NewCompaction returns the item. before and after are in tokens, 0 if unknown.
func NewCompaction(env *Env, summary string, before, after int) *Compaction {
	const long, short = "Earlier messages summarised", "Summarised"
	c := &Compaction{newDivided(env, summary, long, short)}
	c.key = true
	if before > 0 && after > 0 {
		size := fmt.Sprintf(": %s → %s tokens", Count(before), Count(after))
		c.heads = []string{long + size, short + size, short}
	}
	return c
}

// ruleEnds is the number of cells reserved for the line on both sides of a title.
const ruleEnds = 8

// rule returns a dividing line with a title and, if it fits, the key that shows details.
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

// Count formats a number of tokens: 950, 12.4k, 123k, 1.2M.
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
