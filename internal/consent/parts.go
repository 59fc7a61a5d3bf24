package consent

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"chatvault/agent/event"
	"chatvault/internal/prose"
	"chatvault/internal/prosediff"
	"chatvault/internal/terminal"
	"chatvault/internal/text"
	"chatvault/tools"
)

// PartsHelp says what may be answered for a part.
const PartsHelp = "y accepts this part, n rejects it; a accepts it and all that follow, d rejects it and all that follow; b goes back one"

// parts asks about the parts of a change, one after another, as git add -p does. Where none is
// taken, or the input ends, the change is denied.
func (c *Asker) parts(r event.Request) event.Answer {
	width := c.err.Width()
	n := len(r.Change.Prose.Hunks)
	taken := make([]bool, n)
	for i := 0; i < n; {
		fmt.Fprint(c.err, PartText(r.Change, i, width))
		for decided := false; !decided; {
			fmt.Fprintf(c.err, "Accept part %d of %d? [y,n,a,d,b,?] ", i+1, n)
			line, err := c.input.Line()
			if err != nil {
				fmt.Fprintln(c.err)
				return event.Answer{Decision: event.Deny}
			}
			if i, decided = DecidePart(taken, i, line); !decided {
				fmt.Fprintln(c.err, PartsHelp+".")
			}
		}
	}
	return Taking(taken)
}

// Taking is the answer that takes these parts of a change; none of them is a refusal.
func Taking(taken []bool) event.Answer {
	hunks := []int{}
	for i, yes := range taken {
		if yes {
			hunks = append(hunks, i)
		}
	}
	if len(hunks) == 0 {
		return event.Answer{Decision: event.Deny}
	}
	return event.Answer{Decision: event.AllowOnce, Hunks: hunks}
}

// DecidePart takes or leaves the part at i as an answer says, and gives the next; false where it
// is no answer.
func DecidePart(taken []bool, i int, line string) (next int, ok bool) {
	switch strings.ToLower(strings.TrimRight(strings.TrimSpace(line), ".!")) {
	case "y", "yes":
		taken[i] = true
		return i + 1, true
	case "n", "no":
		taken[i] = false
		return i + 1, true
	case "a", "all":
		for ; i < len(taken); i++ {
			taken[i] = true
		}
		return i, true
	case "d", "done":
		for ; i < len(taken); i++ {
			taken[i] = false
		}
		return i, true
	case "b", "back":
		return max(i-1, 0), true
	}
	return i, false
}

// PartText is one part of a change, with the lines around it.
func PartText(p tools.Proposal, part, width int) string {
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

// continued begins the rows in which a line goes on that is wider than the terminal.
const continued = "  ┊ "

// tabCells is the most that a tab takes.
const tabCells = 8

// gutter writes text below each other in rows that fit a terminal of width cells: the first row
// of each line begins with lead, the others with continued. So nothing of the text stands at the
// left edge, where the program's own words do, however the terminal would break it.
func gutter(lead, text string, width int) string {
	var b strings.Builder
	for line := range strings.SplitSeq(text, "\n") {
		begin := lead
		for {
			row, rest := fitting(line, width-ansi.StringWidth(begin)-1) // some terminals break at their last cell
			b.WriteString(begin + row + "\n")
			if line = rest; line == "" {
				break
			}
			begin = continued
		}
	}
	return b.String()
}

// fitting cuts what fits into some cells off a line, one character at least. Terminals do not
// agree on how wide some characters are: the widest counts.
func fitting(line string, cells int) (row, rest string) {
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

// changeView draws a change; nil where there is nothing to draw so.
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
		drawn := prose.FromUnified(nil, r.Diff).Rows(rowWidth(width))
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
