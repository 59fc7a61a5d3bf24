package attention

import (
	"context"
	"os/exec"
	"strings"
	"time"

	"chatvault/internal/text"
)

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
