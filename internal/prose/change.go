package prose

import (
	"slices"
	"strings"
	"unicode/utf8"

	"chatvault/internal/prosediff"
	"chatvault/internal/terminal"
	"chatvault/internal/text"
)

// The signs that rows of a note begin with. Rows that continue a line have a bar after it.
const (
	unchanged = " "
	added     = "+"
	removed   = "-"
)

// piece is text in one style.
type piece struct {
	text string // safe
	open string // begins the style; empty: it has none
}

// change draws a line that is added or removed.
func (v *View) change(l *prosediff.Line) {
	sign, whole, word, begin, end := added, v.styles.Plus, v.styles.Added, "{+", "+}"
	if l.Op == prosediff.Removed {
		sign, whole, word, begin, end = removed, v.styles.Minus, v.styles.Removed, "[-", "-]"
	}
	body := strings.TrimSuffix(l.Text, v.end)
	if l.Words == nil || v.marks && ambiguous(l.Text) {
		v.line(sign, []piece{{shown(body), whole}})
	} else {
		v.words(sign, l.Words, word, begin, end)
	}
	if !strings.HasSuffix(l.Text, "\n") {
		v.note("(no line end at the end of the note)")
	}
}

// words draws a line some of whose words change: of what stays, only the parts near them.
func (v *View) words(sign string, spans []prosediff.Span, open, begin, end string) {
	var pieces []piece
	for i, s := range spans {
		body := s.Text
		if i+1 == len(spans) {
			body = strings.TrimSuffix(body, v.end)
		}
		switch {
		case body == "":
		case s.Changed:
			body = shown(body)
			if strings.Trim(body, " ") == "" {
				body = strings.ReplaceAll(body, " ", "·") // a space that is struck cannot be seen
			}
			if v.marks {
				body = begin + body + end
			}
			pieces = append(pieces, piece{body, open})
		default:
			head, left, tail := shortened(body, i == 0, i+1 == len(spans))
			pieces = append(pieces, piece{text: shown(head)})
			if left > 0 { // said in a row of its own, for which no text can pass
				if head != "" {
					v.line(sign, pieces)
				}
				pieces = nil
				v.note("… " + text.Count(left, "character") + " unchanged …")
			}
			pieces = append(pieces, piece{text: shown(tail)})
		}
	}
	if tail := slices.ContainsFunc(pieces, func(p piece) bool { return p.text != "" }); tail || len(spans) == 1 {
		v.line(sign, pieces)
	}
}

// ambiguous reports whether a text has what marks words.
func ambiguous(text string) bool {
	for _, m := range []string{"[-", "-]", "{+", "+}"} {
		if strings.Contains(text, m) {
			return true
		}
	}
	return false
}

// shortened returns what is shown of a text that stays between two changes, or before the first, or after the
// last: left characters between head and tail are not shown.
func shortened(s string, first, last bool) (head string, left int, tail string) {
	if len(s) <= 2*maxSame {
		return s, 0, ""
	}
	from, to := 0, len(s)
	if !first { // cut after a space if one is near
		from = len(text.Head(s, maxSame))
		if i := strings.LastIndexByte(s[:from], ' '); i > from/2 {
			from = i + 1
		}
	}
	if !last {
		to = len(text.Head(s, len(s)-maxSame))
		if i := strings.IndexByte(s[to:], ' '); i >= 0 && i < maxSame/2 {
			to += i + 1
		}
	}
	return s[:from], utf8.RuneCountInString(s[from:to]), s[to:]
}

// shown is a line of a note as it is shown: nothing that cannot be seen is left out.
func shown(line string) string {
	return strings.ReplaceAll(terminal.StrictLine(line), "␉", "␉   ")
}
