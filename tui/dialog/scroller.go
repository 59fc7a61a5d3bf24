package dialog

import (
	"fmt"
	"math"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/text"
	"chatvault/tui/keys"
	"chatvault/tui/theme"
)

// wheelLines is how far a step of the wheel scrolls.
const wheelLines = 3

// Scroller is a dialog that scrolls by the wheel, too.
type Scroller interface {
	// Scroll moves what it shows down by n lines, up where n is negative.
	Scroll(n int)
}

// scroller is the part of a dialog that may be longer than there is room for.
type scroller struct{ top, page int }

// Scroll moves down by n lines; drawing keeps it within bounds.
func (s *scroller) Scroll(n int) { s.top = max(s.top+n, 0) }

func (s *scroller) pageStep() int { return max(s.page-1, 1) }

func (s *scroller) home() { s.top = 0 }

func (s *scroller) end() { s.top = math.MaxInt / 2 }

// window is what of lines is in sight in room lines; the last line says what is below.
func (s *scroller) window(st *theme.Styles, lines []string, inner, room int) []string {
	s.page = room
	if room <= 0 {
		return nil
	}
	if len(lines) <= room {
		s.top = 0
		return lines
	}
	if room < 3 { // no line to spare: a mark at the end of the last
		s.top = min(s.top, len(lines)-room)
		out := append([]string{}, lines[s.top:s.top+room]...)
		if s.top+room < len(lines) && inner > 4 {
			last := ansi.Truncate(out[room-1], inner-2, "…")
			out[room-1] = last + " " + st.Key.Render("↓")
		}
		return out
	}
	s.page = room - 1
	s.top = min(s.top, len(lines)-s.page)
	below := len(lines) - s.top - s.page
	note := []string{fmt.Sprintf("↓ %d more %s · PgDn", below, text.Plural(below, "line"))}
	switch {
	case below == 0:
		note = []string{fmt.Sprintf("↑ %d %s above · PgUp", s.top, text.Plural(s.top, "line"))}
	case s.top > 0:
		note = []string{fmt.Sprintf("↑ %d above · ↓ %d more %s · PgUp PgDn", s.top, below, text.Plural(below, "line")), fmt.Sprintf("↑ %d · ↓ %d · PgUp PgDn", s.top, below)}
	}
	out := append([]string{}, lines[s.top:s.top+s.page]...)
	return append(out, st.Muted.Render(fitting(note, inner)))
}

// paged is what keys scroll.
type paged interface {
	Scroll(n int)
	pageStep() int // a page
	home()
	end()
}

// scrolls handles the keys that scroll wherever the arrows mean something else.
func scrolls(p paged, k tea.KeyPressMsg) bool {
	switch keys.Name(k) {
	case "pgup":
		p.Scroll(-p.pageStep())
	case "pgdown":
		p.Scroll(p.pageStep())
	case "shift+up":
		p.Scroll(-1)
	case "shift+down":
		p.Scroll(1)
	default:
		return false
	}
	return true
}

// toEnd handles the keys that scroll to the beginning and to the end.
func toEnd(p paged, k tea.KeyPressMsg) bool {
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

// pagerKey handles the letters that scroll in pagers, where nothing is being written; false: it is
// another key. A key that is held comes several times at once.
func pagerKey(p paged, k tea.KeyPressMsg) bool {
	name, times := keys.Name(k), 1
	if text, ok := keys.Text(k); ok && !keys.IsPaste(k) && text == strings.Repeat(text[:1], len(text)) {
		name, times = text[:1], len(text)
	}
	for range times {
		if !page(p, name) {
			return false
		}
	}
	return true
}

// page does what a pager's letter means; false: it means nothing.
func page(p paged, name string) bool {
	switch name {
	case "j":
		p.Scroll(1)
	case "k":
		p.Scroll(-1)
	case "d":
		p.Scroll(max(p.pageStep()/2, 1))
	case "u":
		p.Scroll(-max(p.pageStep()/2, 1))
	case "space":
		p.Scroll(p.pageStep())
	case "b":
		p.Scroll(-p.pageStep())
	case "g":
		p.home()
	case "G":
		p.end()
	default:
		return false
	}
	return true
}
