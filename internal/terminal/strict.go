package terminal

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"chatvault/internal/text"
)

// Longer runs of blanks than these are shown by their number: they push what follows out of sight.
const (
	maxBlanks   = 32
	maxLineEnds = 8
)

// Strict makes text of several lines safe for a person who is asked to agree to it, so that nothing of it is
// hidden: what Text would drop, and blanks that are not spaces, are shown by their codes, <U+202E>, a byte that is not
// UTF-8 as <0x9B>, and a long run of blanks by its length, ␣×1,600. The joiners and selectors of ordinary
// emoji and of scripts that need them stay, as does the ideographic space.
func Strict(s string) string { return strictly(s, strict, &cleaner{}) }

// StrictLine is Strict for one line; line ends and tabs show as symbols.
func StrictLine(s string) string { return strictly(s, oneLine|strict, &cleaner{}) }

// Unseen says how many characters of some texts a person would not see, and how Strict shows them; empty if
// there are none. Joiners and selectors that stay are counted where there are others, too.
func Unseen(texts ...string) string {
	var all cleaner
	for _, s := range texts {
		strictly(s, strict, &all)
	}
	if all.named == 0 {
		return ""
	}
	out := text.Count(all.named, "invisible character") + ", shown as <U+…>"
	if all.kept > 0 {
		out += fmt.Sprintf("; %d more in emoji and letters", all.kept)
	}
	return out
}

// strictly counts in total what it names and keeps.
func strictly(s string, f form, total *cleaner) string {
	var b strings.Builder
	for {
		from, to := longRun(s)
		if from == len(s) && b.Len() == 0 && plainPrefix(s, f) == len(s) {
			return s
		}
		c := cleaner{form: f, base: startOfLine}
		out, _ := c.feed(nil, s[:from], true)
		total.named, total.kept = total.named+c.named, total.kept+c.kept
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

// longRun returns where a run of blanks, or of one invisible character, is that is too long to stand as it is;
// if there is none, the end twice.
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

// lengths shows a run by how often each of its characters is in it.
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

// isBlank reports whether a rune other than those of ASCII shows as a blank.
func isBlank(r rune) bool {
	return r == 0xa0 || r == 0x1680 || r >= 0x2000 && r <= 0x200a || r == 0x202f || r == 0x205f || r == 0x2800 || r == 0x3000
}
