package offline

import (
	"fmt"
	"regexp"
	"strings"

	"chatvault/agent/llm/offline/grammar"
	"chatvault/agent/llm/offline/retrieval"
)

// find lists the lines that hold a literal text.
func (s *script) find(c grammar.Command) error {
	r, err := s.call("search_files", args{"pattern": regexp.QuoteMeta(c.Old), "context_lines": 0, "max_results": 20})
	if err != nil {
		return err
	}
	if r.failed {
		s.refused("I could not search", r)
		return nil
	}
	files, more := searchHits(r.result)
	if len(files) == 0 {
		if len(retrieval.ContentWords(c.Old)) > 0 {
			s.sayf("“%s” stands in no note in these words.", c.Old)
			return s.question(grammar.Command{Kind: grammar.Question, Topic: c.Old})
		}
		s.sayf("“%s” stands in no note.", c.Old)
		return nil
	}
	var b strings.Builder
	n := 0
	for _, f := range files {
		for _, h := range f.hits {
			if n == maxFound {
				more = true
				break
			}
			fmt.Fprintf(&b, "- %s: %s\n", cite(f.path, h.n), clip(bullet(h.text), 200))
			n++
		}
		more = more || f.more
	}
	if more {
		b.WriteString("\n*(there is more; a longer phrase narrows it down)*")
	}
	s.foundf("“%s” in %s:\n\n%s", c.Old, counted(len(files), "note"), b.String())
	return nil
}

// bullet is a line of a note as plain text, without list and heading marks.
func bullet(line string) string {
	for _, b := range retrieval.Blocks([]byte(line)) {
		return strings.ReplaceAll(b.Text, "\n", " ")
	}
	return retrieval.PlainText(strings.TrimLeft(line, "# >"))
}

// links lists the notes that link to a note.
func (s *script) links(c grammar.Command) error {
	p, ok, err := s.one(c.Note, "look up")
	if err != nil || !ok {
		return err
	}
	target := regexp.QuoteMeta(retrieval.Name(p))
	r, err := s.call("search_files", args{
		"pattern":       `\[\[([^\]|#]*/)?` + target + `(\.md)?([|#][^\]]*)?\]\]`,
		"context_lines": 0, "max_results": 50,
	})
	if err != nil {
		return err
	}
	if r.failed {
		s.refused("I could not search for links", r)
		return nil
	}
	files, more := searchHits(r.result)
	var b strings.Builder
	for _, f := range files {
		if f.path == p || len(f.hits) == 0 {
			continue
		}
		fmt.Fprintf(&b, "- %s: %s\n", cite(f.path, f.hits[0].n), clip(bullet(f.hits[0].text), 160))
	}
	if b.Len() == 0 {
		s.foundf("No other note links to %s.", cite(p, 0))
		return nil
	}
	if more {
		b.WriteString("\n*(and more)*")
	}
	s.foundf("These link to %s:\n\n%s", cite(p, 0), b.String())
	return nil
}
