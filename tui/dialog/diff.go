package dialog

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/rivo/uniseg"

	"chatvault/tui/safe"
	"chatvault/tui/theme"
)

// Bounds of what is drawn of a diff. Whatever they leave out is said in its place.
const (
	maxDiff     = 256 << 10 // bytes
	maxDiffRows = 40        // of one line
)

// change is a unified diff as it is shown: every row begins with its sign, and rows that go on
// a line with the sign and a bar, so that no text can pass for another line.
type change struct {
	text           string // at most maxDiff of it
	added, removed int    // lines of the whole
	left           int    // lines that are not shown
	crlf           bool   // every line ends in CR LF: said once, instead of at every line
	styles         *theme.Styles

	rows  []string
	first int // of rows: the first that is added or removed; -1: none is
	width int // of rows; 0: none were made
}

// newChange takes a unified diff; its header, which names the file, is left to the dialog.
func newChange(s *theme.Styles, diff string) *change {
	c := &change{styles: s, text: strings.TrimRight(body(diff), "\n")}
	c.added, c.removed = counts(c.text)
	c.crlf = allCRLF(c.text)
	if len(c.text) > maxDiff {
		end := strings.LastIndexByte(c.text[:maxDiff], '\n')
		if end < 0 {
			end = maxDiff
		}
		c.left = strings.Count(c.text[end:], "\n")
		c.text = c.text[:end]
	}
	return c
}

// body is a diff without the two lines before its first hunk.
func body(diff string) string {
	rest := diff
	for strings.HasPrefix(rest, "--- ") || strings.HasPrefix(rest, "+++ ") {
		_, after, more := strings.Cut(rest, "\n")
		if !more {
			return ""
		}
		rest = after
	}
	if strings.HasPrefix(rest, "@@") {
		return rest
	}
	return diff
}

// allCRLF says whether every line of a diff's text ends in CR LF.
func allCRLF(diff string) bool {
	found := false
	for line := range strings.SplitSeq(diff, "\n") {
		if line == "" || line[0] != '+' && line[0] != '-' && line[0] != ' ' {
			continue
		}
		if !strings.HasSuffix(line, "\r") {
			return false
		}
		found = true
	}
	return found
}

// empty says that there is nothing to show.
func (c *change) empty() bool { return c.text == "" }

// draw gives the rows for a width.
func (c *change) draw(width int) []string {
	if c.empty() || c.width == width {
		return c.rows
	}
	c.width, c.rows, c.first = width, nil, -1
	if c.crlf {
		c.note("Its lines end in CR LF, and go on to.")
	}
	for line := range strings.SplitSeq(c.text, "\n") {
		c.line(line)
	}
	if c.left > 0 {
		c.note(fmt.Sprintf("… %d more %s of this change: too many to show here", c.left, plural(c.left, "line")))
	}
	return c.rows
}

func (c *change) note(text string) {
	c.rows = append(c.rows, c.styles.Muted.Render(ansi.Truncate(safe.StrictLine(text), c.width, "…")))
}

// line draws one line of the diff.
func (c *change) line(line string) {
	s := c.styles
	if at, ok := hunk(line); ok {
		c.note(at)
		return
	}
	sign, text := " ", ""
	if line != "" {
		sign, text = line[:1], line[1:]
	}
	open := ""
	switch sign {
	case "+":
		open = theme.Open(s.OK)
	case "-":
		open = theme.Open(s.Error)
	case " ":
	case `\`:
		c.note("(no line end at the end of the note)")
		return
	default: // what the tool says about the diff
		c.note(line)
		return
	}
	if c.first < 0 && sign != " " {
		c.first = len(c.rows)
	}
	if c.crlf {
		text = strings.TrimSuffix(text, "\r")
	}
	shown := strings.ReplaceAll(safe.StrictLine(text), "␉", "␉   ")
	rows := breakLine(shown, max(c.width-2, 1))
	if len(rows) > maxDiffRows {
		more := len([]rune(strings.Join(rows[maxDiffRows:], "")))
		rows = append(rows[:maxDiffRows], fmt.Sprintf("… %d more characters in this line", more))
	}
	for i, row := range rows {
		gutter := " "
		if i > 0 {
			gutter = "┊"
		}
		row = sign + gutter + row
		if open != "" {
			row = open + row + theme.Reset
		}
		c.rows = append(c.rows, row)
	}
}

// breakLine is breakAfter spaces.
func breakLine(line string, width int) []string { return breakAfter(line, " ", width) }

// breakAfter cuts a line into rows of at most width cells, after one of the characters of ends
// where there is one in the row's second half. Put together the rows are the line: nothing is
// dropped.
func breakAfter(line, ends string, width int) []string {
	if len(line) <= width { // cells never outnumber bytes
		return []string{line}
	}
	var rows []string
	start, space, cells := 0, 0, 0 // of the row: where it begins, after the last of ends in it, its width
	state, rest := -1, line
	for rest != "" {
		cluster, w := rest[:1], 1
		if rest[0] < utf8.RuneSelf && (len(rest) == 1 || rest[1] < utf8.RuneSelf) {
			rest, state = rest[1:], -1
		} else {
			cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
			w = ansi.StringWidth(cluster)
		}
		at := len(line) - len(rest) - len(cluster)
		if cells+w > width && at > start {
			end := at
			if cluster != " " && space > start && ansi.StringWidth(line[start:space]) > width/2 {
				end = space
			}
			rows = append(rows, line[start:end])
			start, space, cells = end, end, ansi.StringWidth(line[end:at])
		}
		cells += w
		if strings.Contains(ends, cluster) {
			space = at + 1
		}
	}
	return append(rows, line[start:])
}

// hunk puts a hunk's header, "@@ -3,7 +3,8 @@", into words.
func hunk(line string) (string, bool) {
	rest, ok := strings.CutPrefix(line, "@@ -")
	if !ok {
		return "", false
	}
	old, rest, ok := strings.Cut(rest, " +")
	if !ok {
		return "", false
	}
	now, _, ok := strings.Cut(rest, " @@")
	if !ok {
		return "", false
	}
	from, _, _ := strings.Cut(now, ",")
	if _, err := strconv.Atoi(from); err != nil {
		return "", false
	}
	if from == "0" { // nothing is left: the old lines count
		from, _, _ = strings.Cut(old, ",")
		if _, err := strconv.Atoi(from); err != nil {
			return "", false
		}
	}
	return "from line " + from, true
}

// counts is the number of lines a diff without header adds and removes.
func counts(text string) (added, removed int) {
	for line := range strings.SplitSeq(text, "\n") {
		switch {
		case strings.HasPrefix(line, "+"):
			added++
		case strings.HasPrefix(line, "-"):
			removed++
		}
	}
	return added, removed
}
