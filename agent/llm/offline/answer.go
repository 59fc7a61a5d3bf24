package offline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"chatvault/agent/llm/offline/grammar"
	"chatvault/agent/llm/offline/retrieval"
	"chatvault/agent/llm/offline/toolresult"
	"chatvault/internal/lazyregexp"
	"chatvault/internal/text"
)

// What a question is answered from, and with.
const (
	notesForQuestion = 3
	notesForTopic    = 5
	shareOfBest      = 0.42 // a further note is read when it scores this share of the best
	shareOfBestTopic = 0.28
	maxQuote         = 480      // bytes of a quoted passage
	wholeNote        = 48 << 10 // bytes up to which a note is read whole
	linesAround      = 40       // lines read around the passage of a longer one
)

// Coverage of a question from which a note is an answer, and below which it is none at all.
const (
	coverGood = 0.55
	coverPoor = 0.24
)

// question answers from the notes.
func (s *script) question(c grammar.Command) {
	if !s.searching {
		c = inContext(c, s.past)
	}
	topic := strings.TrimSpace(c.Topic)
	c.Text = cmp.Or(c.Text, topic)
	if p := s.numbered(c.Text); p != "" {
		s.show(grammar.Command{Kind: grammar.Show, Note: p})
		return
	}
	if s.answersNothing(c.Text) {
		return
	}
	if topic == "" && !c.When.IsZero() {
		s.days(c)
		return
	}
	if len(retrieval.ContentWords(topic)) == 0 && c.When.IsZero() && len(retrieval.Words(topic)) < 3 {
		if p := s.pick(topic, "show", false); p != nil {
			s.show(grammar.Command{Kind: grammar.Show, Note: p[0]})
		} else {
			s.notUnderstood(c.Text)
		}
		return
	}
	if s.ofKind(c) || !s.searching && s.property(c) {
		return
	}
	if m := howOldRE().FindStringSubmatch(topic); m != nil {
		topic = "when was " + m[1] + " born"
		c.Topic = topic
	}
	hits := inTime(s.search(topic, c.When), c.When)
	own := s.subject(c)
	if own != "" {
		hits = first(own, hits)
	}
	if language := foreign(c.Text); language != "" {
		s.sayf("I only understand English, and your question looks like %s, so I searched for its words.", language)
	}
	if !s.again(readFile) && (len(hits) == 0 || hits[0].Coverage < coverPoor) { // else an answer was found when it was looked for
		s.nothing(c, hits)
		return
	}
	best := nearest(c, hits)
	s.answerFrom(c, hits[:best], own, "", hits[best:]...)
}

var howOldRE = lazyregexp.New(`(?i)^how old (?:is|are|was) (.+)$`)

// nearest is how many of the hits, best first, an answer is made from.
func nearest(c grammar.Command, hits []retrieval.Hit) int {
	limit, share := notesForQuestion, shareOfBest
	if c.Sure {
		limit, share = notesForTopic, shareOfBestTopic
	}
	best := min(len(hits), 1)
	for _, h := range hits[best:] {
		if best < limit && h.Score >= share*hits[0].Score {
			best++
		}
	}
	return best
}

// seeAlso begins what names notes that were not read for an answer.
const seeAlso = "See also "

// answerFrom reads the notes of hits, best first, and answers from them. own is the note that is
// asked about by name, intro what the answer begins with, where it is not as usual. Of further ones
// those are named that make it three notes.
func (s *script) answerFrom(c grammar.Command, hits []retrieval.Hit, own, intro string, further ...retrieval.Hit) {
	var reads []planned
	for _, h := range hits {
		reads = append(reads, planned{readFile, s.readArgs(h)})
	}
	results := s.reads(reads)
	coverage := coverGood // of what is gone since
	for _, h := range hits {
		if len(results) > 0 && h.Path == results[0].arg("path") {
			coverage = h.Coverage
		}
	}
	var also []string
	for _, h := range further[:min(len(further), max(0, notesForQuestion-len(hits)))] {
		if h.Coverage >= coverPoor {
			also = append(also, cite(h.Path, 0))
		}
	}
	s.answer(c, own, intro, coverage, results, also)
}

// search ranks the notes for a question, but those that the task has moved or deleted since.
func (s *script) search(text string, when grammar.Range) []retrieval.Hit {
	hits, err := s.engine.index.Search(s.ctx, retrieval.Query{Text: text, From: when.From, To: when.To}, 12)
	if err != nil {
		panic(stop{err})
	}
	return slices.DeleteFunc(hits, func(h retrieval.Hit) bool {
		_, here := s.view.Notes[h.Path]
		return !here
	})
}

// readArgs reads a note whole, or what is around the passage of a long one.
func (s *script) readArgs(h retrieval.Hit) args {
	if s.view.Notes[h.Path].Size <= wholeNote {
		return args{"path": h.Path}
	}
	return args{"path": h.Path, "start_line": max(1, h.Line-linesAround), "end_line": h.Line + 2*linesAround}
}

