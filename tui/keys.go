package tui

import (
	"github.com/charmbracelet/bubbles/key"

	"chatvault/tui/dialog"
)

// keyMap is the screen's own keys; the composer has more.
type keyMap struct {
	Send, Hold, Details, Proposal, SelectUp, SelectDown, Cited, Stop, Clear, QuitEmpty, Help, Example,
	EditLast, PageUp, PageDown, LineUp, LineDown, Top, Bottom, Redraw, Suspend,
	Palette, TakeBack, HelpWhenEmpty, TopWhenEmpty, BottomWhenEmpty key.Binding
}

func defaultKeyMap() keyMap {
	bind := func(help, desc string, keys ...string) key.Binding {
		return key.NewBinding(key.WithKeys(keys...), key.WithHelp(help, desc))
	}
	return keyMap{
		Send:       bind("Enter", "send; while a turn runs, add to it", "enter"),
		Hold:       bind("Tab", "send for the next turn, while one runs", "tab"),
		Details:    bind("Ctrl+T", "show or fold details: reasoning, steps, results", "ctrl+t"),
		Proposal:   bind("Ctrl+G", "show what a look back proposes", "ctrl+g"),
		Cited:      bind("Shift+Tab", "the notes the last answer refers to: Enter shows one, e edits it, o opens it in Obsidian, Tab goes on", "shift+tab"),
		SelectUp:   bind("Ctrl+↑", "select what was said, one by one; Tab goes through the notes it refers to", "ctrl+up"),
		SelectDown: bind("Ctrl+↓", "select the next", "ctrl+down"),
		Stop:       bind("Esc", "stop the running turn, and go on with what is queued; close or deny what is open", "esc"),
		EditLast:   bind("Esc Esc", "edit the last message, when nothing runs and nothing is written", "esc esc"),
		Clear:      bind("Ctrl+C", "clear the text (↑ brings it back); twice: quit", "ctrl+c"),
		QuitEmpty:  bind("Ctrl+D", "quit, when nothing is written; a turn that runs is kept for the next start", "ctrl+d"),
		Help:       bind("F1", "this help: all keys and commands", "f1"),
		Example:    bind("Tab", "put an example in, on the first screen", "tab"),
		PageUp:     bind("PgUp", "scroll up (so does the wheel)", "pgup"),
		PageDown:   bind("PgDn", "scroll down", "pgdown"),
		LineUp:     bind("Shift+↑", "scroll up a line", "shift+up"),
		LineDown:   bind("Shift+↓", "scroll down a line", "shift+down"),
		Top:        bind("Ctrl+Home", "to the beginning", "ctrl+home"),
		Bottom:     bind("Ctrl+End", "to the newest, and follow it", "ctrl+end"),
		Redraw:     bind("Ctrl+L", "draw the screen anew", "ctrl+l"),
		Suspend:    bind("Ctrl+Z", "back to the shell; fg returns", "ctrl+z"),
		Palette:    bind("Ctrl+P", "find and run a command", "ctrl+p"),
		TakeBack:   bind("↑", "take the last waiting message back, when nothing is written", "up"),

		HelpWhenEmpty:   bind("?", "this help, when nothing is written", "?"),
		TopWhenEmpty:    bind("Home", "to the beginning, when nothing is written", "home"),
		BottomWhenEmpty: bind("End", "to the newest, when nothing is written or at the end of the text", "end"),
	}
}

// keysFor leaves out the keys whose means Options does not give.
func keysFor(o Options, k keyMap) keyMap {
	k.EditLast.SetEnabled(o.History != nil && o.Fork != nil)
	k.Proposal.SetEnabled(o.Architecture != nil)
	k.Cited.SetEnabled(o.Citing.Resolve != nil)
	return k
}

// help lists every key and command.
func (m *Model) help() []dialog.Section {
	k := m.keys
	commands := dialog.Section{Title: "Commands"}
	for _, c := range m.commands {
		commands.Entries = append(commands.Entries, c.entries()...)
	}
	return []dialog.Section{
		{Title: "Chat", Entries: dialog.Bindings(k.Send, k.Hold, k.Stop, k.EditLast, k.TakeBack, k.Clear, k.QuitEmpty, k.Palette, k.Help, k.HelpWhenEmpty, k.Example)},
		{Title: "Scrolling", Entries: dialog.Bindings(k.Details, k.Proposal, k.PageUp, k.PageDown, k.LineUp, k.LineDown, k.Top, k.TopWhenEmpty, k.Bottom, k.BottomWhenEmpty, k.Redraw, k.Suspend)},
		{Title: "What was said", Entries: dialog.Bindings(k.Cited, k.SelectUp, k.SelectDown)},
		commands,
		{Title: "Writing", Entries: dialog.Bindings(m.composer.Keys().Help()...)},
	}
}
