package dialog

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"chatvault/tui/list"
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

// Help is a Reader of sections, such as keys and commands: any key that does not scroll closes it, and what is typed
// goes on.
type Help struct {
	*Reader
	sections *sections
}

// helpWidth is the widest that it gets, in cells.
const helpWidth = 72

// NewHelp makes the help.
func NewHelp(s *theme.Styles, all []Section) *Help {
	h := &Help{sections: &sections{s, all}}
	column := list.New(func(_, _ list.Item) int { return 0 })
	column.Append(h.sections)
	h.Reader = NewAlone(s, "", column, Alone{Closes: true, Place: func(int) { column.Home() }, Foot: []string{"j k d u g G scroll · q closes", "q closes"}}, false)
	return h
}

// Refresh shows other sections in the place of those there are.
func (h *Help) Refresh(all []Section) { h.sections.all = all }

// sections are an item of a list.
type sections struct {
	styles *theme.Styles
	all    []Section
}

// Lines draws them.
func (h *sections) Lines(inner int) []string {
	var out []string
	for i, sec := range h.all {
		if i > 0 {
			out = append(out, "")
		}
		if sec.Title != "" {
			out = append(out, markdown.Wrap(sec.Title, theme.Open(h.styles.AccentBold), inner)...)
		}
		out = append(out, table(h.styles, sec.Rows, inner)...)
		out = append(out, h.entries(sec.Entries, inner)...)
	}
	return out
}

// stacked is the width below which what a key does stands below the key.
const stacked = 46

// entries draws a section in two columns, or, where that is too narrow, in one; nothing is cut.
func (h *sections) entries(list []Entry, inner int) []string {
	names, key, does := 0, theme.Open(h.styles.Key), theme.Open(h.styles.Muted)
	for _, sec := range h.all {
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
