package dialog

import (
	"math"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/base/cells"
	"chatvault/internal/base/prose"
	"chatvault/tui/keys"
	"chatvault/tui/list"
	"chatvault/tui/phrase"
	"chatvault/tui/theme"
)

const (
	narrowest  = 24 // minimum width for a frame, in cells
	frameLines = 2  // above and below
	frameCells = 6  // border and padding, both sides
	wheelLines = 3  // scrolled by a step of the wheel
)

// Scroller is a dialog that the wheel scrolls.
type Scroller interface {
	// Scroll scrolls down by n lines, or up if n is negative.
	Scroll(n int)
}

// block is an item of a column. It is drawn once per width, or its rows are set for each frame.
type block struct {
	draw  func(width int) []string // nil if rows are set
	rows  []string
	width int
}

func (b *block) Lines(width int) []string {
	if b.draw != nil && (b.rows == nil || b.width != width) {
		b.rows, b.width = b.draw(width), width
	}
	return b.rows
}

// look is what a drawing depends on besides its width.
type look struct {
	styles prose.Styles
	method ansi.Method
}

// page is a dialog with a scrolling column.
type page struct {
	styles *theme.Styles
	column *list.List
	look   look   // of the last drawing
	lead   *block // the column's first item, for a layout's about that does not fit; nil if about may be dropped
	moved  bool   // by the user
}

// newPage returns a page of blocks separated by empty lines.
func newPage(s *theme.Styles, blocks ...*block) page {
	column := list.New(func(list.Item, list.Item) int { return 1 })
	for _, b := range blocks {
		column.Append(b)
	}
	return page{styles: s, column: column}
}

// redraw invalidates the drawn column.
func (p *page) redraw() {
	p.column.Each(func(it list.Item) {
		if b, ok := it.(*block); ok && b.draw != nil {
			b.rows = nil
		}
	})
}

// layout is the content of a page around its column.
type layout struct {
	title []string
	right func() string       // right end of the title line, called after the column is drawn; may be nil
	about []string            // below the title
	fixed []string            // below the column
	focus int                 // index of the line of fixed that stays visible
	foot  []string            // hints, least important first
	place func(room int)      // scrolls until the user does; nil stays at the top
	mark  func(rows []string) // highlights something in the visible rows; may be nil
}

// Scroll implements Scroller.
func (p *page) Scroll(n int) {
	p.moved = true
	p.column.ScrollUp(max(-n, 0))
	p.column.ScrollDown(max(n, 0))
}

func (p *page) home() {
	p.moved = true
	p.column.Home()
}

func (p *page) end() {
	p.moved = true
	p.column.End()
}

// innerWidth returns the width of a dialog's content.
func innerWidth(width, most int) int {
	if width < narrowest {
		return max(width, 1)
	}
	return max(min(width-frameCells, most), 4)
}

// draw draws the page. On a small screen it drops, in this sequence, empty lines, the foot, remarks about the column,
// the title and the frame.
func (p *page) draw(l layout, inner, width, height int) []string {
	if look := (look{p.styles.Prose(), cells.Method()}); look != p.look { // the theme or the terminal changed
		p.look = look
		p.redraw()
	}
	room, framed := height, width >= narrowest && height >= frameLines+3+len(l.fixed)
	if framed {
		room -= frameLines
	}
	fixed := around(l.fixed, l.focus, max(min(len(l.fixed), room-1), min(room, 1)))
	room -= len(fixed)
	want := p.want(inner)
	spare := func(lines, least int) bool { // keeps at least least lines for the column
		if room-lines < min(want, least) {
			return false
		}
		room -= lines
		return true
	}
	var above, below []string
	if title := l.title[:min(len(l.title), max(room-5, 1))]; len(title) > 0 && spare(len(title), 2) {
		above = append(above, title...)
	}
	titled := len(above) > 0
	var scrolls []string
	if len(l.about) <= max(room/2, room-2) {
		above = append(above, l.about...)
		room -= len(l.about)
	} else {
		scrolls = l.about
	}
	if p.lead != nil {
		p.lead.rows = scrolls
	}
	if len(l.foot) > 0 && spare(1, 4) {
		below = []string{p.styles.Muted.Render(phrase.Hints(l.foot, inner))}
	}
	if spare(len(below)+min(len(above), 1)+min(len(fixed), 1), 5) {
		if len(above) > 0 {
			above = append(above, "")
		}
		if len(fixed) > 0 {
			fixed = append([]string{""}, fixed...)
		}
		below = slices.Concat(make([]string, len(below)), below)
	}
	body, more := p.body(l, inner, room)
	if titled && l.right != nil {
		above[0] = phrase.Spread(above[0], l.right(), inner)
	}
	lines := slices.Concat(above, body, fixed, below)
	if !framed {
		if more != "" {
			last := &lines[len(above)+len(body)-1]
			*last = cells.Pad(cells.Truncate(*last, inner-cells.Width(more)-1, ""), inner-cells.Width(more)) + more
		}
		return bare(lines, inner, height)
	}
	return frame(p.styles, lines, inner, more)
}

