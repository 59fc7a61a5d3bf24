package attention

import (
	"context"
	"os/exec"
	"strings"
	"time"
)

// tmuxWait bounds asking tmux, which answers within a few milliseconds.
const tmuxWait = 300 * time.Millisecond

// Passes asks the tmux that the program runs in whether it passes sequences on to the terminal
// outside. Before version 3.3 it always did, and has no such option.
func Passes() bool {
	ctx, cancel := context.WithTimeout(context.Background(), tmuxWait)
	defer cancel()
	out, err := exec.CommandContext(ctx, "tmux", "display-message", "-p", "#{version} #{allow-passthrough}").Output()
	return err == nil && passes(string(out))
}

// passes reads the answer: the version, and the option where there is one.
func passes(answer string) bool {
	version, option, _ := strings.Cut(strings.TrimSpace(answer), " ")
	switch option {
	case "on", "all", "1":
		return true
	case "":
		return version != "" && !atLeast(strings.TrimPrefix(version, "next-"), 3, 3)
	}
	return false
}
