package dialog

import (
	"math"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/terminal"
	"chatvault/tui/keys"
	"chatvault/tui/list"
	"chatvault/tui/markdown"
	"chatvault/tui/phrase"
	"chatvault/tui/theme"
)

// readerWidth is the widest that gets what is read, in cells.
const readerWidth = 104

// comfortable is how many lines there should be beside the choices, for title and text.
const comfortable = 10

// Reader shows something to read, which scrolls, and what can be done with it: choices below it, or where there are
// none, keys, beside which the arrows scroll and Enter closes. What is typed goes on to the composer.
type Reader struct {
	styles *theme.Styles
	title  string
	about  string
	column *list.List
	moved  bool // the reader scrolled
	chooser
	begun bool
	fit   bool
	seek  Seeker
	rowed bool // the choices stand side by side, as drawn last
	alone Alone
}

// Alone is what a Reader without choices has. Where and Warning are text from outside.
type Alone struct {
	Where   string         // at the right of the title, cut from its beginning: "Recipes/Tart.md:12"
	Warning string         // what should be known of it; may be empty
	Place   func(room int) // scrolls to what was asked for; called whenever it is drawn, until the reader scrolls
	Keys    map[string]any // what keys result in while nothing is being written
	Foot    []string       // how to use it then, the longest way of saying it first
	Closes  bool           // any key that does not scroll closes it; it is no wider than helpWidth
}

// NewAlone makes a reader without choices.
func NewAlone(s *theme.Styles, title string, column *list.List, a Alone, writing bool) *Reader {
	r := NewReader(s, title, "", column, nil, nil, writing)
	r.alone, r.fit = a, true
	return r
}

// NewReader makes a reader, which begins at the beginning; about is a quiet line below the
// title, or empty. Esc gives escape.
func NewReader(s *theme.Styles, title, about string, column *list.List, choices []Choice, escape any, writing bool) *Reader {
	return &Reader{
		styles: s, title: terminal.Line(title), about: terminal.Line(about), column: column,
		chooser: chooser{choices: choices, escape: escape, aside: writing},
	}
}

// Fit makes it no higher than what it shows.
func (r *Reader) Fit() { r.fit = true }

// Seeker is what was searched for in a column.
type Seeker interface {
	// Seek brings the nth next place into sight, 0: the best; false: there is none.
	Seek(n int) bool
	// Mark sets it off in the rows in sight by a style.
	Mark(rows []string, style lipgloss.Style)
}

// Seek has the reader begin at what was searched for, and go on with n and N.
func (r *Reader) Seek(s Seeker) { r.seek = s }

// Key handles a key.
func (r *Reader) Key(k tea.KeyPressMsg) Outcome {
	if scrolls(r, k) || !r.aside && toEnd(r, k) {
		return Outcome{}
	}
	if !r.aside {
		if result := r.alone.Keys[keys.Name(k)]; result != nil {
			return Outcome{Result: result}
		}
		for _, c := range r.choices {
			if c.Key != "" && c.Key == keys.Name(k) {
				return Outcome{Result: c.Result, Closed: !c.Stays}
			}
		}
		switch name := keys.Name(k); {
		case pagerKey(r, k):
			return Outcome{}
		case name == "q":
			return Outcome{Result: r.escape, Closed: true}
		case r.seek != nil && (name == "n" || name == "N"):
			r.seek.Seek(map[string]int{"n": 1, "N": -1}[name])
			return Outcome{}
		}
	}
	if len(r.choices) == 0 {
		return r.keyAlone(k)
	}
	out, chosen := r.key(k)
	if !chosen {
		return out
	}
	c := r.choices[r.at]
	return Outcome{Result: c.Result, Closed: !c.Stays}
}

// keyAlone handles a key where there are no choices.
func (r *Reader) keyAlone(k tea.KeyPressMsg) Outcome {
	_, text := keys.Text(k)
	switch name := keys.Name(k); {
	case name == "esc":
		return Outcome{Closed: true}
	case name == "up":
		r.Scroll(-1)
		return Outcome{}
	case name == "down":
		r.Scroll(1)
		return Outcome{}
	case r.alone.Closes:
		return Outcome{Closed: true, Typed: text && name != "?"}
	case text:
		r.aside = true
	case name == "ctrl+up", name == "ctrl+down":
		return Outcome{Closed: true, Typed: true} // on through the transcript
	case !r.aside:
		return Outcome{Closed: name == "enter" || name == "ctrl+c"}
	}
	return Outcome{Typed: true}
}

