package offline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"chatvault/agent/llm/offline/retrieval"
	"chatvault/internal/lazyregexp"
	"chatvault/internal/text"
)

// Limits and thresholds of answers.
const (
	maxNotes    = 3
	shareOfBest = 0.42 // a further note is quoted if it scores this share of the best
	coverGood   = 0.55 // from this coverage on a note answers a question
	coverPoor   = 0.24 // below it a note has nothing to do with one
	maxQuote    = 480  // bytes
)

var (
	openingRE = lazyregexp.New(`(?i)^(?:please |hey |so |and |but |ok |can you |could you )*(?:tell me |show me |find |search(?: for)? |look up |explain |summari[sz]e |compare |describe |what do i know about |what do my notes say about |what have i written about |what about |everything about |notes (?:on|about) |do i have (?:any )?notes? (?:on|about) )+(?:(?:me|about|the|my|all|everything|what|notes) )*`)
	subjectRE = lazyregexp.New(`(?i)^(?:so |and |but )?(?:who|what)(?:'s|’s| is| are| was| were)\s+(?:the\s+|my\s+|our\s+|an?\s+)?(.+?)[\s?.!]*$`)
	leansRE   = lazyregexp.New(`(?i)^(?:and|but|also)\s|\b(?:he|she|him|her|his|hers|they|them|their|it|its|there)\b`)
	dateAskRE = lazyregexp.New(`(?i)^(?:and |so |but )?(?:when|what (?:day|date|time))\b`)
	dateRE    = lazyregexp.New(`(?i)\b(?:` + months + `)\b|\b` + weekdays + `\b|\b(?:19|20)\d\d\b|\d{1,2}:\d{2}`)
	linkRE    = lazyregexp.New(`\[\[(?:[^\[\]\n]*\|)?([^\[\]\n|]+)\]\]`)
)

// shownText returns a quotable form of a text: links are replaced by their labels.
func shownText(s string) string { return strings.Trim(linkRE().ReplaceAllString(s, "$1"), "\n") }

// question answers from the passages of the notes.
func (s *session) question(asked string) reply {
	if r, ok := s.property(asked); ok {
		return r
	}
	topic := strings.TrimSpace(openingRE().ReplaceAllString(asked, ""))
	topic = cmp.Or(topic, asked)
	when, rest := findSpan(topic, s.now)
	if len(retrieval.KeyWords(rest)) == 0 && !when.isZero() {
		return s.notesFound(filter{of: "notes", when: when})
	}
	if len(retrieval.ContentWords(topic)) == 0 {
		return unablef("I did not understand “%s”. For instance:\n\n%s\n\nSay **help** for more.", text.Excerpt(asked, 120), s.examples())
	}
	if before := s.lastQuestion(); before != "" && leansRE().MatchString(asked) && len(retrieval.KeyWords(topic)) <= 2 {
		topic = before + " " + topic
	}
	hits, err := s.index.Search(s.ctx, retrieval.Query{Text: topic, From: when.from, To: when.to}, 12)
	if err != nil {
		return unablef("The notes could not be searched: %v", err)
	}
	own := s.subject(topic, asked)
	hits = ownFirst(own, hits)
	if len(hits) == 0 || hits[0].Coverage < coverPoor {
		return s.nothing(asked, hits)
	}
	return s.quoted(asked, topic, own, hits)
}

// lastQuestion returns the previous message if it was answered with quotations.
func (s *session) lastQuestion() string {
	if len(s.past) == 0 || !strings.Contains(s.past[len(s.past)-1].answer, "\n\n> ") {
		return ""
	}
	m := s.past[len(s.past)-1].messages
	return m[len(m)-1].text
}

// subject returns the path of the note that a question asks about by name, or "".
func (s *session) subject(topic, asked string) string {
	name := ""
	if m := subjectRE().FindStringSubmatch(topic); m != nil {
		name = m[1]
	} else if topic != asked || len(strings.Fields(topic)) <= 4 {
		name = strings.TrimRight(topic, "?.! ")
	}
	if found := s.catalog.note(name); len(found) == 1 {
		return found[0]
	}
	return ""
}

// ownFirst puts the hit of a note before the others.
func ownFirst(own string, hits []retrieval.Hit) []retrieval.Hit {
	i := slices.IndexFunc(hits, func(h retrieval.Hit) bool { return h.Path == own })
	if i < 0 {
		return hits
	}
	h := hits[i]
	h.Coverage = 1
	return slices.Insert(slices.Delete(slices.Clone(hits), i, i+1), 0, h)
}

