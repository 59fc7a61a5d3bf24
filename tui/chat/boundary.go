package chat

import (
	"fmt"
	"strings"

	"chatvault/internal/base/cells"
	"chatvault/internal/base/terminal"
	"chatvault/internal/base/text"
	"chatvault/tui/list"
	"chatvault/tui/phrase"
	"chatvault/tui/theme"
)

// divided is a dividing line with a quiet line below, which ends with the beginning of a summary. When unfolded, the
// summary follows.
type divided struct {
	head  string // of the dividing line; empty for no line
	name  string // name of the ended conversation; empty if none ended or it is not known yet
	about string // further remark
	document
}

func newDivided(env *Env, head, about, summary string) divided {
	d := divided{document: newDocument(env), head: terminal.Line(head), about: terminal.Line(about)}
	d.summarise(summary)
	return d
}

func (d *divided) summarise(summary string) {
	d.clear()
	d.append(strings.TrimSpace(terminal.Text(summary)))
	d.finish()
}

// Folds reports whether there is a summary.
func (d *divided) Folds() bool { return !d.empty() }

func (d *divided) Lines(width int) []string {
	out := d.get(width, nil, d.above)
	if !d.open || d.empty() {
		return out
	}
	bar := d.env.Styles.Muted.Render("┊") + " "
	return clip(append(out[:len(out):len(out)], d.draw(textWidth(width), bar)...), width)
}

// above returns the lines above the summary.
func (d *divided) above(width int) []string {
	p := page{Styles: d.env.Styles, room: textWidth(width)}
	if d.head != "" {
		p.lines = append(p.lines, rule(p.Styles, d.head, width))
	}
	name, summary := d.name, ""
	if name != "" {
		name = "Before: " + name
	}
	if !d.open {
		summary = text.OneLine(string(d.source))
	}
	if line := phrase.Join(name, d.about, summary); line != "" {
		p.room += Indent
		p.line(p.Muted, "· "+line)
	}
	return p.lines
}

// Raw implements Sourced.
func (d *divided) Raw() string {
	return string(appendLines(nil, d.head, d.name, d.about, string(d.source)))
}

// Boundary marks the end of one conversation and the start of the next.
type Boundary struct{ divided }

// NewBoundary returns a boundary with the given title. Without a title there is no dividing line.
func NewBoundary(env *Env, head string) *Boundary { return &Boundary{newDivided(env, head, "", "")} }

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
	head := "Earlier messages summarised"
	if before > 0 && after > 0 {
		head = fmt.Sprintf("Summarised: %s → %s tokens", Count(before), Count(after))
	}
	return &Compaction{newDivided(env, head, "", summary)}
}

// ruleEnds is the number of cells reserved for the line on both sides of a title.
const ruleEnds = 8

// rule returns a dividing line with a title.
func rule(s *theme.Styles, title string, width int) string {
	title = cells.Truncate(title, max(width-ruleEnds, 1), "…")
	end := strings.Repeat("─", max(width-cells.Width(title)-4, 0))
	return cells.Truncate(theme.Styled(s.Rule, "──")+" "+s.Muted.Render(title)+" "+theme.Styled(s.Rule, end), width, "")
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

// Earlier is a placeholder for messages that are loaded when the view comes near.
type Earlier struct {
	State string // follows "Earlier messages"
	card
}

// NewEarlier returns a placeholder.
func NewEarlier(env *Env) *Earlier { return &Earlier{card: card{env: env}} }

// Lines implements list.Item.
func (e *Earlier) Lines(width int) []string {
	return e.paint(width, e.State, func(p *page) string {
		p.text(p.Muted, "Earlier messages"+terminal.Line(e.State))
		return p.Muted.Render("↑")
	})
}

// IsEarlier reports whether an item is a placeholder for earlier messages.
func IsEarlier(it list.Item) bool {
	_, ok := it.(*Earlier)
	return ok
}

// Selectable reports whether an item can be selected: not the welcome screen and not a placeholder.
func Selectable(it list.Item) bool {
	_, welcome := it.(*Welcome)
	return !welcome && !IsEarlier(it)
}
