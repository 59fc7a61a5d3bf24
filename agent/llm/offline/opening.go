package offline

import (
	"slices"
	"strings"
	"time"

	"chatvault/agent/llm/offline/grammar"
	"chatvault/agent/llm/offline/naming"
	"chatvault/agent/llm/offline/retrieval"
	"chatvault/agent/llm/offline/toolresult"
	"chatvault/internal/lazyregexp"
)

// fitsSubject is how well a name must fit a note for a question about that name to be
// answered with what the note begins with: all its words stand in the note's name.
const fitsSubject = 0.72

// subjectRE takes the subject out of "who is Tomasz" and "what is the Heron".
var subjectRE = lazyregexp.New(`(?i)^(?:so |and |but )?(?:who|what)(?:'s|’s| is| are| was| were)\s+(?:the\s+|my\s+|our\s+|an?\s+)?(.+?)(?:\s+(?:about|again))?[\s?.!]*$`)

// subject is the note a question is about by name, "" where it names none, or several.
func (s *script) subject(c grammar.Command) string {
	name := ""
	if m := subjectRE().FindStringSubmatch(c.Topic); m != nil {
		name = m[1]
	} else if c.Sure {
		name = c.Topic
	}
	if name == "" || !c.When.IsZero() || len(strings.Fields(name)) > 6 {
		return ""
	}
	found := s.view.Resolve(grammar.NoteName(name))
	if len(found) == 0 || found[0].Score < fitsSubject {
		return ""
	}
	same := naming.Distinct(found)
	if len(same) > 1 { // "Priya" is rather Priya Raman than a talk with her
		same = slices.DeleteFunc(slices.Clone(same), func(k naming.Candidate) bool {
			return !strings.HasPrefix(naming.Normal(retrieval.Name(k.Path))+" ", naming.Normal(name)+" ")
		})
	}
	if len(same) != 1 {
		return ""
	}
	return same[0].Path
}

// first puts the note of a path before the other hits.
func first(p string, hits []retrieval.Hit) []retrieval.Hit {
	own := retrieval.Hit{Path: p, Score: 1, Coverage: 1}
	if len(hits) > 0 {
		own.Score = hits[0].Score
	}
	out := []retrieval.Hit{own}
	for _, h := range hits {
		if h.Path == p {
			out[0].Line = h.Line
			continue
		}
		out = append(out, h)
	}
	return out
}

// inTime drops the hits whose names hold a date outside of a time, where others are left.
func inTime(hits []retrieval.Hit, when grammar.Range) []retrieval.Hit {
	if when.IsZero() {
		return hits
	}
	out := slices.DeleteFunc(slices.Clone(hits), func(h retrieval.Hit) bool {
		d := nameDate().FindString(h.Path)
		return d != "" && !dateIn(d, when)
	})
	if len(out) == 0 {
		return hits
	}
	return out
}

var nameDate = lazyregexp.New(`\d{4}-\d{2}-\d{2}`)

// dateIn says whether an ISO date lies in a time.
func dateIn(d string, when grammar.Range) bool {
	return d >= when.From.Format(time.DateOnly) && d < when.To.Format(time.DateOnly)
}

// proper keeps the passages that say something: no front matter, and no lines that only
// embed another file.
func proper(passages []retrieval.Passage, lines []toolresult.Numbered) []retrieval.Passage {
	return slices.DeleteFunc(slices.Clone(passages), func(p retrieval.Passage) bool {
		return p.Kind == retrieval.LineProperty || embeds(p.Block, lines)
	})
}

// embeds says whether a block is nothing but embedded files.
func embeds(b retrieval.Block, lines []toolresult.Numbered) bool {
	return !slices.ContainsFunc(lines, func(l toolresult.Numbered) bool {
		text := strings.TrimSpace(l.Text)
		return b.Line <= l.N && l.N <= b.End && text != "" && !embedRE().MatchString(text)
	})
}

var embedRE = lazyregexp.New(`^(?:[-*+]\s+)?(?:!\[\[[^\]]*\]\]\s*|!\[[^\]]*\]\([^)]*\)\s*)+$`)

// opening is the first block of a note that says something.
func opening(lines []toolresult.Numbered) (retrieval.Passage, bool) {
	for _, b := range retrieval.Blocks([]byte(toolresult.JoinLines(lines))) {
		b.Line, b.End = b.Line+lines[0].N-1, b.End+lines[0].N-1
		if b.Kind == retrieval.LineProperty || b.Kind == retrieval.LineCode || strings.TrimSpace(b.Text) == "" || embeds(b, lines) {
			continue
		}
		return retrieval.Passage{Block: b}, true
	}
	return retrieval.Passage{}, false
}

// whenRE recognises a question for a date.
var whenRE = lazyregexp.New(`(?i)^(?:and |so |but )?(?:when|what (?:day|date|time|year))\b`)

var dateWord = lazyregexp.New(`(?i)\b(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:19|20)\d\d|\d{1,2}:\d{2})\b|\b\d{1,2}\s+may\b|\bmay\s+\d`)

