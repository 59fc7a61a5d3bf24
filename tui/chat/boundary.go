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

// divided is a dividing line, and below it in one quiet line what it is about. With details shown a summary stands
// below that.
type divided struct {
	heads []string // of the dividing line, the first that fits; none: there is no line
	key   bool     // the dividing line names the key that shows the summary; folded, it is all there is
	name  string   // of what ended; empty: nothing did, or it is not known yet
	about string   // what else is said of it
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

// Folds says whether it has a summary.
func (d *divided) Folds() bool { return !d.empty() }

// Lines draws it.
func (d *divided) Lines(width int) []string {
	out := d.get(width, d.above)
	if !d.open || d.empty() {
		return out
	}
	bar := d.card.env.Styles.Muted.Render("┊") + " "
	return clip(append(out[:len(out):len(out)], d.draw(textWidth(width), bar)...), width)
}

// above is what stands above the summary, which ends the quiet line while it is folded.
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

// Raw is what it is about, and the summary.
func (d *divided) Raw() (string, bool) {
	return joined(append(d.heads[:min(1, len(d.heads)):1], d.name, string(d.source))...), true
}

// Words are all that it says.
func (d *divided) Words(b []byte) []byte {
	return appendLines(b, append(d.heads[:min(1, len(d.heads)):1], d.name, d.about, string(d.source))...)
}

// Boundary is where one conversation ended and another begins: it says what ended.
type Boundary struct{ divided }

// NewBoundary makes a boundary; head is the title of its line. Without one the boundary is what
// ended alone.
func NewBoundary(env *Env, head string) *Boundary {
	b := &Boundary{newDivided(env, "")}
	if head != "" {
		b.heads = []string{terminal.Line(head)}
	}
	return b
}

// Before says what ended: its title or first words, when, and a summary, which may be empty.
func (b *Boundary) Before(name, ended, summary string) {
	b.name, b.about = terminal.Line(name), terminal.Line(ended)
	b.summarise(summary)
}

// Title says how what ended is called by now, and sums it up.
func (b *Boundary) Title(title, summary string) { b.Before(title, b.about, summary) }

// Continued is where a conversation begins that continues another one, below what was carried of that.
type Continued struct{ divided }

// NewContinued makes the item: what the dividing line says, a remark, and the summary of what is
// continued. Either of the last may be empty.
func NewContinued(env *Env, title, about, summary string) *Continued {
	c := &Continued{newDivided(env, summary, terminal.Line(title))}
	c.about = terminal.Line(about)
	return c
}

// Compaction is where older messages were replaced, for the model, by a summary.
type Compaction struct{ divided }

// NewCompaction makes the item. Before and after are tokens; 0 where they are not known.
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
