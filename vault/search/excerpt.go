package search

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"chatvault/vault/block"
	"chatvault/vault/linematch"
)

// excerpts returns the excerpts of a text. hits are its first hits in their order.
func (q *Query) excerpts(text []byte, hits []linematch.Line) [][]Match {
	var runs [][]Match
	pos, line := 0, 1 // the next line to add
	add := func(isHit bool, at int) {
		stop := block.LineStop(text, pos)
		bare := bytes.TrimSuffix(bytes.TrimSuffix(text[pos:stop], []byte("\n")), []byte("\r"))
		last := &runs[len(runs)-1]
		*last = append(*last, Match{line, CutLine(bare, at-pos), isHit})
		pos, line = stop, line+1
	}
	for i, hit := range hits {
		between := bytes.Count(text[pos:hit.Start], []byte("\n"))
		if len(runs) == 0 || between > q.ContextLines {
			if len(runs) == q.MaxExcerpts {
				break
			}
			runs = append(runs, nil)
			for range between - q.ContextLines {
				pos, line = block.LineStop(text, pos), line+1
			}
		}
		for pos < hit.Start {
			add(false, pos)
		}
		add(true, hit.At)
		for n := 0; n < q.ContextLines && pos < len(text); n++ {
			if i+1 < len(hits) && hits[i+1].Start == pos {
				break // it has its own context
			}
			add(false, pos)
		}
	}
	return runs
}

// A line in an excerpt is cut to MaxLineShown bytes, at most maxLead of them before the hit.
const (
	MaxLineShown = 400
	maxLead      = 240
)

// CutLine returns the text of a line for an excerpt as valid UTF-8. A long line is cut around the offset at.
func CutLine(line []byte, at int) string {
	if len(line) <= MaxLineShown {
		return strings.ToValidUTF8(string(line), "\ufffd")
	}
	from := max(0, min(at-maxLead, len(line)-MaxLineShown))
	to := from + MaxLineShown
	for from > 0 && from < to && !utf8.RuneStart(line[from]) {
		from++
	}
	for to > from && to < len(line) && !utf8.RuneStart(line[to]) {
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
