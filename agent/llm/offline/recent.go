package offline

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"chatvault/agent/llm/offline/grammar"
	"chatvault/agent/llm/offline/retrieval"
	"chatvault/internal/lazyregexp"
)

// recent lists what was changed in a time, or lately.
func (s *script) recent(c grammar.Command) {
	entries := s.notesIn("", "")
	if c.When.IsZero() {
		if len(entries) == 0 {
			s.say("There are no notes yet.")
			return
		}
		s.sayf("Changed last:\n\n%s", s.fileList(entries[:min(len(entries), cmp.Or(c.Limit, 10))]))
		return
	}
	var in []retrieval.Entry
	copied := s.copied()
	left := 0
	for _, e := range entries {
		if on := grammar.Midnight(e.Modified.In(s.now.Location())); on.Before(grammar.Midnight(c.When.From)) || !on.Before(c.When.To) {
			continue
		}
		if copied.Contains(e.Modified) {
			left++
			continue
		}
		in = append(in, e)
	}
	words := timeWords(c.When.Words)
	var dated []retrieval.Entry
	if c.Topic == grammar.Written || left > 0 {
		dated = s.dated(c.When, "", in)
	}
	switch {
	case len(in) > 0:
		s.sayf("%s changed %s, newest first:\n\n%s", counted(len(in), "note"), words, s.fileList(in))
	case left == 0:
		s.sayf("No note was changed %s.", words)
		if len(entries) > 0 && len(dated) == 0 {
			s.sayf("The last change was to %s, %s.", cite(entries[0].Path, 0), s.dayWords(entries[0].Modified))
		}
	}
	if left > 0 {
		s.sayf("%s have the same file time, %s, as after copying or unpacking a vault, so it does not say when they were last written.",
			counted(left, "note"), s.dayWords(copied.From))
	}
	if len(dated) > 0 {
		s.sayf("Dated %s by name or front matter:\n\n%s", words, s.fileList(dated))
	}
}

// Notes written one after the other, at most copyGap apart (some file systems keep times to two
// seconds) and all within copyTime, were copied: at least copiedNotes of them, and copiedShare
// of all. What was written after a longer pause, was not.
const (
	copyGap     = 2 * time.Second
	copyTime    = 2 * time.Minute
	copiedNotes = 10
	copiedShare = 0.8
)

// copied is when most notes were written at once, as when a vault is copied; zero when they
// were not.
func (s *script) copied() grammar.Range {
	var times []time.Time
	for _, e := range s.all {
		times = append(times, e.Modified)
	}
	slices.SortFunc(times, time.Time.Compare)
	want := max(copiedNotes, int(copiedShare*float64(len(times))))
	for i := 0; i+want <= len(times); {
		j := i
		for j+1 < len(times) && times[j+1].Sub(times[j]) <= copyGap {
			j++
		}
		if j-i+1 >= want && times[j].Sub(times[i]) < copyTime {
			return grammar.Range{From: times[i], To: times[j].Add(1)}
		}
		i = j + 1
	}
	return grammar.Range{}
}

// dated are the notes, in a folder, with a date of theirs in a time: in the name or the front
// matter. Those of but are left out.
func (s *script) dated(when grammar.Range, folder string, but []retrieval.Entry) []retrieval.Entry {
	seen := map[string]bool{}
	for _, e := range but {
		seen[e.Path] = true
	}
	var out []retrieval.Entry
	for _, e := range s.notes() {
		if seen[e.Path] || folder != "" && !strings.HasPrefix(e.Path, folder+"/") {
			continue
		}
		dates := e.Dates
		if d := nameDate().FindString(e.Path); d != "" {
			dates = []string{d} // the name goes before "created"
		}
		if k := slices.IndexFunc(dates, func(d string) bool { return dateIn(d, when) }); k >= 0 {
			e.Modified, _ = time.ParseInLocation(time.DateOnly, dates[k], s.now.Location())
			out = append(out, e)
		}
	}
	newestFirst(out)
	return out
}

// ofKind answers "which meetings did I have in November?" with the notes of the folder of that
// kind that are dated so. It is false for any other question.
func (s *script) ofKind(c grammar.Command) bool {
	if m := countKindRE().FindStringSubmatch(c.Topic); m != nil && c.When.IsZero() {
		folder, notes := s.folderFor(strings.ToLower(m[1])), ofKind(s.entries(), m[1])
		switch number := asksNumberRE().MatchString(c.Topic); {
		case folder != "" && number:
			s.sayf("There %s in `%s/`.", isAre(len(s.view.Within(folder)), "note"), folder)
		case folder != "":
			s.list(grammar.Command{Kind: grammar.List, Folder: folder})
		case len(notes) == 0:
			return false
		case number:
			s.sayf("There %s that a folder, tag or property calls “%s”:\n\n%s", isAre(len(notes), "note"), m[1], entryList(notes))
		default:
			s.sayf("%s that a folder, tag or property calls “%s”:\n\n%s", counted(len(notes), "note"), m[1], entryList(notes))
		}
		return true
	}
	m := kindRE().FindStringSubmatch(c.Topic)
	if m == nil || c.When.IsZero() {
		return false
	}
	folder := s.folderFor(strings.ToLower(m[1]))
	if folder == "" {
		return false
	}
	notes := s.dated(c.When, folder, nil)
	if len(notes) == 0 {
		s.sayf("No note in `%s/` is dated %s.", folder, timeWords(c.When.Words))
		return true
	}
	s.sayf("%s in `%s/` dated %s:\n\n%s", counted(len(notes), "note"), folder, timeWords(c.When.Words), s.fileList(notes))
	return true
}

var countKindRE = lazyregexp.New(`(?i)^(?:how many|what|which)\s+(?:of\s+)?(?:my\s+|the\s+)?([\p{L}-]+)\s+(?:(?:notes?\s+)?(?:do i have|are there|have i(?: got)?|did i (?:write|save|collect|keep)))[\s?.!]*$`)

var asksNumberRE = lazyregexp.New(`(?i)^how many\b`)

func isAre(n int, noun string) string {
	if n == 1 {
		return "is 1 " + noun
	}
	return "are " + counted(n, noun)
}

var kindRE = lazyregexp.New(`(?i)^(?:which|what|list|show(?: me)?|how many|my|the|all)\s+(?:of\s+)?(?:my\s+|the\s+|all\s+)*([\p{L}-]+)(?:\s+(?:notes?|did|do|have|had|were|was|are|there|i|we|took|take|place|held|hold|attend|attended|write|wrote|cook|read|keep|made|make|go|been|to|about|there))*[\s?.!]*$`)

// timeWords is a time as it reads after "changed".
func timeWords(words string) string {
	for _, drop := range []string{"from ", "of ", "for ", "at "} {
		words = strings.TrimPrefix(words, drop)
	}
	if words == "recent" {
		return "recently"
	}
	if bareMonthRE().MatchString(words) {
		words = "in " + words
	}
	return monthRE().ReplaceAllStringFunc(words, upper)
}

var bareMonthRE = lazyregexp.New(`^(?:(?:jan|febr)uary|march|april|may|june|july|august|(?:septem|octo|novem|decem)ber)(?: \d{4})?$`)

// monthRE finds the names of months and days, which are written with a capital.
var monthRE = lazyregexp.New(`\b(?:(?:jan|febr)uary|march|april|may|june|july|august|(?:septem|octo|novem|decem)ber|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b`)
