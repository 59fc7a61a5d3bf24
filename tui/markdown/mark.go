package markdown

import (
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Marks locate references in drawn lines. They are hyperlinks, which Lip Gloss carries across line breaks, with an
// invalid URL. Untrusted text cannot contain one, and Dress removes them.
const (
	markStart = "\x1b]8;;R"
	markStop  = "\a"
	markEnd   = "\x1b]8;;\a"
)

// openRef returns the mark that begins reference n.
func openRef(n uint16) string { return markStart + strconv.Itoa(int(n)) + markStop }

// eachRef calls visit for each reference of a drawn line, with the text before it, its number from 0, and its drawn
// text, until visit returns false. It returns the rest of the line.
func eachRef(line string, visit func(before string, n int, text string) bool) (rest string) {
	for {
		before, rest, found := strings.Cut(line, markStart)
		if !found {
			return line
		}
		number, rest, _ := strings.Cut(rest, markStop)
		text, after, _ := strings.Cut(rest, markEnd)
		n, err := strconv.Atoi(number)
		if err != nil {
			n = 0
		}
		line = after
		if !visit(before, n-1, text) {
			return line
		}
	}
}

// Dress returns a line without marks, with the text of each reference replaced by the result of dress. n counts from
// 0.
func Dress(line string, dress func(n int, text string) string) string {
	if !strings.Contains(line, markStart) {
		return line
	}
	var b strings.Builder
	rest := eachRef(line, func(before string, n int, text string) bool {
		b.WriteString(before + dress(n, text))
		return true
	})
	return b.String() + rest
}

// MarksIn calls do with the number of each reference in a line, from 0.
func MarksIn(line string, do func(n int)) {
	eachRef(line, func(_ string, n int, _ string) bool {
		do(n)
		return true
	})
}

// MarkAt returns the number of the reference at a cell of a drawn line, from 0, or -1.
func MarkAt(line string, cell int) int {
	at, found := 0, -1
	eachRef(line, func(before string, n int, text string) bool {
		begins := at + ansi.StringWidth(before)
		if at = begins + ansi.StringWidth(text); cell >= begins && cell < at {
			found = n
		}
		return cell >= at
	})
	return found
}
