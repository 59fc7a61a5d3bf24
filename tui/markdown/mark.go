package markdown

import (
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Marks say in drawn lines where a reference is. They are hyperlinks, which Lip Gloss takes along
// where it breaks a line, to what is no URL. Nothing that is untrusted can hold one, and Dress takes
// them away again.
const (
	markStart = "\x1b]8;;R"
	markStop  = "\a"
	markEnd   = "\x1b]8;;\a"
)

// openRef begins reference n.
func openRef(n uint16) string { return markStart + strconv.Itoa(int(n)) + markStop }

// eachRef goes through the references of a drawn line, until visit is false: what stands before each, its number
// from 0, and its drawn text. rest is what it did not go through.
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

// Dress gives a line without its marks; dress is called with the number of each reference, from
// 0, and its drawn text, and returns what is to stand there.
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

// MarksIn calls do with the number of each reference of a line, from 0.
func MarksIn(line string, do func(n int)) {
	eachRef(line, func(_ string, n int, _ string) bool {
		do(n)
		return true
	})
}

// MarkAt is the number of the reference, from 0, that a cell of a drawn line belongs to; -1: none.
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
