package prosediff

import (
	"cmp"
	"strconv"
	"strings"

	"chatvault/internal/base/lazyregexp"
)

// FromUnified parses a unified diff of one file, which has only the lines around changes. It ends at a line that is
// not part of the diff, such as a remark about omitted lines. ok is false if there is
// no hunk.
func FromUnified(diff string) (d *Diff, ok bool) {
	d = &Diff{}
	rest := strings.SplitAfter(strings.TrimSuffix(diff, "\n")+"\n", "\n")
	for len(rest) > 0 && (strings.HasPrefix(rest[0], "--- ") || strings.HasPrefix(rest[0], "+++ ")) {
		rest = rest[1:]
	}
	all, rest := hunks(rest)
	for _, h := range all {
		if len(h.shown) > 0 {
			h.shown[0].Gap = len(d.Lines) > 0 || h.oldLine > 1
		}
		d.Lines = append(d.Lines, h.shown...)
	}
	if ok = len(all) > 0; ok {
		d.Remark = strings.TrimSpace(strings.Join(rest, ""))
	}
	if s := newSide(joined(d.Lines)); s.end == "\r\n" {
		d.old.end, d.new.end = s.end, s.end
		for i, l := range d.Lines {
			if body, ended := strings.CutSuffix(l.Text, s.end); ended {
				d.Lines[i].Text = body + "\n"
			}
		}
	}
	d.group()
	return d, ok
}

// Part is a part of a text that contains unified diffs: a diff, or text around it.
type Part struct {
	Text string
	Diff bool
	Name string // Diff: the file as named in the diff; empty if it was deleted
}

// Parts splits a text into its unified diffs and the text around them. A diff starts with the two lines that name its
// files, and its length follows from its hunks.
func Parts(text string) []Part {
	var out []Part
	lines := strings.SplitAfter(text, "\n")
	from := 0
	around := func(to int) {
		if said := strings.Join(lines[from:to], ""); strings.TrimSpace(said) != "" {
			out = append(out, Part{Text: said})
		}
	}
	for i := 0; i+2 < len(lines); i++ {
		name, ok := strings.CutPrefix(lines[i+1], "+++ ")
		if !ok || !strings.HasPrefix(lines[i], "--- ") {
			continue
		}
		all, rest := hunks(lines[i+2:])
		if len(all) == 0 {
			continue
		}
		end := len(lines) - len(rest)
		around(i)
		out = append(out, Part{Text: strings.Join(lines[i:end], ""), Diff: true, Name: strings.Trim(strings.TrimSpace(name), `"`)})
		from, i = end, end-1
	}
	around(len(lines))
	return out
}

// Excerpt is a hunk of a unified diff.
type Excerpt struct {
	Name          string // of the file, as named in the diff
	Before, After string
	Added         bool // the file is new
	Line          int  // where the hunk starts in the new text, from 1
}

// Excerpts returns the hunks of unified diffs, possibly of several files. whole is false if the text was truncated.
func Excerpts(diff string) (out []Excerpt, whole bool) {
	whole = true
	for _, p := range Parts(strings.TrimSuffix(diff, "\n") + "\n") {
		if !p.Diff {
			whole = false
			continue
		}
		all, _ := hunks(strings.SplitAfter(p.Text, "\n")[2:])
		for _, h := range all {
			e := Excerpt{Name: p.Name, Added: h.oldLine == 0, Line: max(h.newLine, 1)}
			for _, l := range h.shown {
				if l.Op != Added {
					e.Before += l.Text
				}
				if l.Op != Removed {
					e.After += l.Text
				}
			}
			out, whole = append(out, e), whole && h.whole
		}
	}
	return out, whole
}

// hunk is a hunk of a unified diff. It is not whole if it was truncated.
type hunk struct {
	header
	shown []Line
	whole bool
}

// hunks returns the hunks at the beginning, and the lines after them.
func hunks(in []string) (all []hunk, rest []string) {
	for len(in) > 0 {
		head, ok := hunkHeader(in[0])
		if !ok {
			break
		}
		h := hunk{header: head}
		h.shown, in, h.whole = head.lines(in[1:])
		all = append(all, h)
	}
	return all, in
}

// header is a hunk's header: where it starts in both texts, and how many lines of each it has.
type header struct{ oldLine, oldLines, newLine, newLines int }

var headerForm = lazyregexp.New(`^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@`)

// hunkHeader parses "@@ -3,7 +3,8 @@".
func hunkHeader(line string) (h header, ok bool) {
	m := headerForm().FindStringSubmatch(line)
	if m == nil {
		return h, false
	}
	for i, to := range []*int{&h.oldLine, &h.oldLines, &h.newLine, &h.newLines} {
		*to, _ = strconv.Atoi(cmp.Or(m[i+1], "1")) // a number of lines may be missing
	}
	return h, true
}

// lines returns the lines of a hunk, and those after it. A truncated hunk is not whole and ends at the first other
// line.
func (h header) lines(in []string) (out []Line, rest []string, whole bool) {
	left, leftNew := h.oldLines, h.newLines
	old, now := max(h.oldLine, 1), max(h.newLine, 1)
	for len(in) > 0 && in[0] != "" && (left > 0 || leftNew > 0 || in[0][0] == '\\') {
		sign, text := in[0][0], in[0][1:]
		if sign == '\n' {
			sign, text = ' ', "\n"
		}
		l := Line{Op: Same, Text: text, Number: old}
		switch {
		case sign == '\\': // no line end at the end of the text
			if n := len(out) - 1; n >= 0 {
				out[n].Text = strings.TrimSuffix(out[n].Text, "\n")
			}
			in = in[1:]
			continue
		case sign == ' ' && left > 0 && leftNew > 0:
			left, leftNew, old, now = left-1, leftNew-1, old+1, now+1
		case sign == '-' && left > 0:
			l.Op = Removed
			left, old = left-1, old+1
		case sign == '+' && leftNew > 0:
			l.Op, l.Number = Added, now
			leftNew, now = leftNew-1, now+1
		default:
			return out, in, false
		}
		out, in = append(out, l), in[1:]
	}
	return out, in, left == 0 && leftNew == 0
}
