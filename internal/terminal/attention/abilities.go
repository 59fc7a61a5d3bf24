package attention

import (
	"context"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"chatvault/internal/text"
)

// Way is how somebody is told.
type Way int

// The ways.
const (
	Silent   Way = iota
	Bell         // BEL: a sound, or a mark on the window or tab
	OSC9         // a notification of the system's
	OSC9Tmux     // the same, passed on by tmux
)

// How the user wants to be told.
const (
	Auto    = "auto" // a notification where the terminal is known to show one, else the bell
	UseBell = "bell"
	UseOSC9 = "osc9"
	UseNone = "off"
)

// Abilities is what a terminal shows.
type Abilities struct {
	Way Way
	// Passes says, with OSC9Tmux, whether tmux passes it on; where not, the bell is rung. nil: it does.
	Passes   func() bool
	Title    bool // it has a title, and a stack of titles or harmlessly none
	Progress bool // OSC 9;4
}

// Of reads from the environment what the terminal shows.
func Of(setting string, getenv func(string) string) Abilities {
	kind := strings.ToLower(getenv("TERM"))
	if kind == "" || kind == "dumb" {
		return Abilities{}
	}
	a := Abilities{Way: way(setting, kind, getenv)}
	if a.Way == OSC9Tmux {
		a.Passes = func() bool { return AskTmux().Passes }
	}
	a.Title = kind != "linux" && !strings.HasPrefix(kind, "vt")
	a.Progress = !multiplexed(kind, getenv) && progresses(getenv)
	return a
}

func way(setting, kind string, getenv func(string) string) Way {
	notifies := setting == UseOSC9 || setting == Auto && notifies(kind, getenv)
	switch {
	case setting == UseNone:
		return Silent
	case setting == UseBell, !notifies:
		return Bell
	case getenv("TMUX") != "":
		return OSC9Tmux
	case multiplexed(kind, getenv) && setting == Auto:
		return Bell
	}
	return OSC9
}

// multiplexed says whether another program draws the window: what it does not know goes no further.
func multiplexed(kind string, getenv func(string) string) bool {
	return getenv("TMUX") != "" || getenv("STY") != "" || getenv("ZELLIJ") != "" || strings.HasPrefix(kind, "screen") || strings.HasPrefix(kind, "tmux")
}

// notifies says whether a terminal shows the text of OSC 9 as a notification. Within tmux the
// variables are those of the terminal it was started from.
func notifies(kind string, getenv func(string) string) bool {
	return slices.Contains([]string{"iTerm.app", "ghostty", "WezTerm", "WarpTerminal"}, getenv("TERM_PROGRAM")) ||
		strings.HasPrefix(kind, "xterm-kitty") || strings.HasPrefix(kind, "xterm-ghostty") || kind == "wezterm" || strings.HasPrefix(kind, "foot") ||
		slices.ContainsFunc([]string{"ITERM_SESSION_ID", "KITTY_WINDOW_ID", "GHOSTTY_RESOURCES_DIR", "WEZTERM_PANE"}, func(name string) bool { return getenv(name) != "" }) ||
		getenv("LC_TERMINAL") == "iTerm2"
}

// wezTermProgress is the day of the first WezTerm that shows progress.
const wezTermProgress = 20250209

// progresses says whether a terminal is known to show OSC 9;4. Elder versions of some would show
// it as a notification: their versions count.
func progresses(getenv func(string) string) bool {
	version := getenv("TERM_PROGRAM_VERSION")
	switch getenv("TERM_PROGRAM") {
	case "ghostty":
		return text.AtLeast(version, 1, 2, 0)
	case "iTerm.app":
		return text.AtLeast(version, 3, 6, 6)
	case "WezTerm":
		day, _, _ := strings.Cut(version, "-")
		n, err := strconv.Atoi(day)
		return err == nil && n >= wezTermProgress
	}
	return getenv("WT_SESSION") != "" || getenv("ConEmuANSI") == "ON"
}

// tmuxWait bounds asking tmux, which answers within a few milliseconds.
const tmuxWait = 300 * time.Millisecond

// passes reads the answer: the version, and the option where there is one.
func passes(answer string) bool {
	version, option, _ := strings.Cut(strings.TrimSpace(answer), " ")
	switch option {
	case "on", "all", "1":
		return true
	case "":
		return version != "" && !text.AtLeast(strings.TrimPrefix(version, "next-"), 3, 3)
	}
	return false
}

// Tmux is what the tmux that the program runs in is set to.
type Tmux struct {
	Known  bool // it answered
	Focus  bool // it says when the terminal loses the focus
	Passes bool // it passes sequences on to the terminal outside
}

// AskTmux asks it.
func AskTmux() Tmux {
	ctx, cancel := context.WithTimeout(context.Background(), tmuxWait)
	defer cancel()
	out, err := exec.CommandContext(ctx, "tmux", "display-message", "-p", "#{focus-events} #{version} #{allow-passthrough}").Output()
	focus, rest, ok := strings.Cut(strings.TrimSpace(string(out)), " ")
	if err != nil || !ok {
		return Tmux{}
	}
	return Tmux{Known: true, Focus: focus == "1" || focus == "on", Passes: passes(rest)}
}