// forDates prefers, for a question for a date, the passages that hold one, most of all where
// what was asked for stands beside it or above it.
func forDates(topic, name string, passages []retrieval.Passage) []retrieval.Passage {
	own := retrieval.Words(name)
	words := slices.DeleteFunc(retrieval.ContentWords(topic), func(w string) bool { return stands(w, own) })
	for i := range passages {
		p := &passages[i]
		if !dateWord().MatchString(p.Text) {
			continue
		}
		p.Score *= 1.3
		if around := retrieval.Words(strings.Join(p.Headings, " ") + " " + p.Text); len(words) > 0 && allStand(words, around) {
			p.Score *= 2
		}
		if p.Kind == retrieval.LineText {
			p.Excerpt = datedSentences(p.Text)
		}
	}
	sortPassages(passages)
	return passages
}

// datedSentences are the sentences of a paragraph with a date, at most two, with marks for what is
// left out; empty where that would be all of it.
func datedSentences(text string) string {
	var out []string
	all, last, dated := sentences(text), -1, 0
	for i, x := range all {
		if !dateWord().MatchString(x) || dated == 2 {
			continue
		}
		if i > last+1 {
			out = append(out, "…")
		}
		out, last, dated = append(out, x), i, dated+1
	}
	if dated == len(all) {
		return ""
	}
	if last < len(all)-1 {
		out = append(out, "…")
	}
	return strings.Join(out, " ")
}

// stands says whether a word, or a form of it, is among others.
func stands(w string, others []string) bool {
	return slices.ContainsFunc(others, func(o string) bool { return naming.Similarity(w, o) > 0.75 })
}

func allStand(words, others []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !stands(w, others) })
}

var ofRE = lazyregexp.New(`(?i)\bof\s+(?:the\s+)?([\p{L}-]+)[\s?.!]*$`)

// nearWord is how near another word must be, by the thesaurus, to stand for one.
const nearWord = 0.36

// namesIn are the words of a question that are written as names, but for the first.
func namesIn(topic string) []string {
	var out []string
	for i, w := range strings.Fields(topic) {
		w = strings.TrimSuffix(strings.TrimSuffix(strings.Trim(w, `.,;:!?"'“”()`), "'s"), "’s")
		if i > 0 && len(w) > 3 && w[0] >= 'A' && w[0] <= 'Z' && !contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// unmentioned are the names in a question, as "Tomasz" or "of France", that stand in no note in any
// form: not in a text, a name or an alias. Of what everything is asked about, a single word counts as
// one: what is asked of them, the notes cannot answer.
func (s *script) unmentioned(topic string, about bool) []string {
	known := func(name string) bool {
		return slices.ContainsFunc(retrieval.Words(name), s.engine.index.Mentions)
	}
	out := slices.DeleteFunc(namesIn(topic), known)
	if c := retrieval.ContentWords(topic); about && len(c) == 1 && len(c[0]) > 3 && !known(c[0]) {
		out = append(out, c[0]) // "notes on bees"
	}
	if m := ofRE().FindStringSubmatch(topic); m != nil && len(m[1]) > 3 && len(strings.Fields(topic)) > 3 && !contains(out, m[1]) && !known(m[1]) {
		out = append(out, m[1])
	}
	return out
}

// speaksOf says whether what was found speaks of what was asked: its first passages have at least
// half of the words that the question is about, or direct synonyms of them. A single word must stand
// in one of the texts itself.
func speaksOf(topic, lead string, texts []string) bool {
	asked := retrieval.KeyWords(topic)
	if len(asked) == 0 {
		return true
	}
	if len(asked) == 1 {
		return slices.ContainsFunc(texts, func(t string) bool {
			return slices.ContainsFunc(retrieval.Words(t), func(w string) bool {
				return retrieval.Stem(w) == retrieval.Stem(asked[0]) || len(asked[0]) > 6 && naming.Similarity(asked[0], w) > 0.75
			})
		})
	}
	have := retrieval.Words(lead)
	stems := make(map[string]bool, len(have))
	for _, w := range have {
		stems[retrieval.Stem(w)] = true
	}
	hit := 0
	for i, w := range asked {
		if stands(w, have) || synonymIn(retrieval.Stem(w), stems) || i > 0 && synonymIn(retrieval.Stem(asked[i-1])+" "+retrieval.Stem(w), stems) {
			hit++
		}
	}
	return 2*hit >= len(asked)
}

// synonymIn says whether a direct synonym of an entry of the thesaurus is among stems.
func synonymIn(entry string, stems map[string]bool) bool {
	return slices.ContainsFunc(retrieval.DefaultThesaurus().Related(entry), func(r retrieval.Related) bool {
		return r.Weight >= nearWord && !slices.ContainsFunc(r.Stems, func(x string) bool { return !stems[x] })
	})
}

func contains(list []string, s string) bool {
	return slices.ContainsFunc(list, func(x string) bool { return strings.EqualFold(x, s) })
}
