package dialog

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/terminal"
	"chatvault/internal/text"
	"chatvault/tui/keys"
	"chatvault/tui/markdown"
	"chatvault/tui/phrase"
	"chatvault/tui/theme"
)

// pickerWidth is the widest a picker gets, in cells.
const pickerWidth = 84

// Row is one thing to pick. All of it is text from outside.
type Row struct {
	ID     string // what tells it from others where Refresh puts rows anew; empty: its place
	Group  string // of the rows that it stands among, under that name; empty: there are no groups
	Label  string
	About  string   // quiet, after the label, in a column of its own
	Value  string   // in that column, before anything at the right; empty: it has none
	Set    bool     // the value is not quiet: somebody chose it
	Right  string   // quiet, at the right end: how long, when
	Short  string   // what of Right is said where there is no room for all; may be empty
	Below  []string // quiet, a line each
	Note   string   // what is said below the list while it is marked; empty of all rows: nothing is
	Here   bool     // it is the present one
	Find   string   // what the filter looks at beside Label and Group
	Result any
	Stays  bool // the picker stays open below what comes of it
}

// noteLines is what is kept for the note of the marked row.
const noteLines = 2

// Picker is a list to pick from, which what is typed narrows. It promises that text is never more than text, that what
// picks is Enter, and that what is marked stays in sight, and marked when rows change.
type Picker struct {
	styles *theme.Styles
	title  string
	none   string // what is said where there is nothing to pick
	foot   []string
	keys   map[string]func(Row) any // other keys, and what they result in for the marked row

	all   []Row
	shown []Row
	at    int // the marked one
	top   int // the first row in sight
	page  int // rows
	below int // rows below those in sight
	field Input

	search   func(query string) any
	searched string // the query whose answer is awaited; empty: none
}

// NewPicker makes a picker; none is said where there are no rows, foot is how to use it, the
// longest way of saying it first.
func NewPicker(s *theme.Styles, title, none string, rows []Row, foot []string) *Picker {
	p := &Picker{styles: s, title: terminal.Line(title), none: none, foot: foot, all: rows, page: 5}
	p.narrow()
	return p
}

// Title puts another title in the place of the one there is.
func (p *Picker) Title(title string) { p.title = terminal.Line(title) }

// On makes keys result in something for the marked row; Delete only where nothing is typed.
func (p *Picker) On(keys map[string]func(Row) any) { p.keys = keys }

// Writes says that text is for the dialog.
func (p *Picker) Writes() bool { return true }

// Searches makes what is typed after a ? a search: ask makes the Result that asks for it, and
// Found brings what was found.
func (p *Picker) Searches(ask func(query string) any) { p.search = ask }

// Found brings the rows of a search, unless another query was typed since.
func (p *Picker) Found(query string, rows []Row) {
	if q, is := p.query(); is && q == query {
		p.searched = ""
		p.show(rows)
	}
}

// Refresh puts other rows in the place of those there are; the mark stays on its row, or where it
// is.
func (p *Picker) Refresh(rows []Row) {
	at, top := p.at, p.top
	was, _ := p.marked()
	p.all = rows
	p.narrow()
	p.goTo(at)
	p.top = top
	if i := slices.IndexFunc(p.shown, func(r Row) bool { return was.ID != "" && r.ID == was.ID }); i >= 0 {
		p.at = i
	}
}

// MarkHere marks the row that is the present one, or leaves the mark where there is none.
func (p *Picker) MarkHere() {
	if i := slices.IndexFunc(p.shown, func(r Row) bool { return r.Here }); i >= 0 {
		p.at = i
	}
}

// Write puts text into the field, which narrows the list.
func (p *Picker) Write(text string) {
	p.field.Insert(text)
	p.narrow()
}

// Scroll moves the mark by the wheel.
func (p *Picker) Scroll(n int) { p.move(n / wheelLines) }

// Key handles a key. Where there is a text, Home and End mean its ends, not the list's.
func (p *Picker) Key(k tea.KeyPressMsg) Outcome {
	r, marked := p.marked()
	empty := p.field.empty()
	if text, ok := keys.Text(k); ok {
		p.field.Insert(text)
		return p.typed()
	}
	switch name := keys.Name(k); {
	case p.keys[name] != nil && (name != "delete" || empty && marked):
		return Outcome{Result: p.keys[name](r)}
	case name == "esc", name == "ctrl+c":
		return Outcome{Closed: true}
	case name == "enter":
		if marked {
			return Outcome{Result: r.Result, Closed: !r.Stays}
		}
	case name == "up", name == "shift+tab", name == "ctrl+p":
		p.move(-1)
	case name == "down", name == "tab", name == "ctrl+n":
		p.move(1)
	case name == "pgup":
		p.goTo(p.at - p.page)
	case name == "pgdown":
		p.goTo(p.at + p.page)
	case name == "home" && empty:
		p.goTo(0)
	case name == "end" && empty:
		p.goTo(len(p.shown))
	case p.field.Key(k):
		return p.typed()
	}
	return Outcome{}
}

