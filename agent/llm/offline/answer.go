package offline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"chatvault/agent/llm/offline/retrieval"
	"chatvault/internal/base/lazyregexp"
	"chatvault/internal/base/text"
)

// Limits and thresholds of answers.
const (
	maxNotes    = 3
	shareOfBest = 0.42 // a further note is quoted if it scores this share of the best
	leastShare  = 0.62 // a further passage of a note is quoted if it scores this share of the first
	coverGood   = 0.55 // from this coverage on a note answers a question
	coverPoor   = 0.24 // below it a note has nothing to do with one
	maxQuote    = 480  // bytes
)

var (
	openingRE  = lazyregexp.New(`(?i)^(?:please |hey |so |and |but |ok |can you |could you )*(?:tell me |remind me |show me |find |search(?: for)? |look up |explain |summari[sz]e |compare |describe |what do i know about |what do my notes say about |what have i written about |what about |everything about |notes (?:on|about) |do i have (?:any )?notes? (?:on|about) )+(?:(?:me|about|the|my|all|everything|what|notes) )*`)
	comparesRE = lazyregexp.New(`(?i)\b(?:compare|comparison|differences?|differs?|versus|vs)\b`)
	linkRE     = lazyregexp.New(`\[\[(?:[^\[\]\n]*\|)?([^\[\]\n|]+)\]\]`)
)

// shownText returns a quotable form of a text: links are replaced by their labels.
func shownText(s string) string { return strings.Trim(linkRE().ReplaceAllString(s, "$1"), "\n") }

// question answers from the passages of the notes.
func (s *session) question(asked string) reply {
	topic := cmp.Or(strings.TrimSpace(openingRE().ReplaceAllString(asked, "")), asked)
	when, rest := findSpan(topic, s.now)
	if len(retrieval.KeyWords(rest)) == 0 && !when.isZero() {
		r, _ := s.notesFound(filter{of: "notes", when: when})
		return r
	}
	if len(retrieval.ContentWords(topic)) == 0 {
		return unablef("I did not understand “%s”. For instance:\n\n%s\n\nSay **help** for more.", text.Excerpt(asked, 120), examples)
	}
	hits, err := s.index.Search(s.ctx, retrieval.Query{Text: topic}, 12)
	switch {
	case err != nil:
		return unablef("The notes could not be searched: %v", err)
	case len(s.catalog.entries) == 0:
		return sayf("There are no notes yet. For instance: *create a note Ideas with \"my first thought\"*.")
	case len(hits) == 0 || hits[0].Coverage < coverPoor/2:
		return sayf("Nothing in your notes answers “%s”. Try other words, or for instance:\n\n%s", text.Excerpt(asked, 120), examples)
	}
	named, _ := s.catalog.named(topic)
	both := slices.DeleteFunc(slices.Clone(hits), func(h retrieval.Hit) bool { return !slices.Contains(named, h.Path) })
	if len(both) > 1 && comparesRE().MatchString(asked) { // quote the notes that are compared, equally
		for i := range both {
			both[i].Score, both[i].Coverage = 1, 1
		}
		hits = both
	}
	i := slices.IndexFunc(s.catalog.entries, func(e retrieval.Entry) bool { return e.Path == hits[0].Path })
	if key, values, line := retrieval.Answer(asked, s.catalog.entries[max(i, 0)]); key != "" {
		return sayf("From your notes:\n\n%s\n\n— %s", text.Quoted(shownText(key+": "+strings.Join(values, ", "))), cite(hits[0].Path, line))
	}
	return s.quoted(topic, hits)
}

// quoted quotes the best passages, the best note first, or names the closest notes if they do not answer.
func (s *session) quoted(topic string, hits []retrieval.Hit) reply {
	var parts, near, also []string
	for i, h := range hits[:min(len(hits), maxNotes)] {
		near = append(near, cite(h.Path, 0))
		if i > 0 && h.Score < shareOfBest*hits[0].Score {
			also = append(also, cite(h.Path, 0))
			continue
		}
		passages := telling(h)
		for _, p := range passages[:min(len(passages), max(1, 2-i))] {
			if p.Score >= leastShare*passages[0].Score {
				parts = append(parts, quotePassage(h.Path, p))
			}
		}
	}
	words := slices.DeleteFunc(retrieval.KeyWords(topic), func(w string) bool { // those that occur in no note
		return len(w) < 4 || w[0] >= 0xe2 || s.index.Mentions(w)
	})
	named := slices.ContainsFunc(words, func(w string) bool { return strings.Contains(topic, " "+text.Capital(w)) })
	switch {
	case len(words) > 0 && (named || len(words) == len(retrieval.KeyWords(topic))):
		return sayf("Nothing in your notes answers this: no note mentions %s. The closest notes are %s.", strings.Join(words, " or "), strings.Join(near, ", "))
	case len(parts) == 0 || hits[0].Coverage < coverGood:
		return sayf("I found nothing that answers this. The closest notes are %s.", strings.Join(near, ", "))
	}
	intro := "From your notes"
	if len(words) > 0 {
		intro = fmt.Sprintf("No note contains the %s “%s”. The closest passages", text.Plural(len(words), "word"), strings.Join(words, "” or “"))
	} else if len(parts) > 1 {
		intro += ", the best match first"
	}
	if len(also) > 0 {
		parts = append(parts, "See also "+strings.Join(also, ", ")+".")
	}
	return sayf("%s:\n\n%s", intro, strings.Join(parts, "\n\n"))
}

// telling returns the passages of a hit, best first. Front matter ranks lower.
func telling(h retrieval.Hit) []retrieval.Passage {
	out := slices.DeleteFunc(slices.Clone(h.Passages), func(p retrieval.Passage) bool { return p.Text == "" })
	for i := range out {
		if out[i].Kind == retrieval.LineProperty {
			out[i].Score /= 2
		}
	}
	slices.SortStableFunc(out, func(a, b retrieval.Passage) int { return cmp.Compare(b.Score, a.Score) })
	return out
}

// quotePassage formats a passage as a quotation with its citation.
func quotePassage(file string, p retrieval.Passage) string {
	link := cite(file, p.Line)
	if n := len(p.Headings); n > 0 && !strings.EqualFold(p.Headings[n-1], retrieval.Name(file)) && !strings.ContainsAny(p.Headings[n-1], "#^|[]%") {
		link = strings.Replace(link, "]]", "#"+p.Headings[n-1]+"]]", 1)
	}
	said := shownText(p.Raw)
	if len(said) > maxQuote {
		said = text.Head(said, maxQuote)
		said = strings.TrimRight(said[:max(strings.LastIndexAny(said, " \n"), maxQuote/2)], " \n,;:") + " …"
	}
	return text.Quoted(said) + "\n\n— " + link
}
