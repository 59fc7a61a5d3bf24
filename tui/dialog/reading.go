package dialog

import (
	"math"
	"slices"
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
	full   bool // a mark that there is more takes no room of it
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

// draw puts what is read into room lines, with what belongs to it around it, as stack does.
func (r *reading) draw(
	s *theme.Styles, inner, room int, title string, about func(room int) []string, fixed, foot []string, body func(room int) []string,
) []string {
	return stack(s, inner, room, math.MaxInt, title, about, fixed, foot, func(room int) []string {
		r.column.SetSize(inner, room)
		lines := body(room)
		if _, more := r.column.Below(); more && !r.full && len(lines) == room && room > 1 && inner > 4 {
			last := ansi.Truncate(lines[room-1], inner-2, "")
			lines[room-1] = last + strings.Repeat(" ", max(inner-2-ansi.StringWidth(last), 0)) + " " + s.Key.Render("↓")
		}
		return lines
	})
}

// stack puts a body of want lines into room lines, between its title, what there is to know of it, and below it the
// fixed lines and how to use it, the longest way of saying it first: they give way on a small screen.
func stack(
	s *theme.Styles, inner, room, want int, title string, about func(room int) []string, fixed, foot []string, body func(room int) []string,
) []string {
	room -= len(fixed)
	spare := func(lines, least int) bool { // least are kept for the body
		if room-lines < min(want, least) {
			return false
		}
		room -= lines
		return true
	}
	var head, below []string
	if title != "" && spare(1, 2) {
		head = append(head, title)
	}
	if room >= 6 && about != nil {
		said := about(room)
		head = append(head, said...)
		room -= len(said)
	}
	if spare(1, 4) {
		below = []string{s.Muted.Render(fitting(foot, inner))}
	}
	if spare(1+min(len(head), 1)+min(len(fixed), 1), 5) {
		if below = append([]string{""}, below...); len(head) > 0 {
			head = append(head, "")
		}
		if len(fixed) > 0 {
			fixed = append([]string{""}, fixed...)
		}
	}
	return slices.Concat(head, body(room), fixed, below)
}
