package dialog

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"chatvault/tui/keys"
	"chatvault/tui/markdown"
	"chatvault/tui/theme"
)

// Section is a part of the help: what there is and what it does.
type Section struct {
	Title   string
	Entries []Entry
	Rows    [][]string // a table, its head first
}

// Entry is one line of the help.
type Entry struct{ Name, Does string }

// Help lists keys and commands; it scrolls.
type Help struct {
	styles   *theme.Styles
	sections []Section
	scroller
}

// NewHelp makes the help.
func NewHelp(s *theme.Styles, sections []Section) *Help {
	return &Help{styles: s, sections: sections, scroller: scroller{page: 10}}
}

// Refresh shows other sections in the place of those there are.
func (h *Help) Refresh(sections []Section) { h.sections = sections }

// Key handles a key: any that does not scroll closes it, and what is typed goes on.
func (h *Help) Key(k tea.KeyMsg) Outcome {
	if pagerKey(h, k) || h.toEnd(k) {
		return Outcome{}
	}
	switch keys.Name(k) {
	case "up":
		h.Scroll(-1)
	case "down":
		h.Scroll(1)
	case "pgup":
		h.Scroll(-h.page)
	case "pgdown":
		h.Scroll(h.page)
	case "q", "?":
		return Outcome{Closed: true}
	default:
		_, typed := keys.Text(k)
		return Outcome{Closed: true, Typed: typed}
	}
	return Outcome{}
}

// Lines draws it.
func (h *Help) Lines(width, height int) []string {
	s := h.styles
	inner := innerWidth(width, 72)
	var all []string
	for i, sec := range h.sections {
		if i > 0 {
			all = append(all, "")
		}
		if sec.Title != "" {
			all = append(all, markdown.Wrap(sec.Title, theme.Open(s.AccentBold), inner)...)
		}
		all = append(all, table(s, sec.Rows, inner)...)
		all = append(all, h.entries(sec.Entries, inner)...)
	}
	room := max(height-frameLines-2, 1)
	h.page = room
	h.top = max(min(h.top, len(all)-room), 0)
	shown := append([]string{}, all[h.top:min(len(all), h.top+room)]...)
	foot := "Esc closes"
	if len(all) > room {
		foot = "j k d u g G scroll · q closes"
	}
	return frame(s, append(shown, "", s.Muted.Render(ansi.Truncate(foot, inner, "…"))), inner, height)
}

// stacked is the width below which what a key does stands below the key.
const stacked = 46

// entries draws a section in two columns, or, where that is too narrow, in one; nothing is cut.
func (h *Help) entries(list []Entry, inner int) []string {
	names, key, does := 0, theme.Open(h.styles.Key), theme.Open(h.styles.Muted)
	for _, sec := range h.sections {
		for _, e := range sec.Entries {
			names = max(names, ansi.StringWidth(e.Name))
		}
	}
	names = min(names, inner/2)
	var out []string
	for _, e := range list {
		if inner < stacked {
			out = append(out, markdown.Wrap(e.Name, key, inner)...)
			for _, l := range markdown.Wrap(e.Does, does, max(inner-2, 1)) {
				out = append(out, "  "+l)
			}
			continue
		}
		left, right := markdown.Wrap(e.Name, key, names), markdown.Wrap(e.Does, does, max(inner-names-2, 1))
		for i := range max(len(left), len(right)) {
			line := ""
			if i < len(left) {
				line = left[i]
			}
			if i < len(right) {
				line += strings.Repeat(" ", names-ansi.StringWidth(line)+2) + right[i]
			}
			out = append(out, line)
		}
	}
	return out
}
