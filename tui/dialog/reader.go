package dialog

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"chatvault/internal/base/cells"
	"chatvault/internal/base/terminal"
	"chatvault/internal/base/text"
	"chatvault/tui/find"
	"chatvault/tui/keys"
	"chatvault/tui/list"
	"chatvault/tui/markdown"
	"chatvault/tui/theme"
)

// readerWidth is the maximum width of a reader, in cells.
const readerWidth = 104

// comfortable is the minimum number of lines for title and text, in addition to the choices.
const comfortable = 10

// Reader shows scrollable content and actions: choices below it or, without choices, keys; then the arrows scroll and
// Enter closes. Typed text goes to the composer.
type Reader struct {
	page
	chooser
	title string
	about string
	most  int          // maximum width in cells
	seek  *find.Search // may be nil
	alone Alone
	asks  bool // a question rather than content to read
}

// Alone configures a Reader without choices. Where and Warning are untrusted.
type Alone struct {
	Where   string         // at the right of the title line, truncated at the start: "Recipes/Tart.md:12"
	Warning string         // a warning about the content; may be empty
	Place   func(room int) // scrolls to the requested place; called for each drawing until the user scrolls
	Keys    map[string]any // results of keys while no text is being written
	Foot    []string       // hints for that time, least important first
}

// NewAlone returns a reader without choices.
func NewAlone(s *theme.Styles, title string, column *list.List, a Alone, writing bool) *Reader {
	r := NewReader(s, title, "", column, nil, nil, writing)
	r.alone = a
	return r
}

// NewReader returns a reader, scrolled to the beginning. about is a muted line below the title, or empty. Esc returns
// escape.
func NewReader(s *theme.Styles, title, about string, column *list.List, choices []Choice, escape any, writing bool) *Reader {
	return &Reader{
		page: page{styles: s, column: column}, title: terminal.Line(title), about: terminal.Line(about), most: readerWidth,
		chooser: chooser{choices: choices, escape: escape, yields: yields{ready: true, aside: writing}},
	}
}

// NewConfirm returns a question. The title is shown completely, body explains it, and quoted lists untrusted texts
// that it refers to. The choice with index preferred is marked first; Esc returns escape.
func NewConfirm(s *theme.Styles, title, body string, quoted []string, choices []Choice, preferred int, escape any) *Reader {
	r := NewReader(s, title, "", nil, choices, escape, false)
	r.page = newPage(s, &block{draw: func(width int) (rows []string) {
		for _, q := range quoted {
			for _, row := range markdown.Wrap(terminal.Text(q), "", max(width-2, 1)) {
				rows = append(rows, s.Muted.Render("▎")+" "+row)
			}
		}
		return rows
	}})
	if body != "" {
		r.column.Append(&block{draw: func(width int) []string { return markdown.Wrap(terminal.Text(body), "", width) }})
	}
	r.at, r.most, r.asks = preferred, askWidth, true
	return r
}

// Ready implements Yielding. A question has a marked choice from the start, even one that the user did not open.
func (r *Reader) Ready(ready bool) { r.ready = ready || r.asks }

// Column returns the column.
func (r *Reader) Column() *list.List { return r.column }

// Seek makes the reader start at the current match of a search in its column; n and N move to the others.
func (r *Reader) Seek(s *find.Search) { r.seek = s }

