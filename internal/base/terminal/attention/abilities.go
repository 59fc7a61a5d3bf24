package attention

import (
	"context"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// way is a channel for notifying the user.
type way int

const (
	silent   way = iota
	bell         // a sound, or a mark on the window or tab
	osc9         // a desktop notification
	osc9Tmux     // the same, passed through tmux
)

// The values of the user's setting.
const (
	Auto    = "auto" // a notification if the terminal is known to show one, otherwise the bell
	UseBell = "bell"
	UseOSC9 = "osc9"
	UseNone = "off"
)

// Window describes what the terminal's window supports.
type Window struct {
	Title bool // a title can be set without harm; a title stack is optional
}

// WindowOf derives the window's abilities from the environment.
func WindowOf(getenv func(string) string) Window {
	kind := kindOf(getenv)
	return Window{kind != "" && kind != "linux" && !strings.HasPrefix(kind, "vt")}
}

// kindOf returns the kind of terminal, or an empty string for a dumb one.
func kindOf(getenv func(string) string) string {
	return strings.TrimPrefix(strings.ToLower(getenv("TERM")), "dumb")
}

// wayOf returns the way to notify, by the user's setting and the environment.
func wayOf(setting string, getenv func(string) string) way {
	kind := kindOf(getenv)
	notifies := setting == UseOSC9 || setting == Auto && notifies(kind, getenv)
	switch {
	case kind == "", setting == UseNone:
		return silent
	case setting == UseBell, !notifies:
		return bell
	case getenv("TMUX") != "":
		return osc9Tmux
	case multiplexed(kind, getenv) && setting == Auto:
		return bell
	}
	return osc9
}

// multiplexed reports whether a terminal multiplexer draws the window and drops sequences that it does not know.
func multiplexed(kind string, getenv func(string) string) bool {
	return getenv("TMUX") != "" || getenv("STY") != "" || getenv("ZELLIJ") != "" || strings.HasPrefix(kind, "screen") || strings.HasPrefix(kind, "tmux")
}

// notifies reports whether the terminal shows OSC 9 as a notification. Inside tmux the variables are those of the
// terminal in which tmux was started.
func notifies(kind string, getenv func(string) string) bool {
	return slices.Contains([]string{"iTerm.app", "ghostty", "WezTerm", "WarpTerminal"}, getenv("TERM_PROGRAM")) ||
		strings.HasPrefix(kind, "xterm-kitty") || strings.HasPrefix(kind, "xterm-ghostty") || kind == "wezterm" || strings.HasPrefix(kind, "foot") ||
		slices.ContainsFunc([]string{"ITERM_SESSION_ID", "KITTY_WINDOW_ID", "GHOSTTY_RESOURCES_DIR", "WEZTERM_PANE"}, func(name string) bool { return getenv(name) != "" }) ||
		getenv("LC_TERMINAL") == "iTerm2"
}

// tmuxWait bounds the tmux query, which usually takes a few milliseconds.
const tmuxWait = 300 * time.Millisecond

// tmuxPasses reports whether the surrounding tmux passes sequences through to the outer terminal.
func tmuxPasses() bool {
	ctx, cancel := context.WithTimeout(context.Background(), tmuxWait)
	defer cancel()
	out, _ := exec.CommandContext(ctx, "tmux", "display-message", "-p", "#{allow-passthrough}").Output()
	return slices.Contains([]string{"1", "on", "all"}, strings.TrimSpace(string(out)))
}
