package chat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

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

// excerpt is the beginning of a text shown in the details, limited to a number of lines.
type excerpt struct {
	text  string // not sanitized
	limit int    // in lines
	more  int    // number of lines not kept
	short bool   // the text was truncated
}

// Lengthy is a Foldable that, when unfolded, shows only a part at first.
type Lengthy interface {
	Foldable
	// More reports whether the item is unfolded but not completely shown.
	More() bool
	// ShowAll shows all the kept text until the item is folded.
	ShowAll()
}

// maxExcerpt bounds the kept text, in bytes. By default it holds a note as read by the agent in one step.
const maxExcerpt = 128 << 10

// newExcerpt returns the beginning of text.
func newExcerpt(text string, limit int) excerpt {
	e := excerpt{text: strings.Trim(text, "\n"), limit: limit}
	if e.short = len(e.text) > maxExcerpt; e.short {
		e.more = strings.Count(e.text[maxExcerpt:], "\n")
		e.text = strings.Clone(strings.ToValidUTF8(e.text[:maxExcerpt], ""))
	}
	return e
}

// draw returns muted lines: about limit of them, or all that were kept. cut reports whether kept lines were omitted.
func (e excerpt) draw(env *Env, width int, all bool) (out []string, cut bool) {
	if e.text == "" {
		return nil, false
	}
	limit, rest := e.limit, e.text
	if all {
		limit = maxWholeLines
	}
	for rest != "" && len(out) < limit {
		line, after, _ := strings.Cut(rest, "\n")
		if most := (limit - len(out) + 1) * width * utf8.UTFMax; len(line) > most { // the rest of the line is not shown
			line = strings.ToValidUTF8(line[:most], "")
		}
		wrapped := markdown.Wrap(terminal.Text(line), theme.Open(env.Styles.Muted), width)
		out = append(out, wrapped...)
		rest = after
	}
	cut = rest != "" || len(out) > limit
	more := e.more
	if rest != "" {
		more += strings.Count(rest, "\n") + 1
	}
	left := ""
	if e.short && rest == "" {
		left = "…"
	}
	if len(out) > limit {
		out, left = out[:limit], "…"
	}
	if more > 0 {
		left = fmt.Sprintf("… %d %s", more, text.Plural(more, "more line"))
	}
	if left != "" {
		out = append(out, env.Styles.Muted.Render(ansi.Truncate(left, width, "")))
	}
	return out, cut && !all
}

// maxDiffRows bounds the rows of a call's diffs unless all are shown.
const maxDiffRows = 40

// diffExcerpt is a diff with the text that precedes it in the tool's result.
type diffExcerpt struct {
	said string
	view *prose.View
}

// withDiffs extracts the diffs from a result; said is the text before the first.
func withDiffs(env *Env, result string) (said string, diffs []diffExcerpt) {
	before := ""
	for _, p := range prosediff.Parts(result) {
		switch {
		case p.Diff:
			diffs = append(diffs, diffExcerpt{before, prose.FromUnified(env.Styles.Prose, p.Text)})
			before = ""
		case len(diffs) == 0:
			said = strings.Trim(p.Text, "\n")
		default:
			before = strings.Trim(p.Text, "\n")
		}
	}
	if before != "" { // omitted changes
		diffs = append(diffs, diffExcerpt{said: before})
	}
	return said, diffs
}

// drawDiffs returns the lines of the diffs, limited unless all is set. cut reports whether lines were omitted.
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
			text = strings.ToValidUTF8(text[:maxValue], "") + "…"
		}
		a.value = strings.Clone(terminal.Line(text)) // a copy, to release the rest
		out = append(out, a)
	}
	return out
}

// drawArguments returns a line for each argument that is not visible elsewhere.
func (t *Tool) drawArguments(width int) []string {
	s := t.env.Styles
	var out []string
	for _, a := range t.arguments {
		if a.value == t.target || inDiff[a.name] && len(t.diffs) > 0 {
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
