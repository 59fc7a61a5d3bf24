package find

import (
	"chatvault/tui/keys"

	"github.com/charmbracelet/bubbles/key"
)

// Keys is the keys while words are looked for.
type Keys struct{ Before, Next key.Binding }

// DefaultKeys are they where nothing else is bound.
func DefaultKeys() Keys {
	bind := keys.Bind
	return Keys{
		Before: bind("Enter, ↑, Ctrl+P", "previous match (older)", "enter", "up", "ctrl+p"),
		Next:   bind("↓, Ctrl+N, Alt+Enter", "next match (newer) (Shift+Enter, where the terminal supports it)", "down", "ctrl+n", "alt+enter"),
	}
}