// want returns the number of lines of a short column, and a large number for a long one.
func (p *page) want(inner int) int {
	const few = 8 // items
	if p.column.Len() > few {
		return math.MaxInt
	}
	n := 0
	p.column.Each(func(it list.Item) {
		if lines := len(it.Lines(inner)); lines > 0 {
			n += lines + 1 // with the gap below
		}
	})
	return max(n-1, 0)
}

// body returns the visible rows of the column, and a mark if it continues below.
func (p *page) body(l layout, inner, room int) (body []string, more string) {
	p.column.SetSize(inner, room)
	switch {
	case p.moved:
	case l.place != nil:
		l.place(room)
	default:
		p.column.Home()
	}
	body = slices.Clone(p.column.Lines())
	if l.mark != nil {
		l.mark(body)
	}
	if p.column.Below() && room > 1 && inner > 4 {
		more = p.styles.Muted.Render(phrase.Fitting([]string{"↓ more · PgDn", "↓"}, inner/2))
	}
	return body, more
}

// scrolls handles the keys that scroll in every dialog, including those in which arrows do not.
func (p *page) scrolls(k tea.KeyPressMsg) bool {
	switch keys.Name(k) {
	case "pgup":
		p.Scroll(-p.column.Page())
	case "pgdown":
		p.Scroll(p.column.Page())
	case "shift+up":
		p.Scroll(-1)
	case "shift+down":
		p.Scroll(1)
	default:
		return false
	}
	return true
}

// toEnd handles the keys that scroll to the beginning and the end.
func (p *page) toEnd(k tea.KeyPressMsg) bool {
	switch keys.Name(k) {
	case "home":
		p.home()
	case "end":
		p.end()
	default:
		return false
	}
	return true
}

// pagerKey handles the letters that scroll in pagers. A held key may arrive several times at once.
func (p *page) pagerKey(k tea.KeyPressMsg) bool {
	name, times := keys.Name(k), 1
	if text, ok := keys.Text(k); ok && !keys.IsPaste(k) && text == strings.Repeat(text[:1], len(text)) {
		name, times = text[:1], len(text)
	}
	half := max(p.column.Page()/2, 1)
	lines := map[string]int{"j": 1, "k": -1, "d": half, "u": -half, "space": p.column.Page(), " ": p.column.Page(), "b": -p.column.Page()}
	switch n, scrolls := lines[name]; {
	case scrolls:
		p.Scroll(n * times)
	case name == "g":
		p.home()
	case name == "G":
		p.end()
	default:
		return false
	}
	return true
}

// bare truncates lines to the available space without a frame.
func bare(lines []string, inner, height int) []string {
	lines = lines[:min(len(lines), max(height, 0))]
	for i, l := range lines {
		lines[i] = cells.Truncate(l, inner, "…")
	}
	return lines
}

// frame draws a border around lines, with a mark, which may be empty, in its lower edge.
func frame(s *theme.Styles, lines []string, inner int, mark string) []string {
	b := lipgloss.RoundedBorder()
	edge := func(text string) string { return theme.Styled(s.Rule, text) }
	out := make([]string, 0, len(lines)+frameLines)
	out = append(out, edge(b.TopLeft+strings.Repeat(b.Top, inner+4)+b.TopRight))
	for _, l := range bare(lines, inner, len(lines)) {
		out = append(out, edge(b.Left)+"  "+cells.Pad(l, inner)+"  "+edge(b.Right))
	}
	if mark == "" {
		return append(out, edge(b.BottomLeft+strings.Repeat(b.Bottom, inner+4)+b.BottomRight))
	}
	left := strings.Repeat(b.Bottom, inner+1-cells.Width(mark))
	return append(out, edge(b.BottomLeft+left)+" "+mark+" "+edge(b.Bottom+b.BottomRight))
}

// Framed reports whether a drawn dialog has a frame.
func Framed(lines []string) bool {
	return len(lines) > 0 && strings.HasPrefix(ansi.Strip(lines[0]), lipgloss.RoundedBorder().TopLeft)
}

// around returns n lines that include the one at focus.
func around(lines []string, focus, n int) []string {
	if n >= len(lines) {
		return slices.Clone(lines)
	}
	from := min(max(focus-n/2, 0), len(lines)-n)
	return slices.Clone(lines[from : from+n])
}
