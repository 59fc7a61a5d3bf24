package dialog

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"

	"chatvault/internal/base/cells"
	"chatvault/internal/base/terminal"
	"chatvault/internal/base/text"
	"chatvault/tui/composer"
	"chatvault/tui/keys"
	"chatvault/tui/list"
	"chatvault/tui/markdown"
	"chatvault/tui/phrase"
	"chatvault/tui/theme"
)

// pickerWidth is the maximum width of a picker, in cells.
const pickerWidth = 84

// Row is an entry of a picker. All its texts are untrusted.
type Row struct {
	ID     string // identifies the row when Refresh replaces the rows; if empty, its index does
	Group  string // name of the group above it; empty without groups
	Label  string
	Value  string   // muted, after the label, in a column of its own; may be empty
	Set    bool     // the value was chosen by the user and is not muted
	Right  string   // muted, at the right end: a duration or time
	Below  []string // muted, one per line
	Note   string   // shown below the list while the row is marked; may be empty
	Here   bool     // the current one
	Find   string   // searched by the filter in addition to Label and Group
	Result any
	Reset  any  // result of Del while nothing is typed; may be nil
	Stays  bool // the picker stays open after it was picked
}

// noteLines is the number of lines reserved for the note of the marked row.
const noteLines = 2

// Picker is a filtered list. Rows are drawn only as text, only Enter picks, and the marked row stays visible, and
// stays marked when the rows change.
type Picker struct {
	page
	title string
	none  string // shown without rows
	foot  []string
	other any // result of Tab instead of moving the mark; may be nil

	all    []Row
	shown  []Row
	items  []list.Item // of the column, by row
	at     int         // index of the marked row
	field  composer.Field
	labels int // width of the labels in rows with a second column, in cells
	noted  bool
	here   bool // a shown row is the current one, and all leave space for its mark

	search   func(query string) any
	searched string             // the query of the running search; may be empty
	preview  func(label string) // shows the effect of picking the marked row; may be nil
	seen     string             // the label that was previewed last
	escape   any                // result of Esc
}

// NewPicker returns a picker. The current row is marked. none is shown if there are no rows; foot lists hints, least important first.
func NewPicker(s *theme.Styles, title, none string, rows []Row, foot []string) *Picker {
	p := &Picker{title: terminal.Line(title), none: none, foot: foot, page: newPage(s)}
	p.Refresh(rows)
	p.at = max(slices.IndexFunc(p.shown, func(r Row) bool { return r.Here }), 0)
	return p
}

// Title replaces the title.
func (p *Picker) Title(title string) { p.title = terminal.Line(title) }

// Other sets the result of Tab, which then does not move the mark.
func (p *Picker) Other(result any) { p.other = result }

// Writes implements Writer.
func (p *Picker) Writes() bool { return true }

// Searches makes text after a ? a search: ask returns the Result that requests it, and Found supplies the rows.
func (p *Picker) Searches(ask func(query string) any) { p.search = ask }

// Previews makes the picker preview the marked row, by label. Esc has the result escape, which must restore the
// previous state.
func (p *Picker) Previews(show func(label string), escape any) {
	r, _ := p.marked()
	p.preview, p.escape, p.seen = show, escape, r.Label
}

// Previewing reports whether the screen behind the picker shows a preview.
func (p *Picker) Previewing() bool { return p.preview != nil }

// Found shows the rows found by a search, unless the query has changed since.
func (p *Picker) Found(query string, rows []Row) {
	if q, is := p.query(); is && q == query {
		p.searched = ""
		p.show(rows)
	}
}

// Refresh replaces the rows. The mark stays on its row, or at its index.
func (p *Picker) Refresh(rows []Row) {
	at := p.at
	was, _ := p.marked()
	p.all, p.labels, p.noted = rows, 0, false
	for _, r := range rows {
		if p.noted = p.noted || r.Note != ""; r.Value != "" {
			p.labels = max(p.labels, cells.Width(r.Label))
		}
	}
	p.narrow()
	if i := slices.IndexFunc(p.shown, func(r Row) bool { return was.ID != "" && r.ID == was.ID }); i >= 0 {
		at = i
	}
	p.goTo(at)
}

// Write inserts text into the filter.
func (p *Picker) Write(text string) {
	p.field.Insert(text)
	p.narrow()
}

// Scroll moves the mark.
func (p *Picker) Scroll(n int) { p.move(n / wheelLines) }

