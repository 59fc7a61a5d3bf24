package chat

import (
	"chatvault/internal/base/terminal"
	"chatvault/tui/list"
)

// Earlier is a placeholder for messages that are loaded when the view comes near.
type Earlier struct {
	state string // follows "Earlier messages"
	card
}

// NewEarlier returns a placeholder.
func NewEarlier(env *Env) *Earlier { return &Earlier{card: card{env: env}} }

// Reading marks the messages as being loaded.
func (e *Earlier) Reading() { e.set("…") }

// Rest marks the messages as not being loaded.
func (e *Earlier) Rest() { e.set("") }

// Fail shows why loading failed.
func (e *Earlier) Fail(why string) {
	e.set(" could not be read: " + terminal.Line(why) + ". Scrolling up tries again.")
}

func (e *Earlier) set(state string) {
	e.state = state
	e.touch()
}

// Lines implements list.Item.
func (e *Earlier) Lines(width int) []string {
	return e.paint(width, func(p *page) string {
		p.text(p.Muted, "Earlier messages"+e.state)
		return p.Muted.Render("↑")
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
