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
// text. It returns the rest of the line.
func eachRef(line string, visit func(before string, n int, text string)) (rest string) {
	for {
		before, rest, found := strings.Cut(line, markStart)
		if !found {
			return line
		}
		number, rest, _ := strings.Cut(rest, markStop)
		text, after, _ := strings.Cut(rest, markEnd)
		n, _ := strconv.Atoi(number)
		visit(before, n-1, text)
		line = after
	}
}

// Dress returns a line without marks, with the text of each reference replaced by the result of dress. n counts from
// 0.
func Dress(line string, dress func(n int, text string) string) string {
	var b strings.Builder
	rest := eachRef(line, func(before string, n int, text string) { b.WriteString(before + dress(n, text)) })
	return b.String() + rest
}

// Mark is a reference in a drawn line: its number, from 0, and its cells.
type Mark struct{ Number, From, To int }

// Marks returns the references in a drawn line.
func Marks(line string) []Mark {
	var all []Mark
	at := 0
	eachRef(line, func(before string, n int, text string) {
		from := at + ansi.StringWidth(before)
		at = from + ansi.StringWidth(text)
		all = append(all, Mark{n, from, at})
	})
	return all
}
