package dialog

import (
	"slices"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/terminal"
	"chatvault/tui/keys"
	"chatvault/tui/list"
	"chatvault/tui/markdown"
	"chatvault/tui/theme"
)

// comfortable is how many lines there should be beside the choices, for title and text.
const comfortable = 10

// Reader shows something to read, which scrolls, and what can be done with it below. What is
// typed goes on to the composer.
type Reader struct {
	styles *theme.Styles
	title  string
	about  string
	reading
	chooser
	begun bool
	fit   bool
	seek  Seeker
	rowed bool // the choices stand side by side, as drawn last
}

// NewReader makes a reader, which begins at the beginning; about is a quiet line below the
// title, or empty. Esc gives escape.
func NewReader(s *theme.Styles, title, about string, column *list.List, choices []Choice, escape any, writing bool) *Reader {
	return &Reader{
		styles: s, title: terminal.Line(title), about: terminal.Line(about), reading: reading{column: column},
		chooser: chooser{choices: choices, escape: escape, aside: writing},
	}
}

// Fit makes it no higher than what it shows.
func (r *Reader) Fit() { r.fit = true }

// Seeker is what was searched for in a column.
type Seeker interface {
	// Seek brings the nth next place into sight, 0: the best; false: there is none.
	Seek(n int) bool
	// Mark sets it off in the rows in sight by a style, which open begins.
	Mark(rows []string, open string)
}

// Seek has the reader begin at what was searched for, and go on with n and N.
func (r *Reader) Seek(s Seeker) { r.seek = s }

// Key handles a key.
func (r *Reader) Key(k tea.KeyPressMsg) Outcome {
	if scrolls(r, k) || !r.aside && toEnd(r, k) {
		return Outcome{}
	}
	if !r.aside {
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
	out, chosen := r.key(k)
	if !chosen {
		return out
	}
	c := r.choices[r.at]
	return Outcome{Result: c.Result, Closed: !c.Stays}
}

// Lines draws it.
func (r *Reader) Lines(width, height int) []string {
	s := r.styles
	inner := sheetWidth(width, readerWidth)
	fixed, focus := choiceLines(s, r.choices, r.at, r.marked(), inner), r.at
	if r.rowed = height < frameLines+comfortable+len(fixed); r.rowed { // side by side, where reading would get no room
		fixed, focus = choiceRows(s, r.choices, r.at, r.marked(), inner)
	}
	framed := width >= narrowest && height >= frameLines+3+len(fixed)
	room := roomIn(height, framed)
	fixed = around(fixed, focus, max(min(len(fixed), room-1), 1))
	title := s.AccentBold.Render(ansi.Truncate(r.title, inner, "…"))
	lines := r.draw(s, inner, room, title, func(room int) []string { return r.aboutLines(inner, room) }, fixed, r.foot(), r.body)
	return enclose(s, lines, inner, height, framed)
}

// aboutLines are what is said of what is read, a quarter of the room at most.
func (r *Reader) aboutLines(inner, room int) []string {
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

func (r *Reader) body(room int) []string {
	if !r.begun {
		r.begun = true
		r.column.Home()
		if r.seek != nil {
			r.seek.Seek(0)
		}
	}
	body := r.column.Lines()
	if r.seek != nil {
		body = slices.Clone(body)
		r.seek.Mark(body, theme.Open(r.styles.Warn.Underline(true).Bold(!r.styles.Colorful)))
	}
	if !r.fit {
		body = append(body, make([]string, max(room-len(body), 0))...)
	}
	return body
}

func (r *Reader) foot() []string {
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
