package chat

import (
	"chatvault/internal/terminal"
	"chatvault/tui/list"
	"chatvault/tui/markdown"
	"chatvault/tui/theme"
)

// Earlier is a placeholder for messages that are loaded when the view comes near.
type Earlier struct {
	reading bool
	why     string
	card
}

// NewEarlier returns a placeholder.
func NewEarlier(env *Env) *Earlier { return &Earlier{card: card{env: env}} }

// Reading marks the messages as being loaded.
func (e *Earlier) Reading() { e.stand(true, "") }

// Rest marks the messages as not being loaded.
func (e *Earlier) Rest() { e.stand(false, "") }

// Fail shows why loading failed.
func (e *Earlier) Fail(why string) { e.stand(false, terminal.Line(why)) }

func (e *Earlier) stand(reading bool, why string) {
	e.reading, e.why = reading, why
	e.touch()
}

// Lines implements list.Item.
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

// IsEarlier reports whether an item is a placeholder for earlier messages.
func IsEarlier(it list.Item) bool {
	_, ok := it.(*Earlier)
	return ok
}

// Selectable reports whether an item can be selected: not the welcome screen and not a placeholder.
func Selectable(it list.Item) bool {
	_, welcome := it.(*Welcome)
	return !welcome && !IsEarlier(it)
}
