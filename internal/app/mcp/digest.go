package mcp

import (
	"strings"
	"unicode/utf8"

	"chatvault/internal/base/text"
)

// digest describes a diff in two lines, for clients that show no more.
type digest struct {
	hunks          string // the diff without the lines that name its file
	removed, added int
	lines          []string // the first line removed and the first one added
}

// Bounds of a digest's lines, in characters.
const (
	maxDigestLine = 80
	digestContext = 20 // before what differs
)

func digestOf(diff string) (d digest) {
	if i := strings.Index(diff, "@@ "); i >= 0 {
		d.hunks = diff[i:]
	}
	first := map[string]string{} // line that is not blank, by its mark
	for line := range strings.Lines(d.hunks) {
		mark, rest := line[:1], strings.TrimRight(line[1:], "\r\n")
		switch mark {
		case "-":
			d.removed++
		case "+":
			d.added++
		}
		if first[mark] == "" && !text.Blank(rest) {
			first[mark] = rest
		}
	}
	from := differs(first["-"], first["+"])
	for _, mark := range []string{"-", "+"} {
		if line := []rune(first[mark]); len(line) > 0 {
			d.lines = append(d.lines, mark+strings.Repeat("…", min(from, 1))+text.Clip(string(line[from:]), maxDigestLine))
		}
	}
	return d
}

// differs returns where to begin to show two lines, in characters, so that their first difference is visible.
func differs(a, b string) int {
	same := utf8.RuneCountInString(a[:text.CommonPrefix(a, b)])
	if same < maxDigestLine/2 {
		return 0
	}
	return same - digestContext
}
