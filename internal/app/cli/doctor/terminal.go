package doctor

// checkTerminal describes the terminal.
func checkTerminal(o Options) findings {
	if !o.InIsTerminal || !o.Out.IsTerminal() {
		return note("terminal", "the chat needs one; chatvault ask works without", "standard input or output is not a terminal")
	}
	name := o.getenv("TERM")
	if name == "" || name == "dumb" {
		return fail("terminal", "set TERM to what your terminal is, such as xterm-256color", "TERM is %q\nIt says what the terminal can do; without it there are no colours and keys may be misread.", name)
	}
	return ok("terminal", "%s, %d cells wide", name, o.Out.Width())
}
