package dialog

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"chatvault/tui/list"
	"chatvault/tui/theme"
)

// readerWidth is the widest that gets what is read, in cells.
const readerWidth = 104

// reading is a dialog in which a column is read.
type reading struct {
	column *list.List
	moved  bool // the reader scrolled
}

// Column is what it shows.
func (r *reading) Column() *list.List { return r.column }

// Scroll moves what it shows down by n lines, up where n is negative.
func (r *reading) Scroll(n int) {
	r.moved = true
	r.column.ScrollUp(max(-n, 0))
	r.column.ScrollDown(max(n, 0))
}

func (r *reading) pageStep() int { return r.column.Page() }

func (r *reading) home() {
	r.moved = true
	r.column.Home()
}

func (r *reading) end() {
	r.moved = true
	r.column.End()
}

// draw puts what is read into room lines, between its title, what there is to know of it, and below it the fixed
// lines and how to use it, the longest way of saying it first: they give way on a small screen.
func (r *reading) draw(
	s *theme.Styles, inner, room int, title string, about func(room int) []string, fixed, foot []string, body func(room int) []string,
) []string {
	room -= len(fixed)
	var head, below []string
	if room >= 3 {
		head = append(head, title)
		room--
	}
	if room >= 6 {
		said := about(room)
		head = append(head, said...)
		room -= len(said)
	}
	if room >= 5 {
		below = []string{s.Muted.Render(fitting(foot, inner))}
		room--
	}
	if room >= 8 {
		head, below = append(head, ""), append([]string{""}, below...)
		room -= 2
		if len(fixed) > 0 {
			fixed = append([]string{""}, fixed...)
			room--
		}
	}
	r.column.SetSize(inner, room)
	lines := body(room)
	if _, more := r.column.Below(); more && len(lines) == room && room > 1 && inner > 4 {
		last := ansi.Truncate(lines[room-1], inner-2, "")
		lines[room-1] = last + strings.Repeat(" ", max(inner-2-ansi.StringWidth(last), 0)) + " " + s.Key.Render("↓")
	}
	return append(append(append(head, lines...), fixed...), below...)
}
