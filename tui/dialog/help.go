package dialog

import (
	"strings"

	tea "charm.land/bubbletea/v2"
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

// pageStep is a page: no line of it says what is below.
func (h *Help) pageStep() int { return h.page }

// Key handles a key: any that does not scroll closes it, and what is typed goes on.
func (h *Help) Key(k tea.KeyPressMsg) Outcome {
	if pagerKey(h, k) || toEnd(h, k) {
		return Outcome{}
	}
	switch keys.Name(k) {
	case "up":
		h.Scroll(-1)
	case "down":
		h.Scroll(1)
	case "pgup":
		h.Scroll(-h.pageStep())
	case "pgdown":
		h.Scroll(h.pageStep())
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

// table draws rows whose first is the head: names on the left, values at the right of their
// columns. Where it is too wide each column stands for itself, below its head.
func table(s *theme.Styles, rows [][]string, inner int) []string {
	if len(rows) == 0 {
		return nil
	}
	widths, total := make([]int, len(rows[0])), -2
	for i := range widths {
		for _, r := range rows {
			widths[i] = max(widths[i], ansi.StringWidth(r[i]))
		}
		total += widths[i] + 2
	}
	if total > inner {
		return stackedTable(s, rows, inner)
	}
	var out []string
	for i, r := range rows {
		line := r[0] + strings.Repeat(" ", widths[0]-ansi.StringWidth(r[0]))
		for j, cell := range r[1:] {
			line += strings.Repeat(" ", 2+widths[j+1]-ansi.StringWidth(cell)) + cell
		}
		if i == 0 {
			line = s.Muted.Render(line)
		}
		out = append(out, line)
	}
	return out
}

func stackedTable(s *theme.Styles, rows [][]string, inner int) []string {
	var out []string
	for j, head := range rows[0][1:] {
		if j > 0 {
			out = append(out, "")
		}
		out = append(out, s.Bold.Render(ansi.Truncate(head, inner, "…")))
		for _, r := range rows[1:] {
			line := r[0] + "  " + r[j+1]
			if free := inner - ansi.StringWidth(line); free > 0 {
				line = r[0] + strings.Repeat(" ", 2+free) + r[j+1]
			}
			out = append(out, ansi.Truncate(line, inner, "…"))
		}
	}
	return out
}
