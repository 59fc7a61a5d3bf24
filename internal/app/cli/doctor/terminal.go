package doctor

import (
	"runtime"

	"chatvault/internal/base/clipboard"
)

// checkTerminal describes the terminal and what prevents copying there.
func checkTerminal(o Options) findings {
	if !o.InIsTerminal || !o.Out.IsTerminal() {
		return note("terminal", "the chat needs one; chatvault ask works without", "standard input or output is not a terminal")
	}
	name := o.getenv("TERM")
	if name == "" || name == "dumb" {
		return fail("terminal", "set TERM to what your terminal is, such as xterm-256color", "TERM is %q\nIt says what the terminal can do; without it there are no colours and keys may be misread.", name)
	}
	out := ok("terminal", "%s, %d cells wide", name, o.Out.Width())
	copying := clipboard.Clipboard{GOOS: runtime.GOOS, Getenv: o.getenv, Find: clipboard.Program}
	if !copying.Reachable() {
		out = append(out, note("clipboard", "install wl-clipboard, xclip or xsel, or use a terminal that takes OSC 52",
			"there is no clipboard for the chat: it copies into a file")...)
	}
	return out
}
