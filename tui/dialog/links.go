package dialog

import (
	"fmt"

	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/prose"
	"chatvault/internal/terminal"
	"chatvault/internal/text"
	"chatvault/tui/theme"
)

// Bounds of the notes whose links change along.
const (
	maxLinked  = 8    // that are named where they are folded
	maxRewrite = 3000 // rows, unfolded
)

// links is the part of a change that puts links right in other notes: the notes by name, or,
// unfolded, what changes in each.
type links struct {
	styles   *theme.Styles
	rewrites []Rewrite
	open     bool

	rows  []string
	width int
	drawn bool // unfolded
}

// verb says what folding or unfolding does.
func (l *links) verb() string {
	if l.open {
		return "folds"
	}
	return "shows"
}

// sum says how many links in how many notes.
func (l *links) sum() string {
	n := 0
	for _, r := range l.rewrites {
		n += r.Links
	}
	return fmt.Sprintf("Updates %d %s in %d %s:", n, text.Plural(n, "link"), len(l.rewrites), text.Plural(len(l.rewrites), "note"))
}

// lines draws it.
func (l *links) lines(inner int) []string {
	if len(l.rewrites) == 0 || l.width == inner && l.drawn == l.open {
		return l.rows
	}
	l.width, l.drawn = inner, l.open
	l.rows = []string{l.styles.Bold.Render(ansi.Truncate(l.sum(), inner, "…"))}
	for i, r := range l.rewrites {
		if !l.open && i == maxLinked && len(l.rewrites) > maxLinked+1 || len(l.rows) > maxRewrite {
			more := fmt.Sprintf("… and %d more notes", len(l.rewrites)-i)
			l.rows = append(l.rows, l.styles.Muted.Render(ansi.Truncate(more, inner, "…")))
			break
		}
		l.note(r, inner)
	}
	return l.rows
}

// note draws a note: its path in rows that begin with a mark no text of a note begins with.
func (l *links) note(r Rewrite, inner int) {
	lead := "• "
	rows := prose.Break(terminal.StrictLine(r.Path), "/ ", max(inner-2, 1))
	for _, row := range rows {
		l.rows = append(l.rows, lead+row)
		lead = "⋮ "
	}
	count := fmt.Sprintf(" · %d %s", r.Links, text.Plural(r.Links, "link"))
	if n := len(l.rows) - 1; ansi.StringWidth(l.rows[n])+ansi.StringWidth(count) <= inner {
		l.rows[n] += l.styles.Muted.Render(count)
	}
	if !l.open {
		return
	}
	for _, row := range prose.FromUnified(l.styles.Prose, r.Path, r.Diff).Rows(inner) {
		l.rows = append(l.rows, row.Text)
	}
}
