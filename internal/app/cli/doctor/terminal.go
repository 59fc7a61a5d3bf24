package doctor

import (
	"runtime"
	"strings"

	"chatvault/internal/app/config"
	"chatvault/internal/base/clipboard"
	"chatvault/internal/base/terminal/attention"
)

// checkTerminal describes the terminal and what prevents copying and notifications there.
func checkTerminal(o Options, cfg *config.Config) findings {
	if !o.InIsTerminal || !o.Out.IsTerminal() {
		return note("terminal", "the chat needs one; chatvault ask works without", "standard input or output is not a terminal")
	}
	name := o.getenv("TERM")
	if name == "" || name == "dumb" {
		return fail("terminal", "set TERM to what your terminal is, such as xterm-256color", "TERM is %q", name).
			because("It says what the terminal can do; without it there are no colours and keys may be misread.")
	}
	out := ok("terminal", "%s, %d cells wide", name, o.Out.Width())
	if o.getenv("TMUX") != "" {
		out = append(out, tmuxFindings(cfg.Notify.V, attention.AskTmux())...)
	}
	copying := clipboard.Clipboard{GOOS: runtime.GOOS, Getenv: o.getenv, Find: clipboard.Program}
	if !copying.Reachable() {
		out = append(out, note("clipboard", "install wl-clipboard, xclip or xsel, or use a terminal that takes OSC 52",
			"there is no clipboard for the chat: it copies into a file")...)
	}
	return out
}

// tmuxFindings reports tmux options that prevent notifications.
func tmuxFindings(notify string, t attention.Tmux) findings {
	if !t.Known || notify == attention.UseNone {
		return nil
	}
	var off, why []string
	if !t.Focus {
		off = append(off, "set -g focus-events on")
		why = append(why, "It does not report when you switch away, so you get no notification then.")
	}
	if !t.Passes && notify != attention.UseBell {
		off = append(off, "set -g allow-passthrough on")
		why = append(why, "It does not pass notifications on, so the bell rings instead.")
	}
	if len(off) == 0 {
		return nil
	}
	return note("tmux", "put into ~/.tmux.conf, and run tmux source ~/.tmux.conf:\n"+strings.Join(off, "\n"),
		"its options keep the chat from notifying you").because(strings.Join(why, "\n"))
}