// marked is the row with the mark.
func (p *Picker) marked() (row Row, ok bool) {
	if p.at >= len(p.shown) {
		return row, false
	}
	return p.shown[p.at], true
}

// show puts rows into sight, from the first.
func (p *Picker) show(rows []Row) { p.shown, p.at, p.top = rows, 0, 0 }

// goTo moves the mark to a row, to an end where there is none so far.
func (p *Picker) goTo(at int) { p.at = max(min(at, len(p.shown)-1), 0) }

// move moves the mark, round the ends.
func (p *Picker) move(n int) {
	if len(p.shown) > 0 {
		p.at = ((p.at+n)%len(p.shown) + len(p.shown)) % len(p.shown)
	}
}

// query is what is searched for, and whether a search is what is typed.
func (p *Picker) query() (string, bool) {
	text, is := strings.CutPrefix(p.field.value(), "?")
	return strings.TrimSpace(text), is && p.search != nil
}

// typed is after the field changed.
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

// narrow shows the rows that what is typed means: those whose label, with the group's name, holds every word of it,
// then those that hold them elsewhere, then those in whose label its letters occur one after the other. Of rows in
// groups only the best of these are shown.
func (p *Picker) narrow() {
	words := strings.Fields(strings.ToLower(p.field.value()))
	if len(words) == 0 {
		p.show(p.all)
		return
	}
	var found [3][]Row
	for _, r := range p.all {
		label := strings.ToLower(r.Label)
		name := label + " " + strings.ToLower(r.Group)
		switch {
		case holds(name, words):
			found[0] = append(found[0], r)
		case holds(name+" "+strings.ToLower(r.Find), words):
			found[1] = append(found[1], r)
		case inOrder(label, strings.Join(words, "")):
			found[2] = append(found[2], r)
		}
	}
	if len(p.all) > 0 && p.all[0].Group != "" {
		p.show(found[max(slices.IndexFunc(found[:], func(rows []Row) bool { return len(rows) > 0 }), 0)])
		return
	}
	p.show(slices.Concat(found[:]...))
}

func holds(text string, words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
}

// inOrder says whether the letters occur in text one after the other.
func inOrder(text, letters string) bool {
	for _, r := range letters {
		i := strings.IndexRune(text, r)
		if i < 0 {
			return false
		}
		text = text[i+len(string(r)):]
	}
	return true
}

// besideTitle is the room, in lines, that is left beside a title of several.
const besideTitle = 6

// Lines draws it.
func (p *Picker) Lines(width, height int) []string {
	s := p.styles
	inner := sheetWidth(width, pickerWidth)
	framed := width >= narrowest && height >= frameLines+4
	room := roomIn(height, framed)
	var head, note, foot []string
	switch title := markdown.Wrap(p.title, theme.Open(s.AccentBold), inner); {
	case room >= besideTitle+len(title):
		head = title
	case room >= 3:
		head = append(head, s.AccentBold.Render(ansi.Truncate(p.title, inner, "…")))
	}
	if room >= 2 {
		head = append(head, p.field.Line(s, inner))
	}
	room -= len(head)
	if room >= 4 && len(p.foot) > 0 {
		foot = []string{s.Muted.Render(fitting(p.foot, inner))}
		room--
	}
	if room >= 3+noteLines {
		note = p.note(inner)
		room -= len(note)
	}
	if room >= 6 {
		head, note = append(head, ""), append([]string{""}, note...)
		room -= 2
		if len(note) > 1 && room >= 8 {
			foot = append([]string{""}, foot...)
			room--
		}
	}
	list := p.list(inner, room)
	if more := p.more(); more != "" && len(head) > 0 {
		head[0] = phrase.Spread(head[0], s.Muted.Render(more), inner)
	}
	return enclose(s, slices.Concat(head, list, note, foot), inner, height, framed)
}

// note is what is said of the marked row, always as many lines; none where no row has one.
func (p *Picker) note(inner int) []string {
	if !slices.ContainsFunc(p.all, func(r Row) bool { return r.Note != "" }) {
		return nil
	}
	lines := make([]string, noteLines)
	r, ok := p.marked()
	if ok && r.Value != "" && inner < roomForRight {
		r.Note = phrase.Join(r.Note, r.Right)
	}
	rows := markdown.Wrap(terminal.Line(r.Note), theme.Open(p.styles.Muted), inner)
	if len(rows) > noteLines {
		rows[noteLines-1] = ansi.Truncate(rows[noteLines-1], max(inner-1, 1), "") + p.styles.Muted.Render("…")
	}
	copy(lines, rows)
	return lines
}

