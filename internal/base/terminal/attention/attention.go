// Package attention draws the user's attention through the terminal: a notification or the bell, and the window title.
// Notifications are for terminals known to show them, or if the user asked for them; texts are made safe and short;
// each sequence is whole.
package attention

import (
	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/base/terminal"
	"chatvault/internal/base/text"
)

// maxText bounds a notification, in characters; systems show about this much.
const maxText = 120

// Begin returns the sequence that saves the window title for End.
func (w Window) Begin() string {
	if !w.Title {
		return ""
	}
	return "\x1b[22;0t" // XTWINOPS: push the icon and window titles
}

// End returns the sequence that restores the window title.
func (w Window) End() string {
	if !w.Title {
		return ""
	}
	// If the terminal has no title stack, an empty title lets the shell set its own.
	return ansi.SetWindowTitle("") + "\x1b[23;0t"
}

// Notification returns the sequence that notifies the user, in the way chosen by the setting and the environment; empty
// for none. Within tmux it may take a moment.
func Notification(setting string, getenv func(string) string, message string) string {
	w := wayOf(setting, getenv)
	if w == osc9Tmux && !tmuxPasses() {
		w = bell // tmux always forwards the bell
	}
	return w.sequence(message)
}

// sequence returns the notification. The "chatvault: " prefix keeps the message from being parsed as an OSC 9
// subcommand.
func (w way) sequence(message string) string {
	osc := ansi.Notify("chatvault: " + terminal.Line(text.Excerpt(message, maxText)))
	switch w {
	case bell:
		return "\a"
	case osc9:
		return osc
	case osc9Tmux:
		return ansi.TmuxPassthrough(osc)
	}
	return ""
}
