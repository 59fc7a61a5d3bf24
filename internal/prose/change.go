package prose

import (
	"slices"
	"strings"
	"unicode/utf8"

	"chatvault/internal/prosediff"
	"chatvault/internal/terminal"
	"chatvault/internal/text"
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

// words draws a line with changed words, and the unchanged text near them.
func (v *View) words(sign string, spans []prosediff.Span, open, begin, end string) {
	var pieces []piece
	for i, s := range spans {
		body := s.Text
		if i+1 == len(spans) {
			body = strings.TrimSuffix(body, "\n")
		}
		switch {
		case body == "":
		case s.Changed:
			body = shown(body)
			if strings.Trim(body, " ") == "" {
				body = strings.ReplaceAll(body, " ", "·") // a struck space is invisible
			}
			if v.marks {
				body = begin + body + end
			}
			pieces = append(pieces, piece{body, open})
		default:
			head, left, tail := shortened(body, i == 0, i+1 == len(spans))
			pieces = append(pieces, piece{text: shown(head)})
			if left > 0 { // the remark has its own row, which no text can imitate
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

// ambiguous reports whether a text contains the brackets that mark words.
func ambiguous(text string) bool {
	for _, m := range []string{"[-", "-]", "{+", "+}"} {
		if strings.Contains(text, m) {
			return true
		}
	}
	return false
}

// shortened returns the shown parts of unchanged text and the number of characters between them. first and last report
// whether there is no change before or after it.
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

// shown returns a line of a note with invisible characters named.
func shown(line string) string {
	return strings.ReplaceAll(terminal.StrictLine(line), "␉", "␉   ")
}
