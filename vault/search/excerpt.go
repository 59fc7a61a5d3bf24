package search

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"chatvault/vault/block"
	"chatvault/vault/linematch"
)

// fileSearch collects the matches of one file. The file comes as one text or in slices; each is passed first to
// slice, then to excerpt.
type fileSearch struct {
	query  *Query
	sliced bool // the file may come in several slices

	total int  // matching lines
	title bool // a heading matches
	heads headings

	hits []linematch.Line // in the current slice, those that excerpts may need
	kept int              // hits kept, in all slices
	open bool             // the previous slice ended within a line
	seen bool             // that line has been counted

	runs  [][]Match
	shown int     // hits that started or extended a run
	full  bool    // no further hit starts or extends a run
	after int     // context lines still to add
	line  int     // lines before the current slice
	tail  []Match // the last lines of the previous slice, as context
}

// slice counts the hits in text.
func (f *fileSearch) slice(scan *linematch.Scanner, text []byte) {
	f.hits = f.hits[:0]
	f.heads.begin(text, f.line == 0 && !f.open)
	scan.Begin(text)
	last := linematch.Line{Stop: -1}
	for from := 0; ; from = last.Stop {
		hit, ok := scan.Next(text, from)
		if !ok {
			break
		}
		last = hit
		if hit.Start == 0 && f.open && f.seen {
			continue // the rest of a counted line
		}
		f.total++
		if !f.title {
			f.title = f.heads.isHeading(text, hit.Start, hit.End, hit.Stop)
		}
		// Hits in the context after the last shown hit are marked too.
		if f.kept < f.maxShown()+f.query.ContextLines {
			f.kept++
			f.hits = append(f.hits, hit)
		}
	}
	if f.sliced {
		if !f.title { // otherwise headings are no longer needed
			f.heads.end()
		}
		unfinished := len(text) > 0 && text[len(text)-1] != '\n'
		f.seen = unfinished && (last.Stop == len(text) || f.open && f.seen && bytes.IndexByte(text, '\n') < 0)
		f.open = unfinished
	}
}

// excerpt adds the lines of text that belong to excerpts. final is set for the last slice.
func (f *fileSearch) excerpt(text []byte, final bool) {
	contextLines := f.query.ContextLines
	pos, line, hits := 0, f.line+1, f.hits
	for {
		for f.after > 0 && pos < len(text) {
			isHit := len(hits) > 0 && hits[0].Start == pos
			if isHit && !f.full {
				break // it extends the run
			}
			at := 0
			if isHit {
				at = hits[0].At - pos
				hits = hits[1:]
			}
			stop := block.LineStop(text, pos)
			f.add(Match{line, cutLine(lineText(text[pos:stop]), at), isHit})
			f.after--
			pos = stop
			line++
		}
		if len(hits) == 0 || f.full {
			break
		}
		hit := hits[0]
		hits = hits[1:]
		line += bytes.Count(text[pos:hit.Start], newline)
		if n := len(f.runs); n == f.query.MaxExcerpts && line-contextLines > f.lastShown()+1 {
			f.full = true // it would start one excerpt too many
			break
		}
		f.before(text[pos:hit.Start], line, pos == 0)
		f.add(Match{line, cutLine(text[hit.Start:hit.End], hit.At-hit.Start), true})
		f.shown++
		f.full = f.shown == f.maxShown()
		f.after = contextLines
		pos = hit.Stop
		line++
	}
	if final {
		return
	}
	f.keepTail(text)
	f.line += bytes.Count(text, newline)
}

var newline = []byte{'\n'}

// maxShown returns the number of hits for which excerpts are made.
func (f *fileSearch) maxShown() int { return hitsPerExcerpt * f.query.MaxExcerpts }

// lastShown returns the number of the last line of the last run.
func (f *fileSearch) lastShown() int {
	run := f.runs[len(f.runs)-1]
	return run[len(run)-1].Line
}

// before adds the context before a hit: the last lines of text, which ends before the given line, and at the start of
// a slice also lines of the previous one.
func (f *fileSearch) before(text []byte, line int, startsSlice bool) {
	want := f.query.ContextLines
	starts := lastLines(text, want)
	if missing := want - len(starts); startsSlice && missing > 0 {
		tail := f.tail
		for len(tail) > 0 && tail[len(tail)-1].Line >= line { // a piece of this line
			tail = tail[:len(tail)-1]
		}
		for _, m := range tail[max(0, len(tail)-missing):] {
			f.add(m)
		}
	}
	for i, start := range starts {
		f.add(Match{line - len(starts) + i, cutLine(lineText(text[start:block.LineStop(text, start)]), 0), false})
	}
}

// keepTail keeps the lines that may be context of a hit in the next slice.
func (f *fileSearch) keepTail(text []byte) {
	want := f.query.ContextLines
	if want == 0 || f.full {
		return
	}
	starts := lastLines(text, want)
	last := f.line + bytes.Count(text, newline) // the number of the last complete line
	if f.open {
		last++
	}
	for i, start := range starts {
		m := Match{last - len(starts) + 1 + i, cutLine(lineText(text[start:block.LineStop(text, start)]), 0), false}
		if n := len(f.tail); n == 0 || f.tail[n-1].Line < m.Line {
			f.tail = append(f.tail, m)
		}
	}
	f.tail = f.tail[max(0, len(f.tail)-want-1):] // one more, because the last may be a piece of the line of the hit
}

// add appends a line to the run that it continues, or starts a new run. A line already added from an earlier slice is
// only marked as a hit if it is one.
func (f *fileSearch) add(m Match) {
	if n := len(f.runs); n > 0 {
		run := f.runs[n-1]
		last := &run[len(run)-1]
		switch {
		case m.Line < last.Line:
			return
		case m.Line == last.Line:
			if m.IsHit && !last.IsHit {
				*last = m
			}
			return
		case m.Line == last.Line+1:
			f.runs[n-1] = append(run, m)
			return
		}
	}
	f.runs = append(f.runs, []Match{m})
}

// lastLines returns the starts of the last n lines of text.
func lastLines(text []byte, n int) []int {
	var starts []int
	for end := len(text); end > 0 && len(starts) < n; {
		start := bytes.LastIndexByte(text[:end-1], '\n') + 1
		starts = append(starts, start)
		end = start
	}
	slices.Reverse(starts)
	return starts
}

// lineText returns a line without its line ending.
func lineText(line []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(line, newline), []byte{'\r'})
}

// A line in an excerpt is cut to MaxLineShown bytes, at most maxLead of them before the hit.
const (
	MaxLineShown = 400
	maxLead      = 240
)

// cutLine returns the text of a line for an excerpt as valid UTF-8. A long line is cut around the offset at.
func cutLine(line []byte, at int) string {
	if len(line) <= MaxLineShown {
		return strings.ToValidUTF8(string(line), "\ufffd")
	}
	from := max(0, min(at-maxLead, len(line)-MaxLineShown))
	to := from + MaxLineShown
	if from > 0 {
		from = runeStart(line, from)
	}
	for back := 0; to < len(line) && back < utf8.UTFMax-1 && !utf8.RuneStart(line[to]); back++ {
		to--
	}
	cut := strings.ToValidUTF8(string(line[from:to]), "\ufffd")
	if from > 0 {
		cut = "…" + cut
	}
	if to < len(line) {
		cut += "…"
	}
	return cut
}