// Lines draws it.
func (r *Reader) Lines(width, height int) []string {
	s := r.styles
	inner := sheetWidth(width, readerWidth)
	if r.alone.Closes {
		inner = sheetWidth(width, helpWidth)
	}
	fixed, focus := choiceLines(s, r.choices, r.at, r.marked(), inner), r.at
	if r.rowed = height < frameLines+comfortable+len(fixed); r.rowed { // side by side, where reading would get no room
		fixed, focus = choiceRows(s, r.choices, r.at, r.marked(), inner)
	}
	framed := width >= narrowest && height >= frameLines+3+len(fixed)
	room := roomIn(height, framed)
	fixed = around(fixed, focus, max(min(len(fixed), room-1), 1))
	about := func(room int) []string { return r.aboutLines(inner, room) }
	lines := stack(s, inner, room, math.MaxInt, r.head(inner), about, fixed, r.foot(), func(room int) []string { return r.body(inner, room) })
	return enclose(s, lines, inner, height, framed)
}

// head is the title, and where what is read is.
func (r *Reader) head(inner int) string {
	if r.title == "" {
		return ""
	}
	title, where := ansi.Truncate(r.title, inner, "…"), terminal.Line(r.alone.Where)
	room := inner - ansi.StringWidth(title) - 2
	if w := ansi.StringWidth(where); w > room {
		const least = 8
		if where = "…" + ansi.TruncateLeft(where, w-room+1, ""); room < least {
			where = ""
		}
	}
	return phrase.Spread(r.styles.AccentBold.Render(title), r.styles.Muted.Render(where), inner)
}

// aboutLines are what is said of what is read, a quarter of the room at most.
func (r *Reader) aboutLines(inner, room int) []string {
	if r.alone.Warning != "" {
		rows := markdown.Wrap(terminal.Line(r.alone.Warning), theme.Open(r.styles.Warn), inner)
		return rows[:min(len(rows), 2)]
	}
	if r.about == "" {
		return nil
	}
	muted := r.styles.Muted
	about := markdown.Wrap(r.about, theme.Open(muted), inner)
	if most := max(room/4, 1); len(about) > most {
		about = append(about[:most-1], ansi.Truncate(about[most-1]+muted.Render(" …"), inner, muted.Render("…")))
	}
	return about
}

// Column is what it shows.
func (r *Reader) Column() *list.List { return r.column }

// Scroll moves what it shows down by n lines, up where n is negative.
func (r *Reader) Scroll(n int) {
	r.moved = true
	r.column.ScrollUp(max(-n, 0))
	r.column.ScrollDown(max(n, 0))
}

func (r *Reader) pageStep() int { return r.column.Page() }

func (r *Reader) home() {
	r.moved = true
	r.column.Home()
}

func (r *Reader) end() {
	r.moved = true
	r.column.End()
}

func (r *Reader) body(inner, room int) []string {
	r.column.SetSize(inner, room)
	if !r.begun {
		r.begun = true
		r.column.Home()
		if r.seek != nil {
			r.seek.Seek(0)
		}
	}
	if !r.moved && r.alone.Place != nil {
		r.alone.Place(room)
	}
	body := r.column.Lines()
	if r.seek != nil {
		body = slices.Clone(body)
		r.seek.Mark(body, r.styles.Warn.Underline(true).Bold(!r.styles.Colorful))
	}
	if _, more := r.column.Below(); more && !r.alone.Closes && len(body) == room && room > 1 && inner > 4 {
		last := ansi.Truncate(body[room-1], inner-2, "")
		body[room-1] = last + strings.Repeat(" ", max(inner-2-ansi.StringWidth(last), 0)) + " " + r.styles.Key.Render("↓")
	}
	if !r.fit {
		body = append(body, make([]string, max(room-len(body), 0))...)
	}
	return body
}

func (r *Reader) foot() []string {
	switch {
	case len(r.choices) > 0:
	case r.aside:
		return []string{"↑ ↓ PgUp PgDn scroll · Enter to send your text · Esc back", "↑ ↓ scroll · Esc back"}
	default:
		return r.alone.Foot
	}
	arrows := "↑ ↓"
	if r.rowed && len(r.choices) > 1 {
		arrows = "← →"
	}
	if r.aside {
		return []string{"PgUp PgDn scroll · " + arrows + " choose · Enter to send your text · Esc back", arrows + " choose · Esc back"}
	}
	matches := ""
	if r.seek != nil {
		matches = "n N matches · "
	}
	return []string{
		"j k d u scroll · " + matches + arrows + " choose · Enter to confirm · Esc back",
		"j k scroll · " + matches + arrows + " choose · Enter · Esc back", "j k · " + arrows + " · Enter · Esc back",
	}
}
