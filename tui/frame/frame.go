// Package frame lays out the screen and builds frames from lines: it decides what is dropped on a small screen and
// adds the margin. A frame is exactly as high as the screen, and no line is wider.
package frame

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/base/cells"
	"chatvault/internal/base/terminal"
	"chatvault/tui/theme"
)

// measure is the maximum width of the chat, in cells; longer lines are hard to read.
const measure = 112

// wideMargin is the margin on each side of a screen that is wide enough.
const wideMargin = 2

// Layout holds sizes in cells and lines.
type Layout struct {
	Margin, Width              int
	Header, Queue, Rule, Input int // lines
	Gap                        int // between the transcript and the parts below
	Tasks                      int // pinned above the queue
	Transcript                 int
	Status                     int
}

// Arrange lays out the screen. On a small screen the least important parts are dropped first: the header, the rule,
// the status line. The composer always remains.
func Arrange(width, height, composerRows, queued, status, tasks int) Layout {
	l := Layout{Margin: wideMargin}
	switch {
	case width < 30:
		l.Margin = 0
	case width < 60:
		l.Margin = 1
	}
	l.Width = max(width-2*l.Margin, 1)
	if l.Width > measure {
		l.Width = measure
		l.Margin = (width - measure) / 2
	}
	left := height
	take := func(want, keep int) int {
		n := max(min(want, left-keep), 0)
		left -= n
		return n
	}
	l.Input = max(take(composerRows, 0), 1)
	l.Status = take(status, 2)
	l.Rule = take(1, 3)
	l.Header = take(2, 6)
	l.Gap = take(1, 16)
	l.Queue = take(queued, 4)
	l.Tasks = take(tasks, 4)
	l.Transcript = max(left, 0)
	return l
}

// Roomy is the height below which an open request takes the space of the header.
const Roomy = 30

// Bare gives the space of the header and of empty lines to the transcript.
func (l Layout) Bare() Layout {
	l.Transcript += l.Header + l.Gap
	l.Header, l.Gap = 0, 0
	return l
}

// Dim redraws lines in a single style, for the background of a dialog.
func Dim(style lipgloss.Style, lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		if l = ansi.Strip(l); l != "" {
			out[i] = style.Render(l)
		}
	}
	return out
}

// Over overlays a box on the middle of lines of the given width. A wide character that is half covered becomes
// blank, as does what is beside a box that leaves only a few cells.
func Over(behind, box []string, width int) []string {
	wide := 0
	for _, l := range box {
		wide = max(wide, cells.Width(l))
	}
	top, left := max((len(behind)-len(box))/2, 0), max((width-wide)/2, 0)
	for i, l := range box[:min(len(box), len(behind))] {
		back := behind[top+i]
		if left < 4 {
			back = ""
		}
		before, after := cells.Truncate(back, left, ""), cells.TruncateLeft(back, left+wide, "")
		after = strings.Repeat(" ", max(cells.Width(back)-left-wide-cells.Width(after), 0)) + after
		behind[top+i] = strings.TrimRight(cells.Pad(before, left)+cells.Pad(l, wide)+after, " ")
	}
	return behind
}

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