// quoted quotes the best passages, the best note first.
func (s *session) quoted(asked, topic, own string, hits []retrieval.Hit) reply {
	var parts, near []string
	var lead, all string
	for i, h := range hits {
		if i == maxNotes || i > 0 && h.Score < shareOfBest*hits[0].Score {
			break
		}
		near = append(near, cite(h.Path, 0))
		passages := s.telling(asked, h)
		if len(passages) == 0 {
			continue
		}
		data := s.read(h.Path)
		n := 1
		if i == 0 {
			n = 2
		}
		if h.Path == own {
			passages = withOpening(passages, data, n)
		}
		all += " " + h.Path + " " + string(data)
		for _, p := range picked(passages, n) {
			parts = append(parts, quotePassage(h.Path, p, data))
			if i == 0 {
				lead += " " + retrieval.Name(h.Path) + " " + strings.Join(p.Headings, " ") + " " + p.Text
			}
		}
	}
	words, missing := s.unmentioned(topic)
	if len(words) > 0 && len(words) == len(retrieval.KeyWords(topic)) {
		missing = words
	}
	if len(parts) == 0 || own == "" && (len(missing) > 0 || hits[0].Coverage < coverGood || !speaksOf(topic, lead, all)) {
		why := "I found nothing that answers this."
		if len(missing) > 0 {
			why = fmt.Sprintf("Nothing in your notes answers this: no note mentions %s.", strings.Join(missing, " or "))
		}
		return sayf("%s The closest notes are %s.", why, strings.Join(near, ", "))
	}
	intro := "From your notes"
	if len(words) > 0 {
		intro = fmt.Sprintf("No note contains the %s “%s”. The closest passages", text.Plural(len(words), "word"), strings.Join(words, "” or “"))
	} else if len(parts) > 1 {
		intro += ", the best match first"
	}
	answer := intro + ":\n\n" + strings.Join(parts, "\n\n")
	var also []string
	for _, h := range hits[min(len(near), len(hits)):] {
		if len(near)+len(also) < maxNotes && h.Coverage >= coverPoor {
			also = append(also, cite(h.Path, 0))
		}
	}
	if len(also) > 0 {
		answer += "\n\nSee also " + strings.Join(also, ", ") + "."
	}
	return sayf("%s", answer)
}

// telling returns the passages of a hit, best first. Front matter ranks lower; passages with a date or the names of
// the question rank higher.
func (s *session) telling(asked string, h retrieval.Hit) []retrieval.Passage {
	names := namesIn(asked)
	out := slices.DeleteFunc(slices.Clone(h.Passages), func(p retrieval.Passage) bool { return strings.TrimSpace(p.Text) == "" })
	for i := range out {
		p := &out[i]
		switch words := retrieval.Words(strings.Join(p.Headings, " ") + " " + p.Text + " " + h.Path); {
		case p.Kind == retrieval.LineProperty:
			p.Score /= 2
		case dateAskRE().MatchString(asked) && dateRE().MatchString(p.Text):
			p.Score *= 1.5
		case len(names) > 0 && !allStand(names, words):
			p.Score /= 2
		}
	}
	slices.SortStableFunc(out, func(a, b retrieval.Passage) int { return cmp.Compare(b.Score, a.Score) })
	return out
}

// withOpening puts the first block of a note before its passages.
func withOpening(passages []retrieval.Passage, data []byte, n int) []retrieval.Passage {
	for _, b := range retrieval.Blocks(data) {
		if b.Kind == retrieval.LineProperty || b.Kind == retrieval.LineCode || strings.TrimSpace(b.Text) == "" {
			continue
		}
		if !slices.ContainsFunc(passages[:min(n, len(passages))], func(p retrieval.Passage) bool { return p.Line <= b.Line && b.Line <= p.End }) {
			passages = slices.Insert(passages, 0, retrieval.Passage{Block: b, Score: passages[0].Score})
		}
		break
	}
	return passages
}

// picked takes up to n passages of good score, neighbours joined.
func picked(passages []retrieval.Passage, n int) []retrieval.Passage {
	var out []retrieval.Passage
	for _, p := range passages {
		if p.Score < 0.62*passages[0].Score {
			break
		}
		at := slices.IndexFunc(out, func(o retrieval.Passage) bool {
			return o.Kind == p.Kind && slices.Equal(o.Headings, p.Headings) && len(o.Text)+len(p.Text) < maxQuote && (p.Line == o.End+1 || o.Line == p.End+1)
		})
		switch {
		case at >= 0:
			out[at].Line, out[at].End, out[at].Text = min(p.Line, out[at].Line), max(p.End, out[at].End), out[at].Text+"\n"+p.Text
		case len(out) < n:
			out = append(out, p)
		}
	}
	slices.SortStableFunc(out[min(1, len(out)):], func(a, b retrieval.Passage) int { return a.Line - b.Line })
	return out
}