// answer quotes the best passages of what was read, best note first, where they hold what is asked;
// else it names the notes. What is asked about the note own begins with how that note begins, in its
// order.
func (s *script) answer(c grammar.Command, own, intro string, coverage float64, results []call, also []string) {
	x := s.quotes(c, own, results)
	parts := x.parts
	if len(parts) == 0 {
		parts = x.bare
	}
	missing := s.unmentioned(c.Topic, c.Sure)
	switch {
	case len(x.near) == 0:
		s.nothing(c, nil)
	case len(parts) == 0 || own == "" && intro == "" && (len(missing) > 0 || coverage < coverGood || !speaksOf(c.Topic, x.lead, x.texts)):
		no := "I found nothing that answers this."
		if s.searching {
			no = ""
		} else if len(missing) > 0 {
			no = fmt.Sprintf("Nothing in your notes answers this: no note mentions %s.", strings.Join(missing, " or "))
		}
		s.sayf("%s", strings.TrimSpace(fmt.Sprintf("%s The nearest notes are %s.", no, strings.Join(append(x.near, also...), ", "))))
	default:
		if intro == "" {
			intro = "From your notes"
			if len(parts) > 1 {
				intro += ", the best match first"
			}
		}
		s.say(intro + ":\n\n" + strings.Join(parts, "\n\n"))
		if len(also) > 0 {
			s.say(seeAlso + strings.Join(also, ", ") + ".")
		}
	}
}

// quotedNotes is what an answer quotes.
type quotedNotes struct {
	parts []string // passages with their citations
	bare  []string // those that are no text, quoted where no note says more
	near  []string // citations of the notes
	texts []string // of the notes
	lead  string   // the passages of the first note, with what they stand under
}

// quotes picks the passages that answer best from the notes that were read.
func (s *script) quotes(c grammar.Command, own string, results []call) (x quotedNotes) {
	q := retrieval.Query{Text: c.Topic, From: c.When.From, To: c.When.To}
	for i, r := range results {
		p := r.arg("path")
		lines, _, _ := toolresult.FileLines(r.result)
		if r.failed || len(lines) == 0 {
			continue
		}
		x.texts, x.near = append(x.texts, p+" "+r.result), append(x.near, cite(p, 0))
		passages := s.engine.index.Passages(q, p, []byte(toolresult.JoinLines(lines)), lines[0].N)
		if len(passages) == 0 {
			continue
		}
		telling := proper(passages, lines)
		if len(telling) == 0 { // properties and embeds only
			if p == own {
				x.parts = append(x.parts, cite(p, 0)+" has properties and embedded files, but no text of its own.")
			}
			if words := retrieval.Words(passages[0].Text); passages[0].Kind == retrieval.LineProperty && !s.searching && slices.ContainsFunc(retrieval.KeyWords(c.Topic), func(w string) bool { return stands(w, words) }) {
				x.bare = append(x.bare, quotePassage(p, passages[0], lines))
			}
			if i == 0 {
				x.lead = retrieval.Name(p) + " " + passages[0].Text
			}
			continue
		}
		if whenRE().MatchString(q.Text) {
			telling = forDates(q.Text, retrieval.Name(p), telling)
		}
		if names := namesIn(c.Text); len(names) > 0 { // what speaks of whom is asked about goes first
			for i := range telling {
				if words := retrieval.Words(strings.Join(telling[i].Headings, " ") + " " + telling[i].Text); !allStand(names, words) && !allStand(names, retrieval.Words(p)) {
					telling[i].Score /= 2
				}
			}
			sortPassages(telling)
		}
		n, share := 1, 0.7
		switch {
		case c.Sure:
			n, share = 3, 0.5
		case i == 0:
			n, share = 2, 0.62
		}
		picked := pickPassages(telling, n, share)
		if p == own {
			picked = withOpening(picked, lines, n)
		}
		for _, passage := range picked {
			if x.lead == "" || i == 0 {
				x.lead += " " + retrieval.Name(p) + " " + strings.Join(passage.Headings, " ") + " " + passage.Text
			}
			x.parts = append(x.parts, quotePassage(p, passage, lines))
		}
	}
	return x
}

// withOpening puts the opening of a note before the passages picked from it, and all in their
// order in the note.
func withOpening(picked []retrieval.Passage, lines []toolresult.Numbered, n int) []retrieval.Passage {
	open, ok := opening(lines)
	holds := func(p retrieval.Passage) bool { return p.Line <= open.Line && open.Line <= p.End }
	if ok && !slices.ContainsFunc(picked, holds) {
		picked = append(picked[:min(len(picked), max(1, n-1))], open)
	}
	slices.SortStableFunc(picked, func(a, b retrieval.Passage) int { return a.Line - b.Line })
	return picked
}

func sortPassages(list []retrieval.Passage) {
	slices.SortStableFunc(list, func(a, b retrieval.Passage) int { return cmp.Compare(b.Score, a.Score) })
}

