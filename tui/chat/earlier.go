package chat

import (
	"chatvault/internal/terminal"
	"chatvault/tui/list"
	"chatvault/tui/markdown"
	"chatvault/tui/theme"
)

// Earlier is where messages are missing that come before those below: they are read when the
// view comes near.
type Earlier struct {
	reading bool
	why     string
	card
}

// NewEarlier makes the item.
func NewEarlier(env *Env) *Earlier { return &Earlier{card: card{env: env}} }

// Reading says that the messages are being read.
func (e *Earlier) Reading() { e.stand(true, "") }

// Rest says that they are not being read.
func (e *Earlier) Rest() { e.stand(false, "") }

// Fail says why they could not be read.
func (e *Earlier) Fail(why string) { e.stand(false, terminal.Line(why)) }

func (e *Earlier) stand(reading bool, why string) {
	e.reading, e.why = reading, why
	e.touch()
}

// Lines draws it.
func (e *Earlier) Lines(width int) []string {
	return e.paint(width, func(s *theme.Styles, room int) []string {
		text := "Earlier messages"
		switch {
		case e.reading:
			text += "…"
		case e.why != "":
			text += " could not be read: " + e.why + ". Scrolling up tries again."
		}
		return marked(s.Muted.Render("↑")+" ", "  ", markdown.Wrap(text, theme.Open(s.Muted), room))
	})
}

// IsEarlier says whether an item stands for messages that are not read yet.
func IsEarlier(it list.Item) bool {
	_, ok := it.(*Earlier)
	return ok
}

// Selectable leaves out what nobody said: what is there while nothing else is, and where messages
// are still to be read.
func Selectable(it list.Item) bool {
	_, welcome := it.(*Welcome)
	return !welcome && !IsEarlier(it)
}
