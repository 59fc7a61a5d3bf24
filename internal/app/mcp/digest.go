package mcp

import (
	"fmt"
	"strings"

	"chatvault/internal/base/text"
)

// digest describes a diff in two lines, for clients that show no more.
type digest struct {
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
	_, hunks, _ := strings.Cut(diff, "\n@@ ")
	for line := range strings.Lines("@@ " + hunks) {
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
	d.whole = len(minus) <= 1 && len(plus) <= 1
	clip := func(mark, line string, from int) {
		all := []rune(line)
		shown := all[from:min(len(all), from+maxDigestLine)]
		if from > 0 {
			mark += "…"
		}
		line = mark + string(shown)
		if from+len(shown) < len(all) {
			line += "…"
		}
		d.whole = d.whole && from == 0 && len(shown) == len(all)
		d.lines = append(d.lines, line)
	}
	switch {
	case len(minus) > 0 && len(plus) > 0:
		from := differs(minus[0], plus[0])
		clip("-", minus[0], from)
		clip("+", plus[0], from)
	case len(plus) > 0:
		for _, line := range plus[:min(len(plus), 2)] {
			clip("+", line, 0)
		}
	default:
		for _, line := range minus[:min(len(minus), 2)] {
			clip("-", line, 0)
		}
	}
	return d
}

// differs returns where to begin to show two lines, in characters, so that their first difference is visible.
func differs(a, b string) int {
	x, y := []rune(a), []rune(b)
	same := 0
	for same < min(len(x), len(y)) && x[same] == y[same] {
		same++
	}
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
