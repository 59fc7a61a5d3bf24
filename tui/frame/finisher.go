package frame

import (
	"strings"

	"chatvault/internal/base/cells"
	"chatvault/internal/base/terminal"
	"chatvault/tui/theme"
)

// Finisher turns lines into frames.
type Finisher struct {
	// The mark is drawn in the margin of the lines [From, To).
	From, To int
	Mark     string

	x, y  int // of the cursor
	shown bool
}

// Cursor returns the cursor's cell in the frame; ok is false if there is no cursor.
func (f *Finisher) Cursor() (x, y int, ok bool) { return f.x, f.y, f.shown }

// Finish returns a frame of exactly height lines, with a margin and bounded width, without control sequences. It
// removes theme.Cursor and records its position.
func (f *Finisher) Finish(lines []string, margin, width, height int) string {
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
			f.x, f.y, f.shown = min(margin+cells.Width(before), width-1), i, true
		}
		b.WriteString(cells.Truncate(terminal.Rendered(before+after), width-margin, ""))
	}
	return b.String()
}

// Rule returns a dividing line with an optional centred title.
func Rule(s *theme.Styles, title string, width int) string {
	line := func(n int) string { return theme.Styled(s.Rule, strings.Repeat("─", n)) }
	if cells.Width(title) == 0 {
		return line(width)
	}
	title = cells.Truncate(title, width, "…")
	side := max(width-cells.Width(title)-2, 0)
	if side < 4 {
		return title
	}
	return line(side/2) + " " + title + " " + line(side-side/2)
}
