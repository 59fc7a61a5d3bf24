package consent

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/base/prose"
	"chatvault/internal/base/prosediff"
	"chatvault/internal/base/terminal"
	"chatvault/tools"
)

// partText returns one part of a change with the lines around it.
func partText(p tools.Proposal, part, width int) string {
	v := changeView(p)
	if v == nil {
		return ""
	}
	v.Parts(true)
	rows := v.Rows(rowWidth(width))
	var head, body strings.Builder
	for i, r := range rows {
		near := r.Hunk < 0 && slices.ContainsFunc(rows[max(i-2, 0):min(i+3, len(rows))], func(o prose.Row) bool { return o.Hunk == part })
		switch {
		case r.Head && r.Hunk == part:
			head.WriteString(gutter("  ", "— "+terminal.StrictLine(r.Text), width))
		case !r.Head && (r.Hunk == part || near):
			body.WriteString(gutter(changeLead, r.Text, width))
		}
	}
	return head.String() + body.String()
}

// continued is the prefix of the rows that continue a wrapped line.
const continued = "  ┊ "

// tabCells is the maximum width of a tab.
const tabCells = 8

// gutter wraps text to rows for a terminal of width cells. The first row of each line starts with lead, the others
// with continued, so that none starts at the left edge like the program's own text, however the terminal wraps.
func gutter(lead, text string, width int) string {
	var b strings.Builder
	for line := range strings.SplitSeq(text, "\n") {
		begin := lead
		for {
			row, rest := splitRow(line, width-ansi.StringWidth(begin)-1) // some terminals wrap at their last cell
			b.WriteString(begin + row + "\n")
			if line = rest; line == "" {
				break
			}
			begin = continued
		}
	}
	return b.String()
}

// splitRow splits off what fits into a number of cells, at least one character. Terminals disagree on the width of
// some characters; the largest counts.
func splitRow(line string, cells int) (row, rest string) {
	used, n := 0, 0
	for n < len(line) {
		cluster, wide := ansi.FirstGraphemeCluster(line[n:], ansi.GraphemeWidth)
		if wide = max(wide, ansi.StringWidthWc(cluster)); cluster == "\t" {
			wide = tabCells
		}
		if n > 0 && used+wide > cells {
			break
		}
		used, n = used+wide, n+len(cluster)
	}
	return line[:n], line[n:]
}

// Prefixes of the rows of a change: no text of a note starts at the left edge.
const (
	changeLead = "  │ "
	linkLead   = "  • "
)

// namedRewrites bounds the shown notes whose links a change updates.
const namedRewrites = 40

// changeView returns the view of a change, or nil if there is nothing to draw.
func changeView(p tools.Proposal) *prose.View {
	d := p.Prose
	if d == nil {
		d, _ = prosediff.FromUnified(p.Diff)
	}
	if d.Empty() {
		return nil
	}
	return prose.New(nil, d)
}

// rowWidth returns the space for a row after a prefix.
func rowWidth(width int) int { return width - len([]rune(changeLead)) - 1 }

// ChangeRows describes a change for a terminal of width cells.
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
	return rewriteRows(p, width) + b.String()
}

// rewriteRows lists the notes whose links a change updates, with the changes, or many notes that it edits, with
// samples.
func rewriteRows(p tools.Proposal, width int) string {
	if len(p.Rewrites) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(gutter("  ", "Updates "+p.Updates()+":", width))
	for i, r := range p.Rewrites {
		if i == namedRewrites {
			b.WriteString(gutter("  ", fmt.Sprintf("… and %d more notes; ask --json shows all of them", len(p.Rewrites)-i), width))
			break
		}
		b.WriteString(gutter(linkLead, terminal.StrictLine(r.Path)+" · "+p.Places(r.Links), width))
		if p.Many() && !p.Sample(i) {
			continue
		}
		for _, row := range prose.FromUnified(nil, r.Diff).Rows(rowWidth(width)) {
			b.WriteString(gutter(changeLead, row.Text, width))
		}
	}
	return b.String()
}
