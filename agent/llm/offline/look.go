package offline

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"chatvault/agent/llm/offline/grammar"
	"chatvault/agent/llm/offline/retrieval"
	"chatvault/agent/llm/offline/toolresult"
	"chatvault/internal/lazyregexp"
)

// Bounds of what is shown in an answer.
const (
	maxShownLines = 150
	maxShownBytes = 8000
	maxListed     = 60
	maxFound      = 30 // lines of a literal search
)

// show shows a note whole.
func (s *script) show(c grammar.Command) {
	paths := s.pick(c.Note, "show", true)
	switch f := s.view.ResolveFolder(c.Note); {
	case paths != nil:
		s.readEach(paths, shown)
	case f.Path != "" && c.Note != grammar.It:
		s.list(grammar.Command{Kind: grammar.List, Folder: f.Path, Sure: true})
	case !c.Sure && c.Note != grammar.It: // "show me the dessert with stone fruit"
		s.question(grammar.Command{Kind: grammar.Question, Topic: c.Topic})
	default:
		s.readEach([]string{s.guess(c.Note, "show")}, shown)
	}
}

// readEach says something of each of some notes.
func (s *script) readEach(paths []string, tell func(p, result string) string) {
	for _, p := range paths {
		endsCommand(stopped(func() { s.say(tell(p, s.readNote(p).result)) }))
	}
}

// shown is a note as an answer shows it.
func shown(p, result string) string {
	lines, total, rest := toolresult.FileLines(result)
	if len(lines) == 0 {
		return fmt.Sprintf("%s is empty.", cite(p, 0))
	}
	text, n := "", 0
	for _, l := range lines {
		if n == maxShownLines || len(text)+len(l.Text) > maxShownBytes && n > 0 {
			break
		}
		text += l.Text + "\n"
		n++
	}
	head := cite(p, 1)
	if left := total - n; left > 0 || rest {
		return fmt.Sprintf("%s\n\n%s\n\n*(The note goes on for %s.)*", head, strings.TrimSpace(text), counted(left, "more line"))
	}
	return head + "\n\n" + strings.TrimSpace(text)
}

// list lists a folder, the folders, or the notes with a tag.
func (s *script) list(c grammar.Command) {
	folder := ""
	if c.Folder != "" {
		f := s.view.ResolveFolder(c.Folder)
		if f.Path == "" {
			if c.Sure {
				s.failf("There is no folder “%s”.%s", c.Folder, s.foldersHint())
			} else {
				s.question(grammar.Command{Kind: grammar.Question, Topic: c.Text})
			}
			return
		}
		folder = f.Path
	}
	if c.Topic == "folders" {
		s.listFolders(folder)
		return
	}
	where := " in the vault"
	if folder != "" {
		where = " in `" + folder + "/`"
	}
	if c.Tag != "" {
		where = strings.TrimPrefix(where, " in the vault") + " with #" + c.Tag
	}
	notes := s.notesIn(folder, c.Tag)
	switch {
	case c.Kind == grammar.Count:
		s.sayf("There %s%s.", isAre(len(notes), "note"), where)
	case len(notes) == 0 && c.Tag != "":
		s.sayf("There are no notes%s. Say *list tags* to see those there are.", where)
	case len(notes) == 0:
		s.sayf("There are no notes%s.", where)
	default:
		s.sayf("%s%s, newest first:\n\n%s", counted(len(notes), "note"), where, s.fileList(notes))
	}
}

// notesIn are the notes in a folder, those with a tag or one below it, the newest first; an empty name
// is any.
func (s *script) notesIn(folder, tag string) []retrieval.Entry {
	out := slices.DeleteFunc(s.notes(), func(e retrieval.Entry) bool {
		return folder != "" && !strings.HasPrefix(e.Path, folder+"/") || tag != "" && !hasTag(e.Tags, tag)
	})
	newestFirst(out)
	return out
}

// notes are the notes there are at this point of the task.
func (s *script) notes() []retrieval.Entry {
	return slices.DeleteFunc(slices.Clone(s.all), func(e retrieval.Entry) bool {
		_, here := s.view.Notes[e.Path]
		return !here
	})
}

func newestFirst(notes []retrieval.Entry) {
	slices.SortStableFunc(notes, func(a, b retrieval.Entry) int { return b.Modified.Compare(a.Modified) })
}

// upper is a text with its first letter in upper case.
func upper(s string) string {
	_, size := utf8.DecodeRuneInString(s)
	return strings.ToUpper(s[:size]) + s[size:]
}