// pickPassages takes up to n passages that score at least share of the best, joining
// neighbours, in the order best first.
func pickPassages(all []retrieval.Passage, n int, share float64) []retrieval.Passage {
	var out []retrieval.Passage
	for _, p := range all {
		if len(out) > 0 && p.Score < share*all[0].Score {
			break
		}
		joined := false
		for i := 0; i < len(out) && !joined; i++ {
			o := &out[i]
			if o.Kind == p.Kind && slices.Equal(o.Headings, p.Headings) && len(o.Text)+len(p.Text) < maxQuote {
				if p.Line == o.End+1 {
					o.Text, o.End, joined = o.Text+"\n"+p.Text, p.End, true
				} else if o.Line == p.End+1 {
					o.Text, o.Line, joined = p.Text+"\n"+o.Text, p.Line, true
				}
			}
		}
		if !joined {
			if len(out) == n {
				continue
			}
			out = append(out, p)
		}
	}
	return out
}

// quotePassage sets a passage as it stands in the note, with its heading and its citation.
func quotePassage(p string, x retrieval.Passage, lines []toolresult.Numbered) string {
	var raw []string
	for _, l := range lines {
		if x.Line <= l.N && l.N <= x.End {
			raw = append(raw, l.Text)
		}
	}
	text := cmp.Or(x.Excerpt, strings.Join(raw, "\n"))
	where := ""
	if n := len(x.Headings); n > 0 && !strings.EqualFold(x.Headings[n-1], retrieval.Name(p)) {
		where = ", under “" + x.Headings[n-1] + "”"
	}
	return quote(clip(shownText(text), maxQuote)) + "\n\n— " + cite(p, x.Line) + where
}

// shownText is a piece of a note as it is quoted: links by their words, all else as it stands.
func shownText(text string) string {
	return strings.Trim(linkRE().ReplaceAllString(text, "$1"), "\n")
}

// nothing says that no note answers, and what could be tried.
func (s *script) nothing(c grammar.Command, near []retrieval.Hit) {
	if s.engine.index.Len() == 0 {
		s.say("There are no notes yet. For instance, say *create a note called Ideas with “my first thought”*.")
		return
	}
	topic := clip(oneLine(cmp.Or(c.Text, c.Topic)), 120)
	switch {
	case len(near) > 0 && near[0].Coverage > 0.12:
		names := text.Of(near[:min(len(near), notesForQuestion)], func(h retrieval.Hit) string { return cite(h.Path, 0) })
		if s.searching {
			s.sayf("The nearest notes are %s.", strings.Join(names, ", "))
			return
		}
		s.sayf("I found nothing that answers “%s”. The nearest notes are %s.", topic, strings.Join(names, ", "))
	case s.searching:
		s.say("Nothing in your notes mentions it either. These work here:\n\n" + s.examples())
	default:
		s.sayf("Nothing in your notes seems to answer “%s”. Try other words, or ask something like this:\n\n%s", topic, s.examples())
	}
}

// days answers a question about a time alone: its daily notes, then what else was changed.
func (s *script) days(c grammar.Command) {
	var dated []retrieval.Entry
	var changed []string
	copied := s.copied()
	for _, e := range s.notes() {
		switch {
		case slices.ContainsFunc(e.Dates, func(d string) bool { return dateIn(d, c.When) && strings.Contains(e.Path, d) }):
			dated = append(dated, e)
		case c.When.Contains(e.Modified) && !copied.Contains(e.Modified):
			changed = append(changed, cite(e.Path, 0))
		}
	}
	words := timeWords(c.When.Words)
	if len(dated) == 0 {
		s.recent(grammar.Command{Kind: grammar.Recent, When: c.When})
		return
	}
	if len(dated) > notesForTopic {
		s.sayf("There are %d notes from %s; these are the newest %d.", len(dated), words, notesForTopic)
		dated = dated[len(dated)-notesForTopic:]
	}
	var reads []planned
	for _, e := range slices.Backward(dated) {
		reads = append(reads, planned{readFile, args{"path": e.Path}})
	}
	for _, r := range s.calls(reads) {
		if r.failed {
			s.refused("I could not read "+cite(r.arg("path"), 0), r)
			continue
		}
		s.sayf("%s", digest(r.arg("path"), r.result, 8))
	}
	if len(changed) > 0 {
		s.sayf("Also changed %s:\n\n- %s", words, strings.Join(firstOf(changed, 8), "\n- "))
	}
}

// digest quotes the first blocks of a note, as they stand there.
func digest(p, result string, n int) string {
	lines, _, _ := toolresult.FileLines(result)
	var parts []string
	first, last := 0, 0
	for _, b := range retrieval.Blocks([]byte(toolresult.JoinLines(lines))) {
		if b.Kind == retrieval.LineProperty {
			continue
		}
		if len(parts) == n {
			parts = append(parts, "…")
			break
		}
		if first == 0 {
			first = b.Line
		} else if b.Line > last+1 {
			parts = append(parts, "")
			n++
		}
		last = b.End
		text := toolresult.JoinLines(lines[b.Line-1 : b.End])
		parts = append(parts, clip(shownText(text), 240))
	}
	if len(parts) == 0 {
		return cite(p, 0) + " has no text."
	}
	return quote(strings.Join(parts, "\n")) + "\n\n— " + cite(p, first)
}
