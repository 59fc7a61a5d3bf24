package offline

import (
	"fmt"
	"regexp"
	"strings"

	"chatvault/agent/llm/offline/grammar"
	"chatvault/agent/llm/offline/retrieval"
	"chatvault/agent/llm/offline/toolresult"
	"chatvault/internal/lazyregexp"
)

// find lists the lines that hold a literal text.
func (s *script) find(c grammar.Command) {
	r := s.callOrSay("I could not search", "search_files", args{"pattern": regexp.QuoteMeta(c.Old), "context_lines": 0, "max_results": 20})
	files, more := toolresult.LineHits(r.result)
	if len(files) == 0 {
		if len(retrieval.ContentWords(c.Old)) > 0 {
			s.sayf("No note has “%s” in these words.", c.Old)
			s.question(grammar.Command{Kind: grammar.Question, Topic: c.Old})
		} else {
			s.sayf("No note has “%s”.", c.Old)
		}
		return
	}
	var b strings.Builder
	n := 0
	for _, f := range files {
		for _, h := range f.Hits {
			if n == maxFound {
				more = true
				break
			}
			fmt.Fprintf(&b, "- %s: %s\n", cite(f.Path, h.N), clip(bullet(h.Text), 200))
			n++
		}
		more = more || f.More
	}
	if more {
		b.WriteString("\n*(there is more; a longer phrase narrows it down)*")
	}
	s.sayf("“%s” in %s:\n\n%s", c.Old, counted(len(files), "note"), b.String())
}

// bullet is a line of a note as plain text, without list and heading marks.
func bullet(line string) string {
	for _, b := range retrieval.Blocks([]byte(line)) {
		return strings.ReplaceAll(b.Text, "\n", " ")
	}
	return retrieval.PlainText(strings.TrimLeft(line, "# >"))
}

// links lists the notes that link to a note, the links that lead nowhere, or the notes that
// nothing links to.
func (s *script) links(c grammar.Command) {
	if c.Note == "" {
		s.looseLinks(c.Topic)
		return
	}
	p := s.one(c.Note, "look up")
	r := s.callOrSay("I could not look for links", getLinks, args{"path": p, "mode": "backlinks", "max_results": 200})
	_, back, _ := strings.Cut(r.result, "\nBacklinks ")
	files, more := toolresult.LineHits(back)
	var b strings.Builder
	for _, f := range files {
		if len(f.Hits) > 0 {
			fmt.Fprintf(&b, "- %s: %s\n", cite(f.Path, f.Hits[0].N), clip(bullet(f.Hits[0].Text), 160))
		}
	}
	if b.Len() == 0 {
		s.sayf("No other note links to %s.", cite(p, 0))
		return
	}
	if more {
		b.WriteString("\n*(and more)*")
	}
	s.sayf("These link to %s:\n\n%s", named(p), b.String()) // not cited: "the second one" counts those that link
}

// looseLinks lists the links that lead nowhere, or the notes that nothing links to.
func (s *script) looseLinks(mode string) {
	r := s.callOrSay("I could not look for them", getLinks, args{"mode": mode, "max_results": maxListed})
	_, list, ok := strings.Cut(r.result, ":\n\n")
	if !ok {
		none, _, _ := strings.Cut(r.result, "\n\n[")
		s.sayf("%s", none)
		return
	}
	list, rest, _ := strings.Cut(list, "\n\n[")
	var b strings.Builder
	for line := range strings.SplitSeq(list, "\n") {
		p, after, _ := strings.Cut(line, " (")
		switch {
		case mode == "unresolved":
			fmt.Fprintf(&b, "- %s\n", line)
		case after != "":
			fmt.Fprintf(&b, "- %s (%s\n", cite(p, 0), after)
		default:
			fmt.Fprintf(&b, "- %s\n", cite(p, 0))
		}
	}
	if moreListedRE().MatchString("[" + rest) {
		b.WriteString("\n*(and more)*")
	}
	s.sayf("%s\n\n%s", map[string]string{"unresolved": "These links lead to no note:", "orphans": "No other note links to these:"}[mode], b.String())
}

var moreListedRE = lazyregexp.New(`^\[[\d,]+ more (?:target|note)s?; `)

// outline lists the headings of a note.
func (s *script) outline(c grammar.Command) {
	p := s.one(c.Note, "look into")
	r := s.readNote(p)
	lines, _, rest := toolresult.FileLines(r.result)
	var b strings.Builder
	for _, l := range retrieval.Lines([]byte(toolresult.JoinLines(lines))) {
		if l.Kind == retrieval.LineHeading {
			fmt.Fprintf(&b, "%s- %s (line %d)\n", strings.Repeat("  ", l.Level-1), clip(retrieval.PlainText(string(l.Text)), 160), l.Number)
		}
	}
	if b.Len() == 0 {
		s.sayf("%s has no headings.", cite(p, 0))
		return
	}
	if rest {
		b.WriteString("\n*(The note is long; this is of its beginning.)*")
	}
	s.sayf("%s:\n\n%s", cite(p, 0), b.String())
}
