package chat

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/prose"
	"chatvault/internal/prosediff"
	"chatvault/internal/terminal"
	"chatvault/tui/markdown"
	"chatvault/tui/theme"
)

// maxDiffRows bounds what is shown of the diffs of a call among its details at first.
const maxDiffRows = 40

// diffExcerpt is how a note changed, with what the tool said before it.
type diffExcerpt struct {
	said string
	view *prose.View
}

// withDiffs takes the diffs out of a result; said is what stands before the first.
func withDiffs(env *Env, result string) (said string, diffs []diffExcerpt) {
	before := ""
	for _, p := range prosediff.Parts(result) {
		switch {
		case p.Diff:
			diffs = append(diffs, diffExcerpt{before, prose.FromUnified(env.Styles.Prose, p.Name, p.Text)})
			before = ""
		case len(diffs) == 0:
			said = strings.Trim(p.Text, "\n")
		default:
			before = strings.Trim(p.Text, "\n")
		}
	}
	if before != "" { // what was left out
		diffs = append(diffs, diffExcerpt{said: before})
	}
	return said, diffs
}

// drawDiffs gives the lines, the first of them where there are many and not all are wanted. cut says
// that some are left out for that.
func drawDiffs(env *Env, diffs []diffExcerpt, width int, all bool) (out []string, cut bool) {
	limit := maxDiffRows
	if all {
		limit = maxWholeLines
	}
	for _, d := range diffs {
		if d.said != "" {
			out = append(out, markdown.Wrap(terminal.Text(d.said), theme.Open(env.Styles.Muted), width)...)
		}
		if d.view == nil {
			continue
		}
		for _, r := range d.view.Rows(width) {
			out = append(out, r.Text)
		}
	}
	if more := len(out) - limit; more > 1 {
		cut = !all
		out = append(out[:limit:limit], env.Styles.Muted.Render(ansi.Truncate(fmt.Sprintf("… %d more lines", more), width, "")))
	}
	return out, cut
}
