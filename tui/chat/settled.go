package chat

// Drawing says that a long text is shown plainly until its drawing is made.
func (d *document) Drawing() bool { return d.plain || d.busy || d.again || d.behind }

// Settled is how many of the answer's lines at a width, from the first, will never change unless
// it is withdrawn, and of how many bytes of its text they are made.
func (a *Assistant) Settled(width int) (lines, bytes int) {
	if len(a.Lines(width)) == 0 || a.plain {
		return 0, 0
	}
	if a.done && !a.behind {
		return len(a.lines), len(a.source)
	}
	return a.kept, a.stream.Drawn()
}

// LinesOf is how many lines the first bytes of the answer take at a width, where Settled gave them
// for another one.
func (a *Assistant) LinesOf(width, bytes int) int {
	if bytes == 0 || bytes > len(a.source) {
		return 0
	}
	s := a.newStream(textWidth(width))
	s.Append(string(a.source[:min(bytes, len(a.shown()))]))
	s.Finish()
	if bytes > len(a.shown()) {
		return len(s.Lines()) + len(a.rest(textWidth(width), ""))
	}
	return len(s.Lines())
}

// Alike says that the two calls are of the same tool, so that they may come to share a line.
func (t *Tool) Alike(other *Tool) bool { return t.name == other.name }
