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
	Label  string
	About  string   // quiet, after the label, in a column of its own
	Right  string   // quiet, at the right end: how long, when
	Short  string   // what of Right is said where there is no room for all; may be empty
	Below  []string // quiet, a line each
	Here   bool     // it is the present one
	Find   string   // what the filter looks at beside Label
	Result any
	Stays  bool // the picker stays open below what comes of it
}

func (r Row) id() string { return r.ID }

func (r Row) says() (label, beside, about string) { return r.Label, "", r.Find }

// Picker is a list to pick from, which what is typed narrows. It promises that what picks is Enter, and what is
// marked stays in sight.
type Picker struct {
	styles *theme.Styles
	title  string
	none   string // what is said where there is nothing to pick
	foot   []string
	below  int // rows below those in sight
	narrowed[Row]

	search   func(query string) any
	searched string // the query whose answer is awaited; empty: none
}

// NewPicker makes a picker; none is said where there are no rows, foot is how to use it, the
// longest way of saying it first.
func NewPicker(s *theme.Styles, title, none string, rows []Row, foot []string) *Picker {
	p := &Picker{styles: s, title: terminal.Line(title), none: none, foot: foot, narrowed: narrowed[Row]{all: rows, page: 5}}
	p.narrow()
	return p
}

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
func (p *Picker) Refresh(rows []Row) { p.refresh(rows, p.narrow) }

// Write puts text into the field, which narrows the list.
func (p *Picker) Write(text string) {
	p.field.Insert(text)
	p.narrow()
}

// Scroll moves the mark by the wheel.
func (p *Picker) Scroll(n int) { p.move(n / wheelLines) }

// Key handles a key.
func (p *Picker) Key(k tea.KeyPressMsg) Outcome {
	switch keys.Name(k) {
	case "esc", "ctrl+c":
		return Outcome{Closed: true}
	case "enter":
		if r, ok := p.marked(); ok {
			return Outcome{Result: r.Result, Closed: !r.Stays}
		}
	case "up", "shift+tab", "ctrl+p":
		p.move(-1)
	case "down", "tab", "ctrl+n":
		p.move(1)
	default:
		if p.key(k) {
			return p.typed()
		}
	}
	return Outcome{}
}

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

// narrow shows the rows that what is typed means, the best first.
func (p *Picker) narrow() {
	found := p.ranks()
	p.show(slices.Concat(found[:]...))
}

// besideTitle is the room, in lines, that is left beside a title of several.
const besideTitle = 6

// Lines draws it.
func (p *Picker) Lines(width, height int) []string {
	s := p.styles
	inner := sheetWidth(width, pickerWidth)
	framed := width >= narrowest && height >= frameLines+4
	room := roomIn(height, framed)
	var head, foot []string
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
	if room >= 6 {
		head, foot = append(head, ""), append([]string{""}, foot...)
		room -= 2
	}
	list := p.list(inner, room)
	if more := p.more(); more != "" && len(head) > 0 {
		head[0] = phrase.Spread(head[0], s.Muted.Render(more), inner)
	}
	lines := append(append(head, list...), foot...)
	return enclose(s, lines, inner, height, framed)
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
		out = append(out, p.row(i, inner)...)
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

// leastAbout is the least room in which what a row is about is begun, in cells.
const leastAbout = 12

// about is what a row is about, after its label, in at most room cells for both.
func (p *Picker) about(r Row, label string, room int) string {
	column := 0
	for _, other := range p.all {
		if other.About != "" {
			column = max(column, ansi.StringWidth(other.Label))
		}
	}
	column = min(column, room/2)
	pad := max(column-ansi.StringWidth(label), 0) + 2
	left := room - ansi.StringWidth(label) - pad
	if r.About == "" || left < leastAbout {
		return ""
	}
	return strings.Repeat(" ", pad) + ansi.Truncate(text.OneLine(terminal.Line(r.About)), left, "…")
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

// size is the lines of some rows.
func (p *Picker) size(from, to int) int {
	n := 0
	for _, r := range p.shown[from:to] {
		n += 1 + len(r.Below)
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
		if w := ansi.StringWidth(text); w > 0 && room-w-2 >= min(ansi.StringWidth(label), room/(i+2)) {
			right, room = text, room-w-2
			break
		}
	}
	label = ansi.Truncate(label, room, "…")
	line := lead + open.Render(label)
	if about := p.about(r, label, room); about != "" {
		line += s.Muted.Render(about)
	}
	out := []string{phrase.Spread(line, s.Muted.Render(right), inner)}
	for _, b := range r.Below {
		b = text.OneLine(terminal.Line(b))
		out = append(out, s.Muted.Render(ansi.Truncate("    "+b, inner, "…")))
	}
	return out
}

// MarkHere marks the row that is the present one, or leaves the mark where there is none.
func (p *Picker) MarkHere() {
	if i := slices.IndexFunc(p.shown, func(r Row) bool { return r.Here }); i >= 0 {
		p.at = i
	}
}