// Key handles a key. Home and End move in the text, if there is any, otherwise in the list.
func (p *Picker) Key(k tea.KeyPressMsg) Outcome {
	r, marked := p.marked()
	empty := p.field.Trimmed() == ""
	if text, ok := keys.Text(k); ok {
		p.field.Insert(text)
		return p.typed()
	}
	switch name := keys.Name(k); {
	case name == "delete" && empty && r.Reset != nil:
		return Outcome{Result: r.Reset}
	case name == "tab" && p.other != nil:
		return Outcome{Result: p.other}
	case name == "esc", name == "ctrl+c":
		return Outcome{Result: p.escape, Closed: true}
	case name == "enter":
		if marked {
			return Outcome{Result: r.Result, Closed: !r.Stays}
		}
	case name == "up", name == "shift+tab", name == "ctrl+p":
		p.move(-1)
	case name == "down", name == "tab", name == "ctrl+n":
		p.move(1)
	case name == "pgup":
		p.goTo(p.at - p.column.Page())
	case name == "pgdown":
		p.goTo(p.at + p.column.Page())
	case name == "home" && empty:
		p.goTo(0)
	case name == "end" && empty:
		p.goTo(len(p.shown))
	case p.field.Key(k):
		return p.typed()
	}
	return Outcome{}
}

// marked returns the marked row.
func (p *Picker) marked() (row Row, ok bool) {
	if p.at >= len(p.shown) {
		return row, false
	}
	return p.shown[p.at], true
}

// show shows rows and marks the first.
func (p *Picker) show(rows []Row) {
	items := make([]list.Item, len(rows))
	for i := range rows {
		items[i] = &pickerRow{p, i}
	}
	p.shown, p.items, p.here = rows, items, slices.ContainsFunc(rows, func(r Row) bool { return r.Here })
	p.column = list.New(func(_, below list.Item) int {
		return min(len(p.group(below.(*pickerRow).at)), 1)
	})
	if len(rows) == 0 {
		p.column.Append(&pickerRow{Picker: p})
	}
	p.column.Append(items...)
	p.goTo(0)
}

// goTo marks the row at an index, limited to the list.
func (p *Picker) goTo(at int) {
	p.at = max(min(at, len(p.shown)-1), 0)
	if r, ok := p.marked(); ok && p.preview != nil && r.Label != p.seen {
		p.seen = r.Label
		p.preview(r.Label)
	}
}

// move moves the mark, wrapping around.
func (p *Picker) move(n int) {
	if len(p.shown) > 0 {
		p.goTo(((p.at+n)%len(p.shown) + len(p.shown)) % len(p.shown))
	}
}

// query returns the search query, and reports whether the text is a search.
func (p *Picker) query() (string, bool) {
	text, is := strings.CutPrefix(p.field.Trimmed(), "?")
	return strings.TrimSpace(text), is && p.search != nil
}

// typed handles a change of the field.
func (p *Picker) typed() Outcome {
	q, is := p.query()
	switch {
	case !is:
		p.searched = ""
		p.narrow()
	case q == "":
		p.searched = ""
		p.show(nil)
	case q != p.searched:
		p.searched = q
		return Outcome{Result: p.search(q)}
	}
	return Outcome{}
}

// narrow filters the rows: first those whose label or group contains every typed word, then those that contain them in
// Find; without either, a fuzzy match of the labels. With groups, matching labels are shown alone.
func (p *Picker) narrow() {
	words := strings.Fields(strings.ToLower(p.field.Trimmed()))
	if len(words) == 0 {
		p.show(p.all)
		return
	}
	var named, found []Row
	labels := make([]string, len(p.all))
	for i, r := range p.all {
		labels[i] = strings.ToLower(r.Label)
		switch name := labels[i] + " " + strings.ToLower(r.Group); {
		case holds(name, words):
			named = append(named, r)
		case holds(name+" "+strings.ToLower(r.Find), words):
			found = append(found, r)
		}
	}
	if len(named) == 0 || named[0].Group == "" {
		named = append(named, found...)
	}
	if len(named) == 0 {
		for _, m := range fuzzy.FindNoSort(strings.Join(words, ""), labels) {
			named = append(named, p.all[m.Index])
		}
	}
	p.show(named)
}

func holds(text string, words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
}