// quotePassage formats a passage as a quotation with its citation.
func quotePassage(file string, p retrieval.Passage, data []byte) string {
	lines := strings.Split(string(data), "\n")
	said := p.Text
	if p.Line >= 1 && p.End <= len(lines) {
		said = strings.Join(lines[p.Line-1:p.End], "\n")
	}
	where := ""
	if n := len(p.Headings); n > 0 && !strings.EqualFold(p.Headings[n-1], retrieval.Name(file)) {
		where = ", under “" + p.Headings[n-1] + "”"
	}
	return quote(clip(shownText(said))) + "\n\n— " + cite(file, p.Line) + where
}

// clip cuts a passage that is too long to quote, after a word.
func clip(s string) string {
	if len(s) <= maxQuote {
		return s
	}
	head := text.Head(s, maxQuote)
	if cut := strings.LastIndexAny(head, " \n"); cut > maxQuote/2 {
		head = head[:cut]
	}
	return strings.TrimRight(head, " \n,;:") + " …"
}

// nothing returns the reply to a question without an answer in the notes.
func (s *session) nothing(asked string, near []retrieval.Hit) reply {
	if s.index.Len() == 0 {
		return sayf("There are no notes yet. For instance: *create a note Ideas with \"my first thought\"*.")
	}
	if len(near) > 0 && near[0].Coverage > coverPoor/2 {
		names := text.Of(near[:min(len(near), maxNotes)], func(h retrieval.Hit) string { return cite(h.Path, 0) })
		return sayf("I found nothing that answers “%s”. The closest notes are %s.", text.Excerpt(asked, 120), strings.Join(names, ", "))
	}
	return sayf("Nothing in your notes answers “%s”. Try other words, or for instance:\n\n%s", text.Excerpt(asked, 120), s.examples())
}

// stands reports whether a word, in some form, is among others.
func stands(word string, others []string) bool {
	stem := retrieval.Stem(folded(word))
	return slices.ContainsFunc(others, func(o string) bool {
		limit := retrieval.TypoLimit(min(len(word), len(o)))
		return retrieval.Stem(o) == stem || limit > 0 && text.Distance(folded(word), o, limit) <= limit
	})
}

func allStand(words, others []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !stands(w, others) })
}

// namesIn are the words of a question, but the first, that begin with a capital.
func namesIn(asked string) []string {
	var out []string
	for i, w := range strings.Fields(asked) {
		w = strings.TrimSuffix(strings.TrimSuffix(strings.Trim(w, `.,;:!?"'“”()`), "'s"), "’s")
		if i > 0 && len(w) > 3 && w[0] >= 'A' && w[0] <= 'Z' && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// unmentioned returns the words of a question that occur in no note, and those of them that are names.
func (s *session) unmentioned(asked string) (words, names []string) {
	known := func(name string) bool { return slices.ContainsFunc(retrieval.Words(name), s.index.Mentions) }
	names = slices.DeleteFunc(namesIn(asked), known)
	if m := ofRE().FindStringSubmatch(asked); m != nil && len(m[1]) > 3 && len(strings.Fields(asked)) > 3 && !slices.Contains(names, m[1]) && !known(m[1]) {
		names = append(names, m[1])
	}
	words = slices.DeleteFunc(retrieval.KeyWords(asked), func(w string) bool { return len(w) < 4 || w[0] >= 0xe2 || known(w) })
	return words, names
}

var ofRE = lazyregexp.New(`(?i)\bof\s+(?:the\s+)?([\p{L}-]+)[\s?.!]*$`)

// speaksOf reports whether the quotations cover a question: half of its key words, or near synonyms, occur in the
// passages of the first note. A single word must occur in one of the notes.
func speaksOf(asked, lead, all string) bool {
	words := retrieval.KeyWords(asked)
	if len(words) == 0 {
		return true
	}
	if len(words) == 1 {
		return stands(words[0], retrieval.Words(all))
	}
	have := retrieval.Words(lead)
	stems := make(map[string]bool, len(have))
	for _, w := range have {
		stems[retrieval.Stem(w)] = true
	}
	hit := 0
	for i, w := range words {
		if stands(w, have) || synonymIn(retrieval.Stem(w), stems) || i > 0 && synonymIn(retrieval.Stem(words[i-1])+" "+retrieval.Stem(w), stems) {
			hit++
		}
	}
	return 2*hit >= len(words)
}

// nearSynonym is the minimum weight of a near synonym in the thesaurus.
const nearSynonym = 0.36

// synonymIn reports whether a near synonym of an entry of the thesaurus is among stems.
func synonymIn(entry string, stems map[string]bool) bool {
	return slices.ContainsFunc(retrieval.DefaultThesaurus().Related(entry), func(r retrieval.Related) bool {
		return r.Weight >= nearSynonym && !slices.ContainsFunc(r.Stems, func(x string) bool { return !stems[x] })
	})
}