// list draws the rows that fit into room lines, the marked one among them.
func (p *Picker) list(inner, room int) []string {
	if room <= 0 {
		return nil
	}
	if len(p.shown) == 0 {
		return []string{p.styles.Muted.Render(ansi.Truncate(p.nothing(), inner, "…"))}
	}
	p.top = max(min(p.top, p.at), 0)
	for p.size(p.top, p.at+1) > room && p.top < p.at {
		p.top++
	}
	for p.top > 0 && p.size(p.top-1, len(p.shown)) <= room { // no room is left below
		p.top--
	}
	var out []string
	i := p.top
	for ; i < len(p.shown) && len(out) < room; i++ {
		out = append(append(out, p.header(i, i == p.top, inner)...), p.row(i, inner)...)
	}
	p.page, p.below = max(i-p.top-1, 1), len(p.shown)-i
	return out[:min(len(out), room)]
}

// more says that the list goes on beyond what is in sight.
func (p *Picker) more() string {
	switch {
	case len(p.shown) == 0, p.below <= 0 && p.top == 0:
		return ""
	case p.below <= 0:
		return fmt.Sprintf("↑ %d more", p.top)
	}
	return fmt.Sprintf("↓ %d more", p.below)
}

const (
	leastAbout   = 12 // cells in which what a row is about is begun
	roomForRight = 64 // cells in which something stands at the right beside a value
)

// about is what a row is about, or its value, after its label, in at most room cells for both.
func (p *Picker) about(r Row, label string, room int) string {
	column := 0
	for _, other := range p.all {
		if other.About+other.Value != "" {
			column = max(column, ansi.StringWidth(other.Label))
		}
	}
	column = min(column, room/2)
	pad := max(column-ansi.StringWidth(label), 0) + 2
	left := room - ansi.StringWidth(label) - pad
	if r.About+r.Value == "" || left < leastAbout && r.Value == "" || left < 1 {
		return ""
	}
	style := p.styles.Muted
	if r.Set {
		style = p.styles.Accent
	}
	return style.Render(strings.Repeat(" ", pad) + ansi.Truncate(text.OneLine(terminal.Line(r.About+r.Value)), left, "…"))
}

func (p *Picker) nothing() string {
	switch q, is := p.query(); {
	case is && q == "":
		return "Type words to search the conversations for"
	case p.searched != "":
		return "Searching…"
	case p.field.empty():
		return p.none
	}
	return "Nothing matches"
}

// header is the name of the group that a row is the first of, in sight below others or not; none where it is not.
func (p *Picker) header(i int, first bool, inner int) []string {
	group := p.shown[i].Group
	if group == "" || !first && p.shown[i-1].Group == group {
		return nil
	}
	out := []string{p.styles.Bold.Render(ansi.Truncate(terminal.Line(group), inner, "…"))}
	if !first {
		out = append([]string{""}, out...)
	}
	return out
}

// size is the lines of some rows, the first of them at the top.
func (p *Picker) size(from, to int) int {
	n := 0
	for i := from; i < to; i++ {
		n += len(p.header(i, i == from, 1)) + 1 + len(p.shown[i].Below)
	}
	return n
}

func (p *Picker) row(i, inner int) []string {
	s, r := p.styles, p.shown[i]
	lead, label := "  ", text.OneLine(terminal.Line(r.Label))
	open := s.Text
	if i == p.at {
		lead, open = s.Accent.Render("›")+" ", s.Bold
	}
	if r.Here {
		label = "● " + label
	}
	room := inner - 2
	right := ""
	for i, text := range []string{r.Right, r.Short} {
		text = terminal.Line(text)
		if w := ansi.StringWidth(text); w > 0 && (r.Value == "" || inner >= roomForRight) && room-w-2 >= min(ansi.StringWidth(label), room/(i+2)) {
			right, room = text, room-w-2
			break
		}
	}
	if r.Value != "" {
		label = ansi.Truncate(label, max(room-leastAbout, room/2), "…")
	}
	label = ansi.Truncate(label, room, "…")
	line := lead + open.Render(label) + p.about(r, label, room)
	out := []string{phrase.Spread(line, s.Muted.Render(right), inner)}
	for _, b := range r.Below {
		b = text.OneLine(terminal.Line(b))
		out = append(out, s.Muted.Render(ansi.Truncate("    "+b, inner, "…")))
	}
	return out
}
