package dialog

import (
	tea "charm.land/bubbletea/v2"

	"chatvault/internal/base/cells"
	"chatvault/internal/base/terminal"
	"chatvault/tui/composer"
	"chatvault/tui/keys"
	"chatvault/tui/markdown"
	"chatvault/tui/theme"
)

// askWidth is the maximum width of the dialog, in cells.
const askWidth = 68

// Ask asks for a line of text: a masked key, or a setting. Masked text is never drawn, and empty text is not
// accepted.
type Ask struct {
	page
	title  string
	field  composer.Field
	hint   string
	foot   []string
	give   func(value string) any
	escape any
	yields
}

// NewAsk returns the dialog. body explains the purpose. Enter returns give of the text, Esc returns escape. foot
// lists hints, least important first.
func NewAsk(s *theme.Styles, title, body string, masked bool, give func(value string) any, escape any, foot ...string) *Ask {
	text := &block{draw: func(width int) []string { return markdown.Wrap(terminal.Strict(body), "", width) }}
	return &Ask{
		page: newPage(s, text), title: s.AccentBold.Render(terminal.StrictLine(title)), field: composer.Field{Masked: masked}, give: give, escape: escape, foot: foot,
		yields: yields{ready: true},
	}
}

// Begin inserts the initial text.
func (a *Ask) Begin(text string) { a.field.Insert(text) }

// Say shows an error until the next key.
func (a *Ask) Say(hint string) { a.hint = terminal.Line(hint) }

// Writes reports whether the field takes text: while a text is being written below, only after the user has moved
// into the field.
func (a *Ask) Writes() bool { return a.ready && !a.aside }

// Key implements Dialog.
func (a *Ask) Key(k tea.KeyPressMsg) Outcome {
	name := keys.Name(k)
	switch {
	case a.scrolls(k):
		return Outcome{}
	case name == "esc", name == "ctrl+c" && !a.aside:
		return Outcome{Result: a.escape, Closed: true}
	case a.aside:
		if a.aside = name != "up" && name != "down" && name != "tab" && name != "shift+tab"; a.aside {
			return Outcome{Typed: true}
		}
		return Outcome{}
	}
	a.hint = ""
	if text, ok := keys.Text(k); ok {
		if !a.field.Insert(text) {
			a.hint = "Too long: more than 8 KB."
		}
		return Outcome{}
	}
	switch {
	case name != "enter":
		a.field.Key(k)
	case a.field.Trimmed() == "":
		a.hint = "Nothing entered yet: type or paste it."
	default:
		return Outcome{Result: a.give(a.field.Trimmed()), Closed: true}
	}
	return Outcome{}
}

// Lines implements Dialog.
func (a *Ask) Lines(width, height int) []string {
	inner := innerWidth(width, askWidth)
	l := layout{title: []string{cells.Truncate(a.title, inner, "…")}, fixed: []string{a.field.Line(a.styles, inner)}, foot: a.foot}
	if a.aside {
		l.foot = []string{"Enter to send your text", "Tab to fill it in"}
	}
	if a.hint != "" {
		l.fixed = append(l.fixed, markdown.Wrap(a.hint, theme.Open(a.styles.Warn), inner)...)
	}
	return a.draw(l, inner, width, height)
}