// Key implements Dialog.
func (r *Reader) Key(k tea.KeyPressMsg) Outcome {
	if r.scrolls(k) || !r.aside && r.toEnd(k) {
		return Outcome{}
	}
	name := keys.Name(k)
	if !r.aside && !r.asks {
		if result := r.alone.Keys[name]; result != nil {
			return Outcome{Result: result}
		}
		if i := slices.IndexFunc(r.choices, func(c Choice) bool { return c.Key != "" && c.Key == name }); i >= 0 {
			return Outcome{Result: r.choices[i].Result, Closed: !r.choices[i].Stays}
		}
		switch {
		case r.pagerKey(k):
			return Outcome{}
		case name == "q":
			return Outcome{Result: r.escape, Closed: true}
		case r.seek != nil && (name == "n" || name == "N"):
			r.moved = true
			r.seek.Next(map[string]int{"n": 1, "N": -1}[name])
			return Outcome{}
		}
	}
	if len(r.choices) == 0 {
		switch {
		case name == "up":
			r.Scroll(-1)
			return Outcome{}
		case name == "down":
			r.Scroll(1)
			return Outcome{}
		case name == "ctrl+up", name == "ctrl+down":
			return Outcome{Closed: true, Typed: true} // arrows continue in the transcript
		case name == "enter" && !r.aside:
			return Outcome{Closed: true}
		}
	}
	out, chosen := r.key(k)
	if !chosen {
		return out
	}
	c := r.choices[r.at]
	return Outcome{Result: c.Result, Closed: !c.Stays}
}

// Lines implements Dialog.
func (r *Reader) Lines(width, height int) []string {
	inner := innerWidth(width, r.most)
	l := layout{title: markdown.Wrap(r.title, theme.Open(r.styles.AccentBold), inner), place: r.place}
	if !r.asks {
		l.title = []string{r.styles.AccentBold.Render(cells.Truncate(r.title, inner, "…"))}
	}
	if r.title == "" {
		l.title = nil
	}
	least := comfortable
	if r.asks {
		least = 7
	}
	beside := height < frameLines+least+len(r.choices) // if there would be no space for the content
	l.fixed, l.focus = r.rows(r.styles, inner, beside)
	l.foot = r.foot()
	l.about = r.aboutLines(inner, height/4)
	if where := terminal.Line(r.alone.Where); where != "" {
		l.right = func() string {
			const least = 8
			room := max(inner-cells.Width(r.title)-2, 0)
			if w := cells.Width(where); w > room && room >= least {
				where = "…" + cells.TruncateLeft(where, w-room+1, "")
			}
			return r.styles.Muted.Render(where)
		}
	}
	if r.seek != nil {
		l.mark = r.seek.Mark
	}
	return r.draw(l, inner, width, height)
}

// aboutLines returns the warning or the line below the title, in at most most lines.
func (r *Reader) aboutLines(inner, most int) []string {
	text, style := r.about, r.styles.Muted
	if r.alone.Warning != "" {
		text, style = terminal.Line(r.alone.Warning), r.styles.Warn
	}
	if text == "" {
		return nil
	}
	rows := markdown.Wrap(text, theme.Open(style), inner)
	if most = max(most, 1); len(rows) > most {
		rows = append(rows[:most-1], cells.Truncate(rows[most-1]+style.Render(" …"), inner, style.Render("…")))
	}
	return rows
}

// place scrolls to the requested place.
func (r *Reader) place(room int) {
	switch {
	case r.alone.Place != nil:
		r.alone.Place(room)
	case r.seek != nil && r.seek.At() != nil:
		r.seek.Start()
	default:
		r.column.Home()
	}
}

func (r *Reader) foot() []string {
	switch {
	case r.aside:
		return []string{"PgUp PgDn scroll", "Enter to send your text", "Esc back"}
	case len(r.choices) == 0:
		return r.alone.Foot
	case r.asks:
		return []string{"↑ ↓ choose", "Enter to confirm", "Esc to cancel"}
	}
	hints := []string{"j k d u scroll", "↑ ↓ choose", "Enter to confirm", "Esc back"}
	if r.seek != nil {
		hints[1] = "n N matches"
	}
	return hints
}

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

// table draws rows, headings first, with names on the left and right-aligned values.
func table(s *theme.Styles, rows [][]string, inner int) []string {
	var b strings.Builder
	for i, r := range rows {
		escaped := text.Of(r, func(cell string) string { return strings.ReplaceAll(cell, "|", `\|`) })
		b.WriteString("| " + strings.Join(escaped, " | ") + " |\n")
		if i == 0 {
			b.WriteString("|---" + strings.Repeat("|--:", len(r)-1) + "|\n")
		}
	}
	return markdown.NewRenderer(s, inner).Render(b.String())
}
