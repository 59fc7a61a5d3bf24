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

// Foldable is an item of which something is kept folded.
type Foldable interface {
	list.Item
	// Folds says whether there is anything to show or to fold.
	Folds() bool
	// Flip shows what is folded of this item alone, or folds it again; Unfolded says whether it is shown.
	Flip()
	Unfolded() bool
}

// indent puts lines under the text of an item.
func indent(lines []string) []string { return marked("  ", "  ", lines) }

// excerpt is the beginning of a text that is shown among the details: a number of lines, and
// how many are left out.
type excerpt struct {
	text  string // as it came
	limit int    // lines
	more  int    // lines that were not even kept
	short bool   // not all was kept
}

// Lengthy is a Foldable of which, unfolded, a part is shown first.
type Lengthy interface {
	Foldable
	// More says whether it is unfolded, and there is more of it to be shown than is.
	More() bool
	// ShowAll shows all that was kept of it, until it is folded.
	ShowAll()
}

// maxExcerpt bounds what is kept of a text that is shown among the details, in bytes: a note as the
// agent reads it in one step, by default.
const maxExcerpt = 128 << 10

// newExcerpt keeps the beginning of text.
func newExcerpt(text string, limit int) excerpt {
	e := excerpt{text: strings.Trim(text, "\n"), limit: limit}
	if e.short = len(e.text) > maxExcerpt; e.short {
		e.more = strings.Count(e.text[maxExcerpt:], "\n")
		e.text = strings.Clone(strings.ToValidUTF8(e.text[:maxExcerpt], ""))
	}
	return e
}

// draw gives the lines, quietly: about as many as its limit, or all that were kept. cut says that some
// of those are left out.
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
		if most := (limit - len(out) + 1) * width * utf8.UTFMax; len(line) > most { // no more of it is shown
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
			diffs = append(diffs, diffExcerpt{before, prose.FromUnified(env.Styles.Prose, p.Text)})
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

// argument is what a tool was called with, under one name.
type argument struct {
	name, value string // made safe, on one line
	lines       int    // of the value; 1 where it is no text
}

const (
	// maxArguments and maxValue bound what is kept of the arguments of a call, the latter in bytes.
	maxArguments = 12
	maxValue     = 400
)

// inDiff are the arguments whose text the diff of a change shows.
var inDiff = map[string]bool{"content": true, "old_text": true, "new_text": true, "text": true}

// argumentsOf takes the arguments of a call apart, in the order in which they were written.
// What is no JSON object has none.
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
		a.value = strings.Clone(terminal.Line(text)) // not with all there was
		out = append(out, a)
	}
	return out
}

// drawArguments gives a line for each argument that is not to be seen anyway.
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
