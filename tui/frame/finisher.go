package frame

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/terminal"
	"chatvault/tui/phrase"
	"chatvault/tui/theme"
)

// Finisher makes frames of lines. It remembers what it made of the lines of the
// frame before: most are the same in the next.
type Finisher struct {
	margin, width int
	last, next    map[string]string
	// From and up to line To the mark stands in the margin.
	From, To int
	Mark     string

	x, y  int // of the cursor
	shown bool
}

// Cursor is the cell of the frame where the cursor stands; ok is false where it has none.
func (f *Finisher) Cursor() (x, y int, ok bool) { return f.x, f.y, f.shown }

// Finish gives a frame of exactly height lines: margin, filter, bounded width. The mark theme.Cursor goes.
func (f *Finisher) Finish(lines []string, margin, width, height int) string {
	if f.last == nil || f.margin != margin || f.width != width {
		f.margin, f.width, f.last, f.next = margin, width, map[string]string{}, map[string]string{}
	}
	f.shown = false
	var b strings.Builder
	pad := strings.Repeat(" ", margin)
	for i := range height {
		if i > 0 {
			b.WriteByte('\n')
		}
		marked := margin > 0 && i >= f.From && i < f.To
		if i >= len(lines) || lines[i] == "" && !marked {
			continue
		}
		if marked {
			b.WriteString(pad[1:] + f.Mark)
		} else {
			b.WriteString(pad)
		}
		before, after, ok := strings.Cut(lines[i], theme.Cursor)
		if ok {
			f.x, f.y, f.shown = min(margin+ansi.StringWidth(before), width-1), i, true
		}
		line, known := f.last[lines[i]]
		if !known {
			line = phrase.Fit(terminal.Rendered(before+after), width-margin)
		}
		f.next[lines[i]] = line
		b.WriteString(line)
	}
	f.last, f.next = f.next, f.last
	clear(f.next)
	return b.String()
}

// Rule is a dividing line, with a title in its middle, which may be empty.
func Rule(s *theme.Styles, title string, width int) string {
	line := func(cells int) string { return theme.Styled(s.Rule, strings.Repeat("─", cells)) }
	if title == "" {
		return line(width)
	}
	title = ansi.Truncate(title, width, "…")
	side := max(width-ansi.StringWidth(title)-2, 0)
	if side < 4 {
		return title
	}
	return line(side/2) + " " + title + " " + line(side-side/2)
}
