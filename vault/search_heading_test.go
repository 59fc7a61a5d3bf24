package vault

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// fencedLines says of each line whether it is in fenced code, line by line.
func fencedLines(text []byte) (starts []int, fenced []bool) {
	var fence byte
	width, pos := 0, 0
	for line := range bytes.Lines(text) {
		starts, fenced = append(starts, pos), append(fenced, fence != 0)
		pos += len(line)
		line = unindented(line)
		if len(line) == 0 || line[0] != '`' && line[0] != '~' {
			continue
		}
		rest := bytes.TrimLeft(line, string(line[:1]))
		n := len(line) - len(rest)
		switch {
		case fence == 0 && n >= 3 && (line[0] == '~' || !bytes.Contains(rest, []byte("`"))):
			fence, width = line[0], n
		case fence == line[0] && n >= width && len(bytes.TrimSpace(rest)) == 0:
			fence = 0
		}
	}
	return starts, fenced
}

func TestPropertyFencesAreFollowed(t *testing.T) {
	part := rapid.SampledFrom([]string{"```", "~~~", "`", "~", "````", " ", "    ", "\n", "\n", "\n", "\r\n", "go", "# a"})
	rapid.Check(t, func(rt *rapid.T) {
		text := []byte(strings.Join(rapid.SliceOfN(part, 0, 60).Draw(rt, "text"), ""))
		starts, fenced := fencedLines(text)
		var h headings
		h.begin(text, false)
		for i, start := range starts {
			if rapid.IntRange(0, 2).Draw(rt, "asked") > 0 { // only some lines are hits
				continue
			}
			if h.advance(text, start); h.fence != 0 != fenced[i] {
				rt.Fatalf("line %d of %q: in fenced code %v", i, text, !fenced[i])
			}
		}
	})
}
