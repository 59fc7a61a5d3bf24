package offline

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"chatvault/agent/llm/offline/grammar"
	"chatvault/agent/llm/offline/retrieval"
	"chatvault/agent/llm/offline/toolresult"
)

// maxSummary bounds the sentences of a summary.
const maxSummary = 6

// maxFolderNotes bounds the notes of a folder that are summarised.
const maxFolderNotes = 12

// summarise picks the sentences that say most of a note, or of each note of a folder.
func (s *script) summarise(c grammar.Command) {
	if c.Body != "" { // text that came with the message
		s.summariseText(c.Body)
		return
	}
	f := s.view.ResolveFolder(c.Note)
	folder := f.Path != "" && c.Note != grammar.It
	var p []string
	if !folder || !c.Sure {
		p = s.pick(c.Note, "summarise", true)
	}
	switch {
	case p == nil && folder:
		s.summariseFolder(f.Path)
		return
	case p == nil && c.Note != grammar.It && len(s.view.Resolve(c.Note)) == 0:
		s.question(grammar.Command{Kind: grammar.Question, Topic: c.Note, Sure: true})
		return
	case p == nil:
		p = []string{s.guess(c.Note, "summarise")}
	}
	s.readEach(p, func(p, result string) string { return summaryOf(p, result, maxSummary) })
}

// summariseText summarises text that stands in no note.
func (s *script) summariseText(text string) {
	picked := extract([]byte(text), maxSummary)
	if len(picked) == 0 {
		s.say("There is no text to summarise in what you sent.")
		return
	}
	s.say("In short:\n\n" + points(picked))
}

// points are sentences as a list.
func points(picked []sentence) string {
	return bullets(len(picked), func(i int) string { return clip(picked[i].text, 260) })
}

func (s *script) summariseFolder(folder string) {
	notes := s.notesIn(folder, "")
	left := len(notes) - maxFolderNotes
	notes = notes[:min(len(notes), maxFolderNotes)]
	var reads []planned
	for _, n := range notes {
		reads = append(reads, planned{readFile, args{"path": n.Path}})
	}
	results := s.calls(reads)
	for _, r := range results {
		if !r.failed {
			s.sayf("%s", summaryOf(r.arg("path"), r.result, 2))
		}
	}
	if left > 0 {
		s.sayf("*(%s in `%s/`: the %d newest are above.)*", counted(left+len(notes), "note"), folder, len(notes))
	}
}

// sentence is a candidate for a summary.
type sentence struct {
	text  string
	line  int
	order int
	score float64
}

// summaryOf is an extractive summary of a note: the sentences whose words the whole note
// uses most, the first of each section somewhat ahead, in the order of the note.
func summaryOf(p, result string, n int) string {
	lines, _, rest := toolresult.FileLines(result)
	picked := extract([]byte(toolresult.JoinLines(lines)), n)
	if len(picked) == 0 {
		return cite(p, 0) + " has no text to summarise."
	}
	var b strings.Builder
	fmt.Fprintf(&b, "In short, %s:\n\n%s\n", cite(p, picked[0].line), points(picked))
	open, done := 0, 0
	for _, x := range retrieval.Blocks([]byte(toolresult.JoinLines(lines))) {
		switch x.Task {
		case ' ', '/':
			open++
		case 'x', 'X':
			done++
		}
	}
	if open+done > 0 {
		fmt.Fprintf(&b, "- %s, %d done\n", counted(open, "open task"), done)
	}
	if rest {
		b.WriteString("\n*(The note is long; this is of its beginning.)*")
	}
	return b.String()
}

// extract picks the n most telling sentences of a text.
func extract(text []byte, n int) []sentence {
	var all []sentence
	frequency := map[string]int{}
	section := ""
	for _, b := range retrieval.Blocks(text) {
		if b.Kind == retrieval.LineProperty || b.Kind == retrieval.LineCode || b.Kind == retrieval.LineTable {
			continue
		}
		head := strings.Join(b.Headings, "\n")
		for i, t := range sentences(b.Text) {
			x := sentence{text: t, line: b.Line, order: len(all), score: 1}
			if i == 0 && head != section || len(all) == 0 {
				x.score = 1.35
			}
			if b.Kind == retrieval.LineItem {
				x.score *= 0.85
			}
			section = head
			for _, w := range retrieval.ContentWords(t) {
				frequency[retrieval.Stem(w)]++
			}
			all = append(all, x)
		}
	}
	for i := range all {
		words := retrieval.ContentWords(all[i].text)
		sum := 0.0
		for _, w := range words {
			sum += math.Sqrt(float64(frequency[retrieval.Stem(w)]))
		}
		all[i].score *= sum / math.Pow(float64(len(words))+2, 0.6)
	}
	slices.SortStableFunc(all, func(a, b sentence) int { return cmp.Compare(b.score, a.score) })
	all = all[:min(n, len(all))]
	slices.SortFunc(all, func(a, b sentence) int { return a.order - b.order })
	return all
}

// sentences cuts a paragraph into sentences. Very short ones stay with the one before.
func sentences(text string) []string {
	text = oneLine(text)
	var out []string
	start := 0
	for i := 0; i < len(text); i++ {
		if c := text[i]; c != '.' && c != '!' && c != '?' || i+2 >= len(text) || text[i+1] != ' ' {
			continue
		}
		next := text[i+2]
		if 'a' <= next && next <= 'z' || i-start < 25 {
			continue
		}
		out = append(out, text[start:i+1])
		start = i + 2
	}
	if rest := strings.TrimSpace(text[start:]); rest != "" {
		out = append(out, rest)
	}
	return out
}
