// Package attention draws the user's attention through the terminal: a notification or the bell, and the window title.
// Notifications are for terminals known to show them, or if the user asked for them; texts are made safe and short;
// each sequence is whole.
package attention

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/base/terminal"
	"chatvault/internal/base/text"
)

// The values of the user's setting.
const (
	Auto    = "auto" // a notification if the terminal is known to show one, otherwise the bell
	UseBell = "bell"
	UseOSC9 = "osc9"
	UseNone = "off"
)

// maxText bounds a notification, in characters; systems show about this much.
const maxText = 120

// Notification returns the sequence that notifies the user, in the way chosen by the setting and the environment; empty
// for none. The "chatvault: " prefix keeps the message from being parsed as an OSC 9 subcommand.
func Notification(setting string, getenv func(string) string, message string) string {
	osc := ansi.Notify("chatvault: " + terminal.Line(text.Excerpt(message, maxText)))
	switch kind := kindOf(getenv); {
	case kind == "", setting == UseNone:
		return ""
	case setting == UseOSC9 && getenv("TMUX") != "":
		return ansi.TmuxPassthrough(osc)
	case setting == UseOSC9, setting == Auto && notifies(kind, getenv):
		return osc
	}
	return "\a"
}

// notifies reports whether the terminal shows OSC 9 as a notification. A multiplexer drops it; tmux always passes the
// bell on.
func notifies(kind string, getenv func(string) string) bool {
	if getenv("TMUX")+getenv("STY")+getenv("ZELLIJ") != "" || strings.HasPrefix(kind, "screen") || strings.HasPrefix(kind, "tmux") {
		return false
	}
	return slices.Contains([]string{"iTerm.app", "ghostty", "WezTerm", "WarpTerminal"}, getenv("TERM_PROGRAM")) ||
		slices.ContainsFunc([]string{"xterm-kitty", "xterm-ghostty", "wezterm", "foot"}, func(name string) bool { return strings.HasPrefix(kind, name) })
}

// Window reports whether the terminal's window has a title that can be set; a title stack is optional.
type Window bool

// WindowOf derives the Window from the environment.
func WindowOf(getenv func(string) string) Window {
	kind := kindOf(getenv)
	return Window(kind != "" && kind != "linux" && !strings.HasPrefix(kind, "vt"))
}

// Begin returns the sequence that saves the window title for End.
func (w Window) Begin() string {
	if !w {
		return ""
	}
	return "\x1b[22;0t" // XTWINOPS: push the icon and window titles
}

// End returns the sequence that restores the window title.
func (w Window) End() string {
	if !w {
		return ""
	}
	// If the terminal has no title stack, an empty title lets the shell set its own.
	return ansi.SetWindowTitle("") + "\x1b[23;0t"
}

// kindOf returns the kind of terminal, or an empty string for a dumb one.
func kindOf(getenv func(string) string) string {
	return strings.TrimPrefix(strings.ToLower(getenv("TERM")), "dumb")
}
