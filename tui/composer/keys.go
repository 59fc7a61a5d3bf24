package composer

import (
	"github.com/charmbracelet/bubbles/key"

	"chatvault/tui/keys"
)

// KeyMap is the composer's keys.
type KeyMap struct {
	Newline, Left, Right, Up, Down, WordLeft, WordRight, LineStart, LineEnd,
	Backspace, Delete, DeleteWordLeft, DeleteWordRight, KillLeft, KillRight, Search, Unfold key.Binding
}

// DefaultKeyMap is what readline users expect. Shift+Enter cannot be told from
// Enter in most terminals, hence the keys for a new line; where it can, it comes as Alt+Enter.
func DefaultKeyMap() KeyMap {
	bind := keys.Bind
	return KeyMap{
		Newline:         bind("Alt+Enter, Ctrl+J", "new line (or a \\ before Enter; Shift+Enter, where the terminal supports it)", "alt+enter", "ctrl+j"),
		Left:            bind("←", "left", "left", "ctrl+b"),
		Right:           bind("→", "right", "right"),
		Up:              bind("↑", "line up, then earlier messages", "up"),
		Down:            bind("↓", "line down, then later messages", "down"),
		WordLeft:        bind("Ctrl+←", "word left", "ctrl+left", "alt+left", "alt+b"),
		WordRight:       bind("Ctrl+→", "word right", "ctrl+right", "alt+right", "alt+f"),
		LineStart:       bind("Home, Ctrl+A", "start of line", "home", "ctrl+a"),
		LineEnd:         bind("End, Ctrl+E", "end of line", "end", "ctrl+e"),
		Backspace:       bind("Backspace", "delete left", "backspace", "ctrl+h"),
		Delete:          bind("Delete", "delete right", "delete", "ctrl+d"),
		DeleteWordLeft:  bind("Ctrl+W", "delete word left", "ctrl+w", "alt+backspace"),
		DeleteWordRight: bind("Alt+D", "delete word right", "alt+d", "alt+delete"),
		KillLeft:        bind("Ctrl+U", "delete to start of line", "ctrl+u"),
		KillRight:       bind("Ctrl+K", "delete to end of line", "ctrl+k"),
		Search:          bind("Ctrl+R", "search what you sent; again: earlier ones", "ctrl+r"),
		Unfold:          bind("Ctrl+X", "show all of the pasted text (or paste it again)", "ctrl+x"),
	}
}
