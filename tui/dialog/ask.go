package dialog

import (
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/terminal"
	"chatvault/tui/keys"
	"chatvault/tui/markdown"
	"chatvault/tui/theme"
)

// Ask asks for a line of text: a key, which is masked, or a setting. It promises that what is
// masked is never drawn, and that nothing empty is given.
type Ask struct {
	styles *theme.Styles
	title  string
	body   string
	field  Input
	hint   string
	foot   []string
	give   func(value string) any
	escape any
	early  bool // takes no keys yet
	aside  bool // a text is written below: keys are that text's until the user moves into the field
	scroller
}

// NewAsk asks title; body says why and what becomes of the answer. What is written results in
// what give makes of it; Esc gives escape. foot is how to use it, the longest way of saying it first.
func NewAsk(s *theme.Styles, title, body string, masked bool, give func(value string) any, escape any, foot ...string) *Ask {
	return &Ask{
		styles: s, title: terminal.StrictLine(title), body: terminal.Strict(body), field: Input{masked: masked}, give: give, escape: escape, foot: foot,
	}
}

// Begin puts text into the field, to be changed.
func (a *Ask) Begin(text string) { a.field.Insert(text) }

// Say says what is wrong with what is written, until the next key.
func (a *Ask) Say(hint string) { a.hint = terminal.Line(hint) }

// Writes reports whether text is for the field.
func (a *Ask) Writes() bool { return !a.aside && !a.early }

// Ready implements Yielding.
func (a *Ask) Ready(ready bool) { a.early = !ready }

// Aside implements Yielding.
func (a *Ask) Aside() { a.aside = true }

// Follow implements Yielding.
func (a *Ask) Follow(writing bool) bool {
	if writing || !a.aside {
		return false
	}
	a.aside = false
	return true
}

// Key handles a key.
func (a *Ask) Key(k tea.KeyPressMsg) Outcome {
	if scrolls(a, k) {
		return Outcome{}
	}
	if a.aside {
		return a.keyBeside(k)
	}
	a.hint = ""
	if text, ok := keys.Text(k); ok {
		if !a.field.Insert(text) {
			a.hint = "Too long: more than 8 KB."
		}
		return Outcome{}
	}
	switch keys.Name(k) {
	case "esc", "ctrl+c":
		return Outcome{Result: a.escape, Closed: true}
	case "enter":
		if !a.field.empty() {
			return Outcome{Result: a.give(a.field.value()), Closed: true}
		}
		a.hint = "Nothing entered yet: type or paste it."
	default:
		a.field.Key(k)
	}
	return Outcome{}
}

// keyBeside handles a key while a text is written below.
func (a *Ask) keyBeside(k tea.KeyPressMsg) Outcome {
	switch keys.Name(k) {
	case "esc":
		return Outcome{Result: a.escape, Closed: true}
	case "up", "down", "tab", "shift+tab":
		a.aside = false
		return Outcome{}
	}
	return Outcome{Typed: true}
}

// Lines draws it.
func (a *Ask) Lines(width, height int) []string {
	s := a.styles
	inner := sheetWidth(width, askWidth)
	fixed, ways := []string{a.field.Line(s, inner)}, a.foot
	if a.aside {
		ways = []string{"Tab to fill it in · Enter to send your text", "Tab to fill it in"}
	}
	if a.hint != "" {
		fixed = append(fixed, markdown.Wrap(a.hint, theme.Open(s.Warn), inner)...)
	}
	framed := width >= narrowest && height >= frameLines+2+len(fixed)
	room := roomIn(height, framed)
	fixed = around(fixed, 0, max(min(len(fixed), room-1), 1))
	title, body := s.AccentBold.Render(ansi.Truncate(a.title, inner, "…")), markdown.Wrap(a.body, "", inner)
	lines := stack(s, inner, room, len(body), title, nil, fixed, ways, func(room int) []string { return a.window(s, body, inner, room) })
	return enclose(s, lines, inner, height, framed)
}
