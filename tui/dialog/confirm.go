package dialog

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/terminal"
	"chatvault/internal/text"
	"chatvault/tui/keys"
	"chatvault/tui/markdown"
	"chatvault/tui/theme"
)

// Confirm asks for a decision, by the arrows and Enter.
type Confirm struct {
	styles  *theme.Styles
	title   string
	body    string
	quoted  string
	choices []Choice
	at      int
	escape  any
	typed   any

	items []string // what it is about, where that is a list
	noun  string   // what an item is called
}

// maxAbout is how many rows say what it is about.
const maxAbout = 4

// NewConfirm asks title; body explains, quoted is text from outside that it is
// about. The choice preferred is marked at first; Esc gives escape. Text that is typed
// gives typed, too, and closes the dialog, unless typed is nil.
func NewConfirm(s *theme.Styles, title, body, quoted string, choices []Choice, preferred int, escape, typed any) *Confirm {
	return &Confirm{
		styles: s, title: terminal.Line(title), body: terminal.Text(body), quoted: terminal.Text(quoted),
		choices: choices, at: preferred, escape: escape, typed: typed,
	}
}

// List says what it is about as a list of texts from outside, a line each: noun is what each is called.
func (c *Confirm) List(items []string, noun string) {
	c.items, c.noun = make([]string, len(items)), noun
	for i, item := range items {
		c.items[i] = terminal.Line(item)
	}
}

// Key handles a key.
func (c *Confirm) Key(k tea.KeyPressMsg) Outcome {
	if _, ok := keys.Text(k); ok {
		return Outcome{Result: c.typed, Closed: c.typed != nil, Typed: true}
	}
	switch keys.Name(k) {
	case "esc", "ctrl+c":
		return Outcome{Result: c.escape, Closed: true}
	case "up", "left", "shift+tab":
		c.at = (c.at + len(c.choices) - 1) % len(c.choices)
	case "down", "right", "tab":
		c.at = (c.at + 1) % len(c.choices)
	case "enter":
		return Outcome{Result: c.choices[c.at].Result, Closed: true}
	}
	return Outcome{}
}

// Lines draws it.
func (c *Confirm) Lines(width, height int) []string {
	s := c.styles
	inner := innerWidth(width, 68)
	foot := choiceLines(s, c.choices, c.at, true, inner)
	head := markdown.Wrap(c.title, theme.Open(s.AccentBold), inner)
	var body []string
	if c.body != "" {
		body = markdown.Wrap(c.body, "", inner)
	}
	// The choices stay in sight, whatever has to give way: first how to choose, then what
	// explains, then what it is about.
	room := max(height-frameLines-len(head)-len(foot)-2, 0)
	about := c.about(max(inner-2, 1), min(room, maxAbout))
	for i, row := range about {
		about[i] = s.Muted.Render("▎") + " " + row
	}
	if len(body)+1+len(about)+2 <= room {
		foot = append(foot, "", s.Muted.Render(ansi.Truncate("↑ ↓ choose · Enter to confirm · Esc to cancel", inner, "…")))
	}
	switch left := room - len(about); {
	case left < 2 || len(body) == 0:
		body = about
	default:
		body = append(body[:min(len(body), left-1)], append([]string{""}, about...)...)
	}
	lines := append([]string{}, head...)
	if len(body) > 0 {
		lines = append(append(lines, ""), body...)
	}
	return frame(s, append(append(lines, ""), foot...), inner, height)
}

// about are the rows that say what it is about, at most room: where that is too few, how much is
// left out is said in the last.
func (c *Confirm) about(inner, room int) []string {
	if room == 0 {
		return nil
	}
	more := c.styles.Muted.Render("…")
	if len(c.items) == 0 {
		if c.quoted == "" {
			return nil
		}
		rows := markdown.Wrap(c.quoted, "", inner)
		switch {
		case len(rows) <= room:
			return rows
		case room == 1:
			return []string{ansi.Truncate(rows[0], max(inner-1, 0), "") + more}
		}
		return append(rows[:room-1:room-1], more)
	}
	var rows []string
	for i, item := range c.items {
		next := slices.Concat(rows, markdown.Wrap(item, "", inner))
		left := len(c.items) - i - 1
		if len(next) > room || left > 0 && len(next) == room {
			return c.cut(rows, i, inner, room)
		}
		rows = next
	}
	return rows
}

// cut says in a row after the first n items how many more there are.
func (c *Confirm) cut(rows []string, n, inner, room int) []string {
	if n == 0 && room == 1 && len(c.items) > 1 {
		return []string{ansi.Truncate(fmt.Sprintf("%d %s: %s, …", len(c.items), text.Plural(len(c.items), c.noun), c.items[0]), inner, "…")}
	}
	if n == 0 { // at least the beginning of the first
		if len(c.items) > 1 {
			room--
		}
		rows, n = markdown.Wrap(c.items[0], "", inner), 1
		if len(rows) > room {
			rows = rows[:room:room]
			rows[room-1] = ansi.Truncate(rows[room-1], max(inner-1, 0), "") + "…"
		}
	}
	if n == len(c.items) {
		return rows
	}
	more := len(c.items) - n
	return append(rows, ansi.Truncate(fmt.Sprintf("… and %d more %s", more, text.Plural(more, c.noun)), inner, "…"))
}
