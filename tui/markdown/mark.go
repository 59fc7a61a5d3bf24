package markdown

import (
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Marks say in drawn lines where a reference is, and where what was looked for begins. They are
// application program commands (ECMA-48, 8.3.2) of no width, which nothing that is untrusted can
// hold: Dress and TakeSeek take them away again, and what they left would not pass the screen's
// filter.
const (
	markStart = "\x1b_R"
	markStop  = "\x1b\\"
	markEnd   = "\x1b_/\x1b\\"
	seekMark  = "\x1b_L\x1b\\"
)

// openRef begins reference n; 0 is none.
func openRef(n uint16) string {
	if n == 0 {
		return ""
	}
	return markStart + strconv.Itoa(int(n)) + markStop
}

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

// TakeSeek finds the line in which what a Stream looked for begins, -1 where it is in none, and
// takes its marks away.
func TakeSeek(lines []string) int {
	at := -1
	for i, l := range lines {
		if strings.Contains(l, seekMark) {
			if at < 0 {
				at = i
			}
			lines[i] = strings.ReplaceAll(l, seekMark, "")
		}
	}
	return at
}

// seek is a place in a text that is looked for as the text is drawn.
type seek struct {
	at    int // bytes of the whole text
	base  int // where what is drawn now begins in it
	found bool
}

// passes says whether what ends at stop, in what is drawn now, is the first to hold the place, or
// to come after it.
func (s *seek) passes(stop int) bool {
	if s == nil || s.found || s.base+stop <= s.at {
		return false
	}
	s.found = true
	return true
}

// state and back take back that the place was found since.
func (s *seek) state() bool { return s != nil && s.found }

func (s *seek) back(found bool) {
	if s != nil {
		s.found = found
	}
}

// mark marks the line of a block that holds the place; stops are where the block's lines end in
// what is drawn now.
func (s *seek) mark(spans []span, stops []int) []span {
	for i, stop := range stops {
		if s.passes(stop) {
			return markLine(spans, i)
		}
	}
	return spans
}

// markLine marks what begins after n line breaks.
func markLine(spans []span, n int) []span {
	var out []span
	for i, s := range spans {
		at := 0
		for n > 0 {
			j := strings.IndexByte(s.text[at:], '\n')
			if j < 0 {
				break
			}
			at += j + 1
			n--
		}
		if n == 0 && at < len(s.text) {
			if at > 0 {
				before := s
				before.text = s.text[:at]
				out = append(out, before)
			}
			s.text, s.seek = s.text[at:], true
			return append(append(out, s), spans[i+1:]...)
		}
		out = append(out, s)
	}
	return out
}
