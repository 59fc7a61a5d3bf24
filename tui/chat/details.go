package chat

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"charm.land/lipgloss/v2"

	"chatvault/internal/base/cells"
	"chatvault/internal/base/prose"
	"chatvault/internal/base/prosediff"
	"chatvault/internal/base/terminal"
	"chatvault/internal/base/text"
	"chatvault/tui/list"
	"chatvault/tui/markdown"
	"chatvault/tui/phrase"
	"chatvault/tui/theme"
)

// Foldable is an item that can be folded.
type Foldable interface {
	list.Item
	// Folds reports whether the item has anything to fold.
	Folds() bool
	// Flip folds or unfolds this item alone; Unfolded reports whether it is unfolded.
	Flip()
	Unfolded() bool
}

// indent indents lines to an item's text.
func indent(lines []string) []string { return marked("  ", "  ", lines) }

// maxExcerpt bounds the kept part of a result, in bytes. By default it holds a note as read by the agent in one step.
const maxExcerpt = 128 << 10

// excerpt draws an unsanitized text in at most limit lines, followed by the number of the others. cut reports whether
// there are any.
func excerpt(s *theme.Styles, style lipgloss.Style, source string, width, limit int) (out []string, cut bool) {
	rest := strings.TrimRight(source, "\n")
	for rest != "" && len(out) < limit {
		line, after, _ := strings.Cut(rest, "\n")
		line = text.Head(line, (limit-len(out)+1)*width*utf8.UTFMax) // the rest of the line is not shown
		out, rest = append(out, markdown.Wrap(terminal.Text(line), theme.Open(style), width)...), after
	}
	more := ""
	if len(out) > limit {
		out, more = out[:limit], "…"
	}
	if rest != "" {
		n := strings.Count(rest, "\n") + 1
		more = fmt.Sprintf("… %d %s", n, text.Plural(n, "more line"))
	}
	if more != "" {
		out = append(out, s.Muted.Render(cells.Truncate(more, width, "")))
	}
	return out, more != ""
}

// maxDiffRows bounds the rows of a diff unless all are shown.
const maxDiffRows = 40

// part is a part of a result: text, or a diff.
type part struct {
	text string
	view *prose.View
}

// partsOf splits a result into its diffs and the text around them.
func partsOf(env *Env, result string) (parts []part) {
	for _, p := range prosediff.Parts(result) {
		if p.Diff {
			parts = append(parts, part{view: prose.FromUnified(env.Styles.Prose, p.Text)})
		} else {
			parts = append(parts, part{text: strings.Trim(p.Text, "\n")})
		}
	}
	return parts
}

// drawParts returns the lines of the result, limited unless all is set.
func (t *Tool) drawParts(width int, all bool) (out []string) {
	s := t.env.Styles
	limit, rows := maxResult, maxDiffRows
	if len(t.steps.calls) > 0 {
		limit = maxReport
	}
	if all {
		limit, rows = maxWholeLines, maxWholeLines
	}
	for _, p := range t.parts {
		if p.view == nil {
			lines, _ := excerpt(s, s.Muted, p.text, width, limit)
			out = append(out, lines...)
			continue
		}
		drawn := p.view.Rows(width)
		for _, r := range drawn[:min(len(drawn), rows)] {
			out = append(out, r.Text)
		}
		if more := len(drawn) - rows; more > 0 {
			out = append(out, s.Muted.Render(cells.Truncate(fmt.Sprintf("… %d more lines", more), width, "")))
		}
	}
	if t.short {
		out = append(out, s.Muted.Render("…"))
	}
	return out
}

// maxValue bounds what is kept of an argument, in characters.
const maxValue = 200

// argumentsOf returns the arguments of a call but its target, by name and on one line.
func argumentsOf(raw json.RawMessage, target string) string {
	var values map[string]json.RawMessage
	_ = json.Unmarshal(raw, &values)
	var all []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		var value string
		if json.Unmarshal(values[name], &value) != nil {
			value = string(values[name])
		}
		if value = text.Excerpt(text.Head(value, 4*maxValue), maxValue); value != target {
			all = append(all, name+": "+value)
		}
	}
	return terminal.Line(phrase.Join(all...))
}

func isDiff(p part) bool { return p.view != nil }
