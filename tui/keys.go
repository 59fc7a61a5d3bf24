package tui

import (
	"chatvault/tui/keys"

	"github.com/charmbracelet/bubbles/key"
)

// keyMap is the screen's own keys; the composer has more.
type keyMap struct {
	Send, Hold, Details, Proposal, SelectUp, SelectDown, Cited, Stop, Clear, QuitEmpty, Help, Example,
	EditLast, PageUp, PageDown, LineUp, LineDown, Top, Bottom, Redraw, Suspend, Editor,
	Palette, TakeBack, HelpWhenEmpty, TopWhenEmpty, BottomWhenEmpty,
	Find, Mouse, Model key.Binding
}

func defaultKeyMap() keyMap {
	bind := keys.Bind
	return keyMap{
		Send:       bind("Enter", "send; while a turn runs, add to it", "enter"),
		Hold:       bind("Tab", "send for the next turn, while one runs", "tab"),
		Details:    bind("Ctrl+T", "show or fold details: reasoning, steps, results", "ctrl+t"),
		Proposal:   bind("Ctrl+G", "show what a look back proposes", "ctrl+g"),
		Cited:      bind("Shift+Tab", "the notes the last answer refers to: Enter shows one, e edits it, o opens it in Obsidian, Tab goes on", "shift+tab"),
		SelectUp:   bind("Ctrl+↑", "select what was said, one by one; Tab goes through the notes it refers to", "ctrl+up"),
		SelectDown: bind("Ctrl+↓", "select the next", "ctrl+down"),
		Stop:       bind("Esc", "stop the running turn; close or deny what is open", "esc"),
		EditLast:   bind("Esc Esc", "edit your last message, when nothing runs", "esc esc"),
		Clear:      bind("Ctrl+C", "clear the text (↑ brings it back); twice: quit", "ctrl+c"),
		QuitEmpty:  bind("Ctrl+D", "quit, when nothing is written", "ctrl+d"),
		Help:       bind("F1", "this help; ? when nothing is written", "f1"),
		Example:    bind("Tab", "put an example in, on the first screen", "tab"),
		PageUp:     bind("PgUp", "scroll up (so does the wheel)", "pgup"),
		PageDown:   bind("PgDn", "scroll down", "pgdown"),
		LineUp:     bind("Shift+↑", "scroll up a line", "shift+up"),
		LineDown:   bind("Shift+↓", "scroll down a line", "shift+down"),
		Top:        bind("Ctrl+Home", "to the beginning", "ctrl+home"),
		Bottom:     bind("Ctrl+End", "to the newest, and follow it", "ctrl+end"),
		Redraw:     bind("Ctrl+L", "draw the screen anew", "ctrl+l"),
		Suspend:    bind("Ctrl+Z", "back to the shell; fg returns", "ctrl+z"),
		Editor:     bind("Ctrl+O", "write in your editor ($VISUAL, $EDITOR)", "ctrl+o"),
		Find:       bind("Ctrl+F", "find words in what was said", "ctrl+f"),
		Model:      bind("F2", "choose the model, or type a key for a provider", "f2"),
		Mouse:      bind("Ctrl+Y", "give the mouse to the terminal, so that dragging selects, or take it back", "ctrl+y"),
		Palette:    bind("Ctrl+P", "find and run a command", "ctrl+p"),
		TakeBack:   bind("↑", "take the last waiting message back to edit it", "up"),

		HelpWhenEmpty:   bind("?", "this help, when nothing is written", "?"),
		TopWhenEmpty:    bind("Home", "to the beginning, when nothing is written", "home"),
		BottomWhenEmpty: bind("End", "to the newest, and follow it", "end"),
	}
}

// keysFor leaves out the keys whose means Options does not give.
func keysFor(o Options, k keyMap) keyMap {
	k.EditLast.SetEnabled(o.History != nil && o.Fork != nil)
	k.Proposal.SetEnabled(o.Architecture != nil)
	k.Editor.SetEnabled(o.EditDraft != nil)
	k.Model.SetEnabled(canChoose(o))
	k.Cited.SetEnabled(o.Citing.Resolve != nil)
	return k
}
