package composer

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

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

// Help is what the help screen lists.
func (k KeyMap) Help() []key.Binding {
	return []key.Binding{
		k.Newline, k.Up, k.Down, k.Search, k.Unfold, k.WordLeft, k.WordRight, k.LineStart, k.LineEnd,
		k.DeleteWordLeft, k.DeleteWordRight, k.KillLeft, k.KillRight,
	}
}

type action int

const (
	doNothing action = iota
	doNewline
	doLeft
	doRight
	doUp
	doDown
	doWordLeft
	doWordRight
	doLineStart
	doLineEnd
	doBackspace
	doDelete
	doDeleteWordLeft
	doDeleteWordRight
	doKillLeft
	doKillRight
	doSearch
	doUnfold
)

func (k KeyMap) action(msg tea.KeyMsg) action {
	for _, b := range []struct {
		key.Binding
		do action
	}{
		{k.Newline, doNewline},
		{k.Left, doLeft},
		{k.Right, doRight},
		{k.Up, doUp},
		{k.Down, doDown},
		{k.WordLeft, doWordLeft},
		{k.WordRight, doWordRight},
		{k.LineStart, doLineStart},
		{k.LineEnd, doLineEnd},
		{k.Backspace, doBackspace},
		{k.Delete, doDelete},
		{k.DeleteWordLeft, doDeleteWordLeft},
		{k.DeleteWordRight, doDeleteWordRight},
		{k.KillLeft, doKillLeft},
		{k.KillRight, doKillRight},
		{k.Search, doSearch},
		{k.Unfold, doUnfold},
	} {
		if keys.Matches(msg, b.Binding) {
			return b.do
		}
	}
	return doNothing
}
