package dialog

import (
	"strings"

	"chatvault/internal/base/cells"
	"chatvault/tui/markdown"
	"chatvault/tui/theme"
)

// Section is a section of the help.
type Section struct {
	Title   string
	Entries []Entry
	Rows    [][]string // a table, headings first
}

// Entry is a line of the help.
type Entry struct{ Name, Does string }

// Help is a Reader of sections, such as keys and commands.
type Help struct {
	*Reader
	all []Section
}

// helpWidth is the maximum width of the help, in cells.
const helpWidth = 72

// NewHelp returns the help.
func NewHelp(s *theme.Styles, all []Section) *Help {
	h := &Help{Reader: NewAlone(s, "", nil, Alone{Foot: []string{"j k d u g G scroll", "q closes"}}, false)}
	h.most = helpWidth
	h.Refresh(all)
	return h
}

// Refresh replaces the sections.
func (h *Help) Refresh(all []Section) {
	h.all = all
	blocks := make([]*block, len(all))
	for i, sec := range all {
		blocks[i] = &block{draw: func(width int) []string { return h.section(sec, width) }}
	}
	h.page = newPage(h.styles, blocks...)
}

func (h *Help) section(sec Section, inner int) (out []string) {
	if sec.Title != "" {
		out = markdown.Wrap(sec.Title, theme.Open(h.styles.AccentBold), inner)
	}
	return append(append(out, table(h.styles, sec.Rows, inner)...), h.entries(sec.Entries, inner)...)
}

// stacked is the width below which descriptions stand below their keys.
const stacked = 46

// entries draws a section in two columns or, on a narrow screen, in one. Nothing is truncated.
func (h *Help) entries(list []Entry, inner int) []string {
	names, key, does := 0, theme.Open(h.styles.Key), theme.Open(h.styles.Muted)
	for _, sec := range h.all {
		for _, e := range sec.Entries {
			names = max(names, cells.Width(e.Name))
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
				line = cells.Pad(line, names+2) + right[i]
			}
			out = append(out, line)
		}
	}
	return out
}

// table draws rows, headings first, with names on the left and right-aligned values. If it is too wide, each column
// becomes a table of its own below its heading.
func table(s *theme.Styles, rows [][]string, inner int) (out []string) {
	if len(rows) == 0 {
		return nil
	}
	widths, total := make([]int, len(rows[0])), -2
	for i := range widths {
		for _, r := range rows {
			widths[i] = max(widths[i], cells.Width(r[i]))
		}
		total += widths[i] + 2
	}
	least := total - widths[0] + min(widths[0], 8)
	if least > inner && len(widths) > 2 {
		for i := 1; i < len(widths); i++ {
			var column [][]string
			for _, r := range rows[1:] {
				column = append(column, []string{r[0], r[i]})
			}
			if i > 1 {
				out = append(out, "")
			}
			out = append(append(out, s.Bold.Render(cells.Truncate(rows[0][i], inner, "…"))), table(s, column, inner)...)
		}
		return out
	}
	widths[0] = max(min(widths[0], inner-total+widths[0]), 1)
	for i, r := range rows {
		line := cells.Pad(cells.Truncate(r[0], widths[0], "…"), widths[0])
		for j, cell := range r[1:] {
			line += strings.Repeat(" ", 2+widths[j+1]-cells.Width(cell)) + cell
		}
		if i == 0 && r[0] == "" {
			line = s.Muted.Render(line)
		}
		out = append(out, cells.Truncate(line, inner, "…"))
	}
	return out
}
