package tools

import (
	"fmt"
	"hash/maphash"
	"strings"
)

// longLine is the length, in bytes, from which a line is cut before it is compared and not after: a
// line of megabytes would be copied several times, to be cut in the end.
const longLine = 64 << 10

// hasLongLine says whether a text has a line to be cut first.
func hasLongLine(text string) bool {
	for len(text) > longLine {
		i := strings.LastIndexByte(text[:longLine], '\n')
		if i < 0 {
			return true
		}
		text = text[i+1:]
	}
	return false
}

var lineSeed = maphash.MakeSeed()

// markLength is that of the mark of a line that was cut: NUL, and what tells it from others that
// begin as it does.
const markLength = 1 + 16

// withShortLines is a text with its long lines cut as shortLine does, and marked so that two of
// them are the same only where they were before.
func withShortLines(text string, limit int) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if len(line) <= longLine {
			b.WriteString(line)
			continue
		}
		body, ended := strings.CutSuffix(line, "\n")
		b.WriteString(shortLine(body, limit))
		fmt.Fprintf(&b, "\x00%016x", maphash.String(lineSeed, body))
		if ended {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// diffLine is a line as a diff shows it: cut where it is too long, and without the mark of one that
// was cut already.
func diffLine(line string, limit int) string {
	body, ended := strings.CutSuffix(line, "\n")
	at := len(body) - markLength
	if at < 0 || body[at] != 0 || !strings.HasSuffix(body[:at], "]") {
		return shortLine(line, limit)
	}
	if ended {
		return body[:at] + "\n"
	}
	return body[:at]
}