// Lines implements Dialog.
func (p *Picker) Lines(width, height int) []string {
	s := p.styles
	inner := innerWidth(width, pickerWidth)
	l := layout{
		title: []string{s.AccentBold.Render(cells.Truncate(p.title, inner, "…"))}, about: []string{p.field.Line(s, inner)}, foot: p.foot,
	}
	if height >= 10 {
		l.fixed = p.note(inner)
	}
	l.place = func(int) {
		if p.at < len(p.items) {
			from, to := 0, len(p.items[p.at].Lines(inner))
			p.column.Reveal(p.items[p.at], from, to)
			if p.group(p.at) != "" {
				from++
			}
			p.column.Reveal(p.items[p.at], from, from+1)
		}
	}
	return p.draw(l, inner, width, height)
}

// note returns the note of the marked row in a fixed number of lines; nil if no row has a note.
func (p *Picker) note(inner int) []string {
	if !p.noted {
		return nil
	}
	r, _ := p.marked()
	if r.Value != "" && inner < roomForRight {
		r.Note = phrase.Join(r.Note, r.Right)
	}
	rows := markdown.Wrap(terminal.Line(r.Note), theme.Open(p.styles.Muted), inner)
	if len(rows) > noteLines {
		rows[noteLines-1] = cells.Truncate(rows[noteLines-1], max(inner-1, 1), "") + p.styles.Muted.Render("…")
	}
	lines := make([]string, noteLines)
	copy(lines, rows)
	return lines
}

func (p *Picker) nothing() string {
	switch q, is := p.query(); {
	case is && q == "":
		return "Type words to search the conversations for"
	case p.searched != "":
		return "Searching…"
	case p.field.Trimmed() == "":
		return p.none
	}
	return "Nothing matches"
}

// group returns the name of a group for its first row, otherwise an empty string.
func (p *Picker) group(i int) string {
	if group := p.shown[i].Group; i == 0 || p.shown[i-1].Group != group {
		return group
	}
	return ""
}

const (
	leastValue   = 12 // minimum width for a value or Right, in cells
	roomForRight = 64 // minimum width for both a value and Right, in cells
)

// pickerRow is a row as a list item.
type pickerRow struct {
	*Picker
	at int
}

// Lines draws the row, preceded by the group's name if it is the first.
func (i *pickerRow) Lines(inner int) []string {
	if len(i.shown) == 0 {
		return []string{i.styles.Muted.Render(cells.Truncate(i.nothing(), inner, "…"))}
	}
	s, r := i.styles, i.shown[i.at]
	lead, label, open := "  ", text.OneLine(terminal.Line(r.Label)), s.Text
	if i.at == i.Picker.at {
		lead, open = s.Accent.Render("›")+" ", s.Bold
	}
	if i.here {
		label = map[bool]string{true: "● ", false: "  "}[r.Here] + label
	}
	room, right := inner-2, ""
	beside := room - min(cells.Width(label), room*2/3) - 2
	if r.Right != "" && beside >= leastValue && (r.Value == "" || inner >= roomForRight) {
		right = cells.Truncate(terminal.Line(r.Right), beside, "…")
		room -= cells.Width(right) + 2
	}
	if r.Value != "" {
		label = cells.Truncate(label, max(room-leastValue, room/2), "…")
	}
	label = cells.Truncate(label, room, "…")
	var out []string
	if group := i.group(i.at); group != "" {
		out = []string{s.Bold.Render(cells.Truncate(terminal.Line(group), inner, "…"))}
	}
	row := phrase.Spread(lead+open.Render(label)+i.value(r, label, room), s.Muted.Render(right), inner)
	if i.at == i.Picker.at {
		row = s.Filled(row, inner)
	}
	out = append(out, row)
	for _, b := range r.Below {
		out = append(out, s.Muted.Render(cells.Truncate("    "+text.OneLine(terminal.Line(b)), inner, "…")))
	}
	return out
}

// value returns the row's value with padding after the label; room is the width for both.
func (p *Picker) value(r Row, label string, room int) string {
	labels := p.labels
	if p.here {
		labels += 2
	}
	pad := max(min(labels, room/2)-cells.Width(label), 0) + 2
	left := room - cells.Width(label) - pad
	if r.Value == "" || left < 1 {
		return ""
	}
	style := p.styles.Muted
	if r.Set {
		style = p.styles.Accent
	}
	return style.Render(strings.Repeat(" ", pad) + cells.Truncate(text.OneLine(terminal.Line(r.Value)), left, "…"))
}
