package vi

import (
	"strings"
	"unicode"
)

// shiftWidth is the width by which > and < shift, in cells.
const shiftWidth = 4

// change replaces a region.
func (e *Editor) change(r region, by string) { e.text = e.text[:r.from] + text(by) + e.text[r.to:] }

// operate applies an operator to a region.
func (e *Editor) operate(c command, r region) {
	t := e.text
	cursor := r.from
	e.cursor = cursor
	if r.lines {
		r = t.whole(r)
	}
	if c.op != "y" {
		e.remember(c)
	}
	content := string(t[r.from:r.to])
	switch c.op {
	case "y":
		e.yank(c, content, r.lines)
		e.at = cursor
	case "d", "c":
		if r.from == r.to && !r.lines && c.op == "d" {
			return
		}
		if r.from < r.to || r.lines {
			e.yank(c, content, r.lines)
		}
		e.at = r.from
		if c.op == "c" {
			e.change(r, "")
			e.insert(1, "")
			return
		}
		if e.cut(r); r.lines {
			e.at = e.text.first(min(r.from, len(e.text)))
		}
	case "p", "P":
		if e.put(c, r); c.op == "p" && (content != "" || r.lines) {
			e.yank(command{}, content, r.lines)
		}
	case "J":
		e.at = cursor
		e.join(t.whole(r))
	case ">", "<":
		e.shift(c, t.whole(r))
	case "gu", "gU", "g~", "r":
		e.change(r, changed(c, content))
		e.at = cursor
	}
}

// cut deletes a region, lines with a line break.
func (e *Editor) cut(r region) {
	if r.lines && r.to < len(e.text) {
		r.to++
	} else if r.lines && r.from > 0 {
		r.from--
	}
	e.change(r, "")
}

// yank stores a text in the unnamed register, and in that of the clipboard if a command names it.
func (e *Editor) yank(c command, content string, lines bool) {
	e.Unnamed = Register{strings.Clone(content), lines}
	if c.copies() {
		e.Clipboard, e.Copied = e.Unnamed, content
	}
}

// repeat repeats a text, up to about 8 MB.
func repeat(s string, n int) string {
	return strings.Repeat(s, max(min(n, 8<<20/max(len(s), 1)), 0))
}

// put inserts a register behind the cursor or at it (P), or in place of a selection.
func (e *Editor) put(c command, r region) {
	reg := e.Unnamed
	if c.copies() {
		reg = e.Clipboard
	}
	if reg == (Register{}) {
		return
	}
	t, n := e.text, c.n()
	if reg.Lines || r.lines {
		put := strings.TrimSuffix(repeat(reg.Text+"\n", n), "\n")
		at := r.from
		switch {
		case r.lines:
		case c.op != "":
			put, at = "\n"+put+"\n", at+1
		case c.name == "P":
			r.from = t.start(r.from)
			r.to, at, put = r.from, r.from, put+"\n"
		default:
			r.from = t.end(r.from)
			r.to, at, put = r.from, r.from+1, "\n"+put
		}
		e.change(r, put)
		e.at = e.text.first(at)
		return
	}
	if c.op == "" && c.name == "p" && !t.atEnd(r.from) {
		r.from = t.next(r.from)
		r.to = r.from
	}
	put := repeat(reg.Text, n)
	if e.change(r, put); strings.Contains(put, "\n") {
		e.at = r.from
	} else {
		e.at = max(e.text.prev(r.from+len(put)), r.from)
	}
}

// join joins the lines of a region, or its line and the next, with a space between them.
func (e *Editor) join(r region) {
	t := e.text
	if t.end(r.from) == r.to {
		r.to = t.end(t.down(r.to, 1))
	}
	if t.end(r.from) == r.to {
		return
	}
	var joined []byte
	for i, l := range strings.Split(string(t[r.from:r.to]), "\n") {
		if i > 0 {
			e.at = r.from + len(joined)
			l = strings.TrimLeft(l, " \t")
			if last := len(joined) - 1; l != "" && l[0] != ')' && last >= 0 && joined[last] != ' ' && joined[last] != '\t' {
				joined = append(joined, ' ')
			}
		}
		joined = append(joined, l...)
	}
	e.change(r, string(joined))
}

// shift indents lines, or removes indentation.
func (e *Editor) shift(c command, r region) {
	width := map[string]int{">": shiftWidth, "<": -shiftWidth}[c.op]
	if c.name == c.op {
		width *= c.n() // of a visual selection
	}
	lines := strings.Split(string(e.text[r.from:r.to]), "\n")
	for i, l := range lines {
		if rest := strings.TrimLeft(l, " \t"); l != "" {
			had := e.Width(strings.ReplaceAll(l[:len(l)-len(rest)], "\t", strings.Repeat(" ", shiftWidth)))
			lines[i] = strings.Repeat(" ", max(had+width, 0)) + rest
		}
	}
	e.change(r, strings.Join(lines, "\n"))
	e.at = e.text.first(r.from)
}

// changed returns a text with its characters replaced (r) or in another case.
func changed(c command, content string) string {
	swap := func(r rune) rune {
		if l := unicode.ToLower(r); l != r {
			return l
		}
		return unicode.ToUpper(r)
	}
	switch {
	case c.op == "gu":
		return strings.ToLower(content)
	case c.op == "gU":
		return strings.ToUpper(content)
	case c.name != "r":
		return strings.Map(swap, content)
	case c.arg == "\n" && c.op == "":
		return c.arg
	}
	var b strings.Builder
	for t, at := text(content), 0; at < len(t); at = t.next(at) {
		if t[at] == '\n' {
			b.WriteByte('\n')
		} else {
			b.WriteString(c.arg)
		}
	}
	return b.String()
}