// fileList lists notes, one a line, with their days.
func (s *script) fileList(notes []retrieval.Entry) string {
	return bullets(len(notes), func(i int) string { return cite(notes[i].Path, 0) + ", " + s.dayWords(notes[i].Modified) })
}

// bullets is a list of so many items, of many the first.
func bullets(n int, item func(int) string) string {
	var b strings.Builder
	for i := range min(n, maxListed) {
		fmt.Fprintf(&b, "- %s\n", item(i))
	}
	if n > maxListed {
		fmt.Fprintf(&b, "\n*(and %d more)*", n-maxListed)
	}
	return strings.TrimSpace(b.String())
}

// dayWords names a day as a person would.
func (s *script) dayWords(t time.Time) string {
	today, t := grammar.Midnight(s.now), grammar.Midnight(t.In(s.now.Location()))
	switch d := int(today.Sub(t).Hours()+12) / 24; {
	case !t.After(today) && d == 0:
		return "today"
	case !t.After(today) && d == 1:
		return "yesterday"
	case t.Year() == s.now.Year():
		return t.Format("2 January")
	default:
		return t.Format("2 January 2006")
	}
}

func (s *script) listFolders(parent string) {
	out := slices.Sorted(maps.Keys(s.view.Folders))
	out = slices.DeleteFunc(out, func(d string) bool { return parent != "" && !strings.HasPrefix(d, parent+"/") })
	if len(out) == 0 {
		s.say("There are no folders with notes here.")
		return
	}
	s.sayf("%s:\n\n%s", counted(len(out), "folder"), bullets(len(out), func(i int) string {
		return fmt.Sprintf("`%s/` (%s)", out[i], counted(len(s.view.Within(out[i])), "note"))
	}))
}

// foldersHint names the folders at the top.
func (s *script) foldersHint() string {
	var top []string
	for _, d := range slices.Sorted(maps.Keys(s.view.Folders)) {
		if !strings.Contains(d, "/") {
			top = append(top, "`"+d+"/`")
		}
	}
	if len(top) == 0 {
		return ""
	}
	if len(top) > 12 {
		top = append(top[:12], "…")
	}
	return " There are " + strings.Join(top, ", ") + "."
}

// info tells the size and the times of a note.
func (s *script) info(c grammar.Command) {
	p := s.pick(c.Note, "look up", false)
	target := s.view.ResolveFolder(c.Note).Path
	if p != nil {
		target = p[0]
	}
	if target == "" {
		s.question(grammar.Command{Kind: grammar.Question, Topic: c.Text})
		return
	}
	r := s.orLeave("I could not look it up", s.call("get_file_info", args{"path": target}))
	var b strings.Builder
	for line := range strings.SplitSeq(r.result, "\n") {
		if key, value, ok := strings.Cut(line, ": "); ok && key != "File" && key != "Folder" && key != "Type" {
			fmt.Fprintf(&b, "- %s: %s\n", key, value)
		}
	}
	s.sayf("%s\n\n%s", linked(target), b.String())
}

// hasTag says whether tags hold a tag, or one nested below it, ignoring case.
func hasTag(tags []string, tag string) bool {
	want := retrieval.Fold(strings.TrimPrefix(tag, "#"))
	return slices.ContainsFunc(tags, func(t string) bool { return strings.HasPrefix(retrieval.Fold(t)+"/", want+"/") })
}

// tags lists the tags in use.
func (s *script) tags(grammar.Command) {
	count := map[string]int{}
	for _, e := range s.all {
		for _, t := range e.Tags {
			count[strings.ToLower(t)]++
		}
	}
	if len(count) == 0 {
		s.say("No note has a tag.")
		return
	}
	list := slices.Sorted(maps.Keys(count))
	slices.SortStableFunc(list, func(a, b string) int { return count[b] - count[a] })
	s.sayf("%s, by how many notes have them:\n\n%s", counted(len(list), "tag"),
		bullets(len(list), func(i int) string { return fmt.Sprintf("#%s (%d)", list[i], count[list[i]]) }))
}

// find lists the lines that hold a literal text.
func (s *script) find(c grammar.Command) {
	r := s.orLeave("I could not search", s.call("search_files", args{"pattern": regexp.QuoteMeta(c.Old), "context_lines": 0, "max_results": 20}))
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
	r := s.orLeave("I could not look for links", s.call(getLinks, args{"path": p, "mode": "backlinks", "max_results": 200}))
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
	r := s.orLeave("I could not look for them", s.call(getLinks, args{"mode": mode, "max_results": maxListed}))
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
	lines, _, rest := toolresult.FileLines(s.readNote(p).result)
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
