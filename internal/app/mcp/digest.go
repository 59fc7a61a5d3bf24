package mcp

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"chatvault/internal/base/text"
)

// digest describes a diff in two lines, for clients that show no more.
type digest struct {
	hunks          string // the diff without the lines that name its file
	removed, added int
	line           int      // number of the first changed line in the old text
	lines          []string // the first line removed and the first one added, or the first two of one kind
	whole          bool     // lines are all that changes
}

// Bounds of a digest's lines, in characters.
const (
	maxDigestLine = 80
	digestContext = 20 // before what differs
)

func digestOf(diff string) (d digest) {
	var minus, plus []string
	old := 0
	if i := strings.Index(diff, "@@ "); i >= 0 {
		d.hunks = diff[i:]
	}
	for line := range strings.Lines(d.hunks) {
		line = strings.TrimRight(line, "\r\n")
		if d.removed+d.added == 0 {
			_, _ = fmt.Sscanf(line, "@@ -%d", &old) // other lines leave it as it is
			if d.line = old; strings.HasPrefix(line, " ") {
				old++
			}
		}
		switch {
		case strings.HasPrefix(line, "-"):
			if d.removed++; strings.TrimSpace(line[1:]) != "" {
				minus = append(minus, line[1:])
			}
		case strings.HasPrefix(line, "+"):
			if d.added++; strings.TrimSpace(line[1:]) != "" {
				plus = append(plus, line[1:])
			}
		}
	}
	d.whole = len(minus) <= 1 && len(plus) <= 1 && len(minus)+len(plus) > 0
	clip := func(mark, line string, from int) {
		shown := text.Clip(string([]rune(line)[from:]), maxDigestLine)
		d.whole = d.whole && shown == line
		d.lines = append(d.lines, mark+strings.Repeat("…", min(from, 1))+shown)
	}
	from, most := 0, 2
	if len(minus) > 0 && len(plus) > 0 {
		from, most = differs(minus[0], plus[0]), 1
	}
	for _, line := range minus[:min(len(minus), most)] {
		clip("-", line, from)
	}
	for _, line := range plus[:min(len(plus), most)] {
		clip("+", line, from)
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

// size describes how much changes.
func (d digest) size() string {
	switch {
	case d.removed == 0:
		return "+" + text.Count(d.added, "line")
	case d.added == 0:
		return "−" + text.Count(d.removed, "line")
	}
	return fmt.Sprintf("−%d +%d lines", d.removed, d.added)
}
