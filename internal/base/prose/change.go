package prose

import (
	"slices"
	"strings"

	"chatvault/internal/base/cells"
	"chatvault/internal/base/prosediff"
	"chatvault/internal/base/terminal"
)

// The signs that begin the rows of a note. In rows that continue a line a bar follows.
const (
	unchanged = " "
	added     = "+"
	removed   = "-"
)

// piece is text in one style.
type piece struct {
	text string // sanitized
	open string // opening sequence of the style; may be empty
}

// change draws an added or removed line.
func (v *View) change(l *prosediff.Line) {
	sign, whole, word, begin, end := added, v.styles.Plus, v.styles.Added, "{+", "+}"
	if l.Op == prosediff.Removed {
		sign, whole, word, begin, end = removed, v.styles.Minus, v.styles.Removed, "[-", "-]"
	}
	body := strings.TrimSuffix(l.Text, "\n")
	if l.Words == nil || v.marks && ambiguous(l.Text) {
		v.line(sign, []piece{{shown(body), whole}})
	} else {
		v.words(sign, l.Words, word, begin, end)
	}
	if !strings.HasSuffix(l.Text, "\n") {
		v.note("(no line end at the end of the note)")
	}
}

// words draws a line with changed words.
func (v *View) words(sign string, spans []prosediff.Span, open, begin, end string) {
	var pieces []piece
	for i, s := range spans {
		body := s.Text
		if i+1 == len(spans) {
			body = strings.TrimSuffix(body, "\n")
		}
		body = shown(body)
		if !s.Changed || body == "" {
			pieces = append(pieces, piece{text: body})
			continue
		}
		if strings.Trim(body, " ") == "" {
			body = strings.ReplaceAll(body, " ", "·") // a struck space is invisible
		}
		if v.marks {
			body = begin + body + end
		}
		pieces = append(pieces, piece{body, open})
	}
	v.line(sign, pieces)
}

// ambiguous reports whether a text contains the brackets that mark words.
func ambiguous(text string) bool {
	return slices.ContainsFunc([]string{"[-", "-]", "{+", "+}"}, func(m string) bool { return strings.Contains(text, m) })
}

// shown returns a line of a note with invisible characters named.
func shown(line string) string {
	return strings.ReplaceAll(terminal.StrictLine(line), "␉", "␉   ")
}

// line draws a line, wrapped to rows.
func (v *View) line(sign string, pieces []piece) {
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(p.text)
	}
	gutter, signed := " ", map[string]string{added: v.styles.Plus, removed: v.styles.Minus}[sign]
	at, offset := 0, 0 // index of the current piece, and the offset in it
	for _, row := range Break(b.String(), " ", max(v.width-2, 1)) {
		var out strings.Builder
		out.WriteString(styled(signed, sign+gutter))
		for left := len(row); left > 0; {
			p := pieces[at]
			text := p.text[offset:min(offset+left, len(p.text))]
			out.WriteString(styled(p.open, text))
			left -= len(text)
			if offset += len(text); offset == len(p.text) {
				at, offset = at+1, 0
			}
		}
		v.rows = append(v.rows, Row{Text: out.String(), Hunk: v.open, Changes: sign != unchanged})
		gutter = "┊"
	}
}

func styled(open, text string) string {
	if open == "" || text == "" {
		return text
	}
	return open + text + reset
}

// Break splits a line into rows of at most width cells, preferably after one of the characters in ends. The rows
// concatenated are the line.
func Break(line, ends string, width int) []string {
	if len(line) <= width { // cells never outnumber bytes
		return []string{line}
	}
	var rows []string
	start, space, used := 0, 0, 0 // of the row: its start, the offset after its last break, its width
	for at := 0; at < len(line); {
		n := cells.First(line[at:])
		cluster, w := line[at:at+n], 1
		if n > 1 {
			w = cells.Most(cluster)
		}
		if used+w > width && at > start {
			end := at
			if space > start && cells.Most(line[start:space]) > width/2 {
				end = space
			}
			rows = append(rows, line[start:end])
			start, space, used = end, end, cells.Most(line[end:at])
		}
		used += w
		if strings.Contains(ends, cluster) {
			space = at + 1
		}
		at += n
	}
	return append(rows, line[start:])
}
