package prosediff

// A passage of several lines is compared line by line where that tells no more of it as changed than
// comparing it as a whole: then its lines mean something to whoever wrote it. Where it was wrapped anew
// they do not.

// lined is two passages line by line.
type lined struct {
	a, b  []block
	steps []step
}

// linesOf are the lines of a block.
func linesOf(text string, b block) []block {
	var out []block
	for at := b.start; at < b.stop; {
		next := at
		for next < b.stop && text[next] != '\n' {
			next++
		}
		x := block{kind: b.kind, start: at, stop: next, end: min(next+1, b.end), line: b.line + len(out), piece: true}
		out = append(out, x)
		at = next + 1
	}
	if len(out) > 0 {
		out[len(out)-1].end = b.end
	}
	return out
}

// lineByLine compares two passages so; nil where one of them has a single line, or it tells more of them
// as changed than words, which are how they differ as a whole.
func lineByLine(before string, a block, after string, b block, words []Span) *lined {
	if !flows(a.kind) || !flows(b.kind) {
		return nil
	}
	l := &lined{a: linesOf(before, a), b: linesOf(after, b)}
	if len(l.a) < 2 || len(l.b) < 2 {
		return nil
	}
	l.steps = align(before, l.a, after, l.b)
	differs, kept := 0, 0
	for _, s := range l.steps {
		switch {
		case s.a < 0:
			differs += countWords(l.b[s.b].body(after))
		case s.b < 0:
			differs += countWords(l.a[s.a].body(before))
		default:
			kept++
			differs += changedWords(s.words)
		}
	}
	if kept == 0 || differs > changedWords(words) {
		return nil
	}
	return l
}

// changedWords counts the words that are added or removed.
func changedWords(spans []Span) int {
	n := 0
	for _, s := range spans {
		if s.Op != Same {
			n += countWords(s.Text)
		}
	}
	return n
}

// inLines puts passages that were compared line by line in the place of the whole ones, and does so with
// those that stay, too: what is shown around a change is lines.
func inLines(before string, a []block, after string, b []block, steps []step) (linesA, linesB []block, out []step) {
	for _, s := range steps {
		l := s.lined
		if l == nil && s.a >= 0 && s.b >= 0 && s.words == nil && flows(a[s.a].kind) && a[s.a].body(before) == b[s.b].body(after) && a[s.a].tail(before) == b[s.b].tail(after) {
			l = &lined{a: linesOf(before, a[s.a]), b: linesOf(after, b[s.b])}
			for i := range l.a {
				l.steps = append(l.steps, step{a: i, b: i})
			}
		}
		if l == nil || len(l.steps) < 2 {
			if s.a >= 0 {
				linesA = append(linesA, a[s.a])
				s.a = len(linesA) - 1
			}
			if s.b >= 0 {
				linesB = append(linesB, b[s.b])
				s.b = len(linesB) - 1
			}
			out = append(out, s)
			continue
		}
		for _, x := range l.steps {
			if x.a >= 0 {
				x.a += len(linesA)
			}
			if x.b >= 0 {
				x.b += len(linesB)
			}
			out = append(out, x)
		}
		linesA, linesB = append(linesA, l.a...), append(linesB, l.b...)
	}
	return linesA, linesB, out
}
