package terminal

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"chatvault/internal/base/text"
)

// Runs of blanks longer than these are replaced by their length, since they push text out of view.
const (
	maxBlanks   = 32
	maxLineEnds = 8
)

// Strict makes multi-line text safe for approval prompts, where nothing may be hidden: characters that Text would
// drop, and blanks other than spaces, are shown by code, <U+202E>; invalid UTF-8 as <0x9B>; long runs of blanks by
// length, ␣×1,600. The joiners and selectors of ordinary emoji and of scripts that need them remain, as does the
// ideographic space.
func Strict(s string) string { return strictly(s, strict, &cleaner{}) }

// StrictLine is Strict for a single line; line ends and tabs are shown as symbols.
func StrictLine(s string) string { return strictly(s, oneLine|strict, &cleaner{}) }

// Unseen describes the invisible characters in texts and how Strict shows them; empty if there are none. Joiners and
// selectors that remain are not counted.
func Unseen(texts ...string) string {
	var all cleaner
	for _, s := range texts {
		strictly(s, strict, &all)
	}
	if all.named == 0 {
		return ""
	}
	return text.Count(all.named, "invisible character") + ", shown as <U+…>"
}

// strictly cleans s and adds to total the characters named.
func strictly(s string, f form, total *cleaner) string {
	var b strings.Builder
	for {
		from, to := longRun(s)
		if from == len(s) && b.Len() == 0 && isPlain(s, f) {
			return s
		}
		c := cleaner{form: f}
		out, _ := c.feed(nil, s[:from], true)
		total.named += c.named
		b.Write(out)
		if from == to {
			return b.String()
		}
		b.WriteString(total.lengths(s[from:to]))
		if f&oneLine == 0 && strings.Contains(s[from:to], "\n") {
			b.WriteByte('\n')
		}
		s = s[to:]
	}
}

// longRun returns the bounds of the first overlong run of blanks or of one invisible character, or len(s) twice.
func longRun(s string) (from, to int) {
	var of rune
	n, lines := 0, 0
	for i, r := range s {
		kind := rune(0)
		switch {
		case isBlank(r), r == ' ', r == '\t', r == '\n', r == '\r':
			kind = ' '
		case r > 0x7f && unseen(classify(r)):
			kind = r
		}
		if kind != of || kind == 0 {
			if n > maxBlanks || lines > maxLineEnds {
				return from, i
			}
			of, from, n, lines = kind, i, 0, 0
		}
		if kind != 0 {
			n++
		}
		if r == '\n' {
			lines++
		}
	}
	if n > maxBlanks || lines > maxLineEnds {
		return from, len(s)
	}
	return len(s), len(s)
}

// lengths describes a run by the count of each of its characters.
func (c *cleaner) lengths(s string) string {
	var parts []string
	for s != "" {
		r, _ := utf8.DecodeRuneInString(s)
		rest := strings.ReplaceAll(s, string(r), "")
		n := (len(s) - len(rest)) / len(string(r))
		name, ok := map[rune]string{' ': "␣", '\t': "␉", '\n': "␊", '\r': "␍"}[r]
		if !ok {
			name = fmt.Sprintf("<U+%04X>", r)
			c.named += n
		}
		parts = append(parts, name+"×"+text.Thousands(n))
		s = rest
	}
	return strings.Join(parts, " ")
}

func unseen(k class) bool { return k == hidden || k == joiner || k == selector || k == blank }

// isBlank reports whether a non-ASCII rune shows as a blank.
func isBlank(r rune) bool {
	return r == 0xa0 || r == 0x1680 || r >= 0x2000 && r <= 0x200a || r == 0x202f || r == 0x205f || r == 0x2800 || r == 0x3000
}
