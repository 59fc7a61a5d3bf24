package tui

import "github.com/charmbracelet/bubbles/key"

// findKeyMap is the keys while words are looked for.
type findKeyMap struct{ Next, Before key.Binding }

func defaultFindKeyMap() findKeyMap {
	bind := func(help, desc string, keys ...string) key.Binding {
		return key.NewBinding(key.WithKeys(keys...), key.WithHelp(help, desc))
	}
	return findKeyMap{
		Next:   bind("Enter, ↓", "the next match", "enter", "down", "ctrl+n"),
		Before: bind("↑, Alt+Enter", "the match before (Shift+Enter, where the terminal tells it from Enter)", "up", "alt+enter"),
	}
}
