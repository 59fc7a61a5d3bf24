package consent

import (
	"fmt"
	"strings"

	"chatvault/internal/prose"
	"chatvault/internal/prosediff"
	"chatvault/internal/terminal"
	"chatvault/internal/text"
	"chatvault/tools"
)

// Leads of the rows of a change: nothing of a note stands at the left edge.
const (
	changeLead = "  │ "
	linkLead   = "  • "
)

// Bounds of the notes whose links a change puts right.
const (
	namedRewrites = 40  // that are named
	shownRewrites = 400 // rows of what changes in them
)

// changeView draws a change passage by passage; nil where there is nothing to draw so.
func changeView(p tools.Proposal) *prose.View {
	d := p.Prose
	if d == nil {
		d, _ = prosediff.FromUnified(p.Path, p.Diff)
	}
	if d.Empty() {
		return nil
	}
	return prose.New(nil, d)
}

// rowWidth is the room for a row beside a lead.
func rowWidth(width int) int { return width - len([]rune(changeLead)) - 1 }

// ChangeRows is what a change does, for a terminal of width cells.
func ChangeRows(p tools.Proposal, width int) string {
	var b strings.Builder
	v := changeView(p)
	switch {
	case v != nil:
		for _, r := range v.Rows(rowWidth(width)) {
			b.WriteString(gutter(changeLead, r.Text, width))
		}
	case p.Diff != "":
		b.WriteString(gutter(changeLead, terminal.Strict(p.Diff), width))
	}
	return rewriteRows(p.Rewrites, width) + b.String()
}

// rewriteRows names the notes whose links a change puts right, and shows how.
func rewriteRows(rewrites []tools.LinkRewrite, width int) string {
	if len(rewrites) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(gutter("  ", linksText(rewrites), width))
	rows := 0
	for i, r := range rewrites {
		if i == namedRewrites && len(rewrites) > namedRewrites+1 {
			b.WriteString(gutter("  ", fmt.Sprintf("… and %d more notes", len(rewrites)-i), width))
			break
		}
		b.WriteString(gutter(linkLead, fmt.Sprintf("%s · %s", terminal.StrictLine(r.Path), text.Count(r.Links, "link")), width))
		drawn := prose.FromUnified(nil, r.Path, r.Diff).Rows(rowWidth(width))
		if rows += len(drawn); rows > shownRewrites {
			continue
		}
		for _, row := range drawn {
			b.WriteString(gutter(changeLead, row.Text, width))
		}
	}
	if rows > shownRewrites {
		b.WriteString(gutter("  ", "The changes in the others are similar; ask --json shows them all.", width))
	}
	return b.String()
}

// linksText says how many links in how many notes.
func linksText(rewrites []tools.LinkRewrite) string {
	n := 0
	for _, r := range rewrites {
		n += r.Links
	}
	return fmt.Sprintf("Updates %s in %s:", text.Count(n, "link"), text.Count(len(rewrites), "note"))
}
