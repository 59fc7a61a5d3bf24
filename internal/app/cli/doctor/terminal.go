package doctor

import (
	"runtime"
	"strings"

	"chatvault/internal/app/config"
	"chatvault/internal/base/clipboard"
	"chatvault/internal/base/terminal/attention"
)

// checkTerminal describes the terminal and what prevents copying and notifications there.
func checkTerminal(o Options, cfg *config.Config) []finding {
	if !o.InIsTerminal || !o.Out.IsTerminal() {
		return []finding{{area: "terminal", text: "standard input or output is not a terminal", todo: "the chat needs one; chatvault ask works without", warn: true}}
	}
	name := o.getenv("TERM")
	if name == "" || name == "dumb" {
		return []finding{{area: "terminal", text: "TERM is %q", args: []any{name}, why: "It says what the terminal can do; without it there are no colours and keys may be misread.", todo: "set TERM to what your terminal is, such as xterm-256color"}}
	}
	out := []finding{{area: "terminal", text: "%s, %d cells wide", args: []any{name, o.Out.Width()}}}
	if o.getenv("TMUX") != "" {
		out = append(out, tmuxFindings(cfg.Notify.V, attention.AskTmux())...)
	}
	copying := clipboard.Clipboard{Setting: cfg.Clipboard.V, GOOS: runtime.GOOS, Getenv: o.getenv, Find: clipboard.Program}
	if cfg.Clipboard.V != clipboard.File && !copying.Reachable() {
		out = append(out, finding{
			area: "clipboard", text: "there is no clipboard for the chat: it copies into a file", warn: true,
			todo: "install wl-clipboard, xclip or xsel, or use a terminal that takes OSC 52",
		})
	}
	return out
}

// tmuxFindings reports tmux options that prevent notifications.
func tmuxFindings(notify string, t attention.Tmux) []finding {
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
	return []finding{{
		area: "tmux", text: "its options keep the chat from notifying you", warn: true, why: strings.Join(why, "\n"),
		todo: "put into ~/.tmux.conf, and run tmux source ~/.tmux.conf:\n" + strings.Join(off, "\n"),
	}}
}
