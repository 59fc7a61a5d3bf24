package chat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/prose"
	"chatvault/internal/prosediff"
	"chatvault/internal/terminal"
	"chatvault/internal/text"
	"chatvault/tui/list"
	"chatvault/tui/markdown"
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
		out = append(out, s.Muted.Render(ansi.Truncate(more, width, "")))
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
	if t.steps != nil {
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
			out = append(out, s.Muted.Render(ansi.Truncate(fmt.Sprintf("… %d more lines", more), width, "")))
		}
	}
	if t.short {
		out = append(out, s.Muted.Render("…"))
	}
	return out
}

// argument is a tool argument.
type argument struct {
	name, value string // sanitized, on one line
	lines       int    // of the value; 1 if it is not a string
}

const (
	// maxArguments and maxValue bound what is kept of a call's arguments, the latter in bytes.
	maxArguments = 12
	maxValue     = 400
)

// inDiff lists arguments whose text is visible in the diff of a change.
var inDiff = map[string]bool{"content": true, "old_text": true, "new_text": true, "text": true}

// argumentsOf returns the arguments of a call in their written order, or nil if raw is not a JSON object.
func argumentsOf(raw json.RawMessage) []argument {
	d := json.NewDecoder(bytes.NewReader(raw))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil
	}
	var out []argument
	for d.More() && len(out) < maxArguments {
		name, err := d.Token()
		if err != nil {
			break
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			break
		}
		a := argument{name: terminal.Line(fmt.Sprint(name)), lines: 1}
		text := string(value)
		var s string
		if json.Unmarshal(value, &s) == nil {
			text, a.lines = s, strings.Count(strings.TrimRight(s, "\n"), "\n")+1
			text, _, _ = strings.Cut(text, "\n")
		}
		if len(text) > maxValue {
			text = text[:maxValue] + "…"
		}
		a.value = strings.Clone(terminal.Line(text)) // a copy, to release the rest
		out = append(out, a)
	}
	return out
}

func isDiff(p part) bool { return p.view != nil }

// drawArguments returns a line for each argument that is not visible elsewhere.
func (t *Tool) drawArguments(width int) []string {
	s := t.env.Styles
	var out []string
	for _, a := range t.arguments {
		if a.value == t.target || inDiff[a.name] && slices.ContainsFunc(t.parts, isDiff) {
			continue
		}
		value := a.value
		if a.lines > 1 {
			value += fmt.Sprintf(" … %d lines", a.lines)
		}
		name := ansi.Truncate(a.name, width, "…")
		room := width - ansi.StringWidth(name) - 2
		if room < 1 {
			out = append(out, s.Muted.Render(name))
			continue
		}
		out = append(out, s.Muted.Render(name+": ")+ansi.Truncate(value, room, "…"))
	}
	return out
}
