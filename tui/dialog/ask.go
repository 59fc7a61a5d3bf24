package dialog

import (
	tea "github.com/charmbracelet/bubbletea"
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
	scroller
}

// NewAsk asks title; body says why and what becomes of the answer. What is written results in
// what give makes of it; Esc gives escape.
func NewAsk(s *theme.Styles, title, body string, masked bool, give func(value string) any, escape any) *Ask {
	return &Ask{
		styles: s, title: terminal.StrictLine(title), body: terminal.Strict(body), field: Input{masked: masked}, give: give, escape: escape,
		foot: []string{"Enter to submit · Esc to decline", "Enter submit · Esc decline"},
	}
}

// Begin puts text into the field, to be changed.
func (a *Ask) Begin(text string) { a.field.Insert(text) }

// Say says what is wrong with what is written, until the next key.
func (a *Ask) Say(hint string) { a.hint = terminal.Line(hint) }

// Foot says how to use it in other words, the longest way of saying it first.
func (a *Ask) Foot(ways ...string) { a.foot = ways }

// Writes says that text is for the dialog.
func (a *Ask) Writes() bool { return true }

// Key handles a key.
func (a *Ask) Key(k tea.KeyMsg) Outcome {
	if scrolls(a, k) {
		return Outcome{}
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

// Lines draws it.
func (a *Ask) Lines(width, height int) []string {
	s := a.styles
	inner := sheetWidth(width, askWidth)
	sh := sheet{
		title:   s.AccentBold.Render(ansi.Truncate(a.title, inner, "…")),
		content: markdown.Wrap(a.body, "", inner),
		fixed:   []string{a.field.Line(s, inner)},
		foot:    a.foot,
	}
	if a.hint != "" {
		sh.fixed = append(sh.fixed, markdown.Wrap(a.hint, theme.Open(s.Warn), inner)...)
	}
	return sh.draw(s, &a.scroller, width, inner, height)
}
