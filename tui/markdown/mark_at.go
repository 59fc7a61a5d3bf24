package markdown

import (
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// MarkAt is the number of the reference, from 0, that a cell of a drawn line belongs to; -1: none.
func MarkAt(line string, cell int) int {
	at := 0
	for {
		before, rest, found := strings.Cut(line, markStart)
		if at += ansi.StringWidth(before); !found || cell < at {
			return -1
		}
		number, rest, _ := strings.Cut(rest, markStop)
		text, after, _ := strings.Cut(rest, markEnd)
		if at += ansi.StringWidth(text); cell < at {
			n, err := strconv.Atoi(number)
			if err != nil {
				return -1
			}
			return n - 1
		}
		line = after
	}
}
