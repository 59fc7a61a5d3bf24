package find

import (
	"chatvault/tui/keys"

	"github.com/charmbracelet/bubbles/key"
)

// Keys is the keys while words are looked for.
type Keys struct{ Next, Before key.Binding }

// DefaultKeys are they where nothing else is bound.
func DefaultKeys() Keys {
	bind := keys.Bind
	return Keys{
		Next:   bind("Enter, ↓", "the next match", "enter", "down", "ctrl+n"),
		Before: bind("↑, Alt+Enter", "the previous match (Shift+Enter, where the terminal supports it)", "up", "alt+enter"),
	}
}
