package chat

import (
	"chatvault/internal/base/terminal"
	"chatvault/tui/list"
)

// Earlier is a placeholder for messages that are loaded when the view comes near.
type Earlier struct {
	State string // follows "Earlier messages"
	card
}

// NewEarlier returns a placeholder.
func NewEarlier(env *Env) *Earlier { return &Earlier{card: card{env: env}} }

// Lines implements list.Item.
func (e *Earlier) Lines(width int) []string {
	return e.paint(width, e.State, func(p *page) string {
		p.text(p.Muted, "Earlier messages"+terminal.Line(e.State))
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
