package dialog

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"chatvault/tui/keys"
)

// paged is what a pager's keys move.
type paged interface {
	Scroll(n int)
	step() int // a page
	home()
	end()
}

// pagerKey handles the letters that scroll in pagers, where nothing is being written; false: it is
// another key. A key that is held comes several times at once.
func pagerKey(p paged, k tea.KeyMsg) bool {
	name, times := keys.Name(k), 1
	if text, ok := keys.Text(k); ok && !k.Paste && text == strings.Repeat(text[:1], len(text)) {
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
		p.Scroll(max(p.step()/2, 1))
	case "u":
		p.Scroll(-max(p.step()/2, 1))
	case " ":
		p.Scroll(p.step())
	case "b":
		p.Scroll(-p.step())
	case "g":
		p.home()
	case "G":
		p.end()
	default:
		return false
	}
	return true
}
