package offline

import (
	"fmt"
	"sort"
	"strings"
	"time"

	"chatvault/agent/llm/offline/grammar"
	"chatvault/agent/llm/offline/retrieval"
)

// Bounds of what is shown in an answer.
const (
	maxShownLines = 150
	maxShownBytes = 8000
	maxListed     = 60
	maxFound      = 30 // lines of a literal search
)

// show shows a note whole.
func (s *script) show(c grammar.Command) error {
	paths, result, err := s.pick(c.Note, "show", true)
	if err != nil || result == pickedCancel {
		return err
	}
	if result == pickedNone {
		if f := s.view.resolveFolder(c.Note); f.path != "" && c.Note != grammar.It {
			return s.list(grammar.Command{Kind: grammar.List, Folder: f.path, Sure: true})
		}
		if c.About {
			p, err := s.about(c.Topic)
			if err != nil {
				return err
			}
			if p == "" {
				s.sayf("There is no note about “%s”. Say *list notes* to see what there is.", c.Topic)
				return nil
			}
			paths = []string{p}
		}
		if !c.Sure && !c.About && c.Note != grammar.It { // "show me the dessert with stone fruit"
			return s.question(grammar.Command{Kind: grammar.Question, Topic: c.Topic})
		}
		if !c.About {
			p, ok, err := s.guess(c.Note, "show")
			if err != nil || !ok {
				return err
			}
			paths = []string{p}
		}
	}
	for _, p := range paths {
		r, err := s.call("read_file", args{"path": p})
		if err != nil {
			return err
		}
		if r.failed {
			s.refused("I could not read "+cite(p, 0), r)
			continue
		}
		s.say(shown(p, r.result))
	}
	return nil
}

// about is the note that is about something, "" where none is.
func (s *script) about(topic string) (string, error) {
	hits, err := s.engine.index.Search(s.ctx, retrieval.Query{Text: topic}, 3)
	if err != nil {
		return "", err
	}
	if hits = s.present(hits); len(hits) == 0 || hits[0].Coverage < coverGood {
		return "", nil
	}
	return hits[0].Path, nil
}

// shown is a note as an answer shows it.
func shown(p, result string) string {
	lines, total, rest := fileLines(result)
	if len(lines) == 0 {
		return fmt.Sprintf("%s is empty.", cite(p, 0))
	}
	text, bytes, n := "", 0, 0
	for _, l := range lines {
		if n == maxShownLines || bytes+len(l.text) > maxShownBytes && n > 0 {
			break
		}
		text += l.text + "\n"
		bytes += len(l.text) + 1
		n++
	}
	head := cite(p, 1)
	if left := total - n; left > 0 || rest {
		return fmt.Sprintf("%s\n\n%s\n\n*(The note goes on for %s.)*", head, strings.TrimSpace(text), counted(left, "more line"))
	}
	return head + "\n\n" + strings.TrimSpace(text)
}

// list lists a folder, the folders, or the notes with a tag.
func (s *script) list(c grammar.Command) error {
	if c.Tag != "" {
		return s.tagged(c.Tag)
	}
	folder := ""
	if c.Folder != "" {
		f := s.view.resolveFolder(c.Folder)
		if f.path == "" {
			if !c.Sure {
				return s.question(grammar.Command{Kind: grammar.Question, Topic: c.Text})
			}
			s.sayf("There is no folder “%s”.%s", c.Folder, s.foldersHint())
			return nil
		}
		folder = f.path
	}
	if c.Topic == "folders" {
		return s.listFolders(folder)
	}
	a := args{"pattern": "**/*.md", "max_results": 200}
	if folder != "" {
		a["path"] = folder
	}
	r, err := s.call("list_files", a)
	if err != nil {
		return err
	}
	if r.failed {
		s.refused("I could not list that", r)
		return nil
	}
	entries, more := listEntries(r.result, s.now.Location())
	where := "the vault"
	if folder != "" {
		where = "`" + folder + "/`"
	}
	if len(entries) == 0 {
		s.sayf("There are no notes in %s.", where)
		return nil
	}
	s.sayf("%s in %s, newest first:\n\n%s", upper(counted(len(entries)+more, "note")), where, s.fileList(entries, more))
	return nil
}

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// fileList lists notes, one a line.
func (s *script) fileList(entries []listedFile, more int) string {
	var b strings.Builder
	for i, e := range entries {
		if i == maxListed {
			more += len(entries) - i
			break
		}
		fmt.Fprintf(&b, "- %s", cite(e.path, 0))
		if !e.modified.IsZero() {
			b.WriteString(", " + s.dayWords(e.modified))
		}
		b.WriteByte('\n')
	}
	if more > 0 {
		fmt.Fprintf(&b, "\n*(and %d more)*", more)
	}
	return strings.TrimSpace(b.String())
}

// dayWords names a day as a person would.
func (s *script) dayWords(t time.Time) string {
	today := time.Date(s.now.Year(), s.now.Month(), s.now.Day(), 0, 0, 0, 0, s.now.Location())
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

func (s *script) listFolders(parent string) error {
	var out []string
	for d := range s.view.folders {
		if parent == "" || strings.HasPrefix(d, parent+"/") {
			out = append(out, d)
		}
	}
	sort.Strings(out)
	if len(out) == 0 {
		s.say("There are no folders with notes here.")
		return nil
	}
	var b strings.Builder
	for i, d := range out {
		if i == maxListed {
			fmt.Fprintf(&b, "\n*(and %d more)*", len(out)-i)
			break
		}
		fmt.Fprintf(&b, "- `%s/` (%s)\n", d, counted(len(s.view.within(d)), "note"))
	}
	s.sayf("%s:\n\n%s", upper(counted(len(out), "folder")), b.String())
	return nil
}

// foldersHint names the folders at the top.
func (s *script) foldersHint() string {
	var top []string
	for d := range s.view.folders {
		if !strings.Contains(d, "/") {
			top = append(top, "`"+d+"/`")
		}
	}
	if len(top) == 0 {
		return ""
	}
	sort.Strings(top)
	if len(top) > 12 {
		top = append(top[:12], "…")
	}
	return " There are " + strings.Join(top, ", ") + "."
}

// count counts notes.
func (s *script) count(c grammar.Command) error {
	folder, where := "", "in the vault"
	if c.Folder != "" {
		f := s.view.resolveFolder(c.Folder)
		if f.path == "" {
			s.sayf("There is no folder “%s”.%s", c.Folder, s.foldersHint())
			return nil
		}
		folder, where = f.path, "in `"+f.path+"/`"
	}
	in := s.view.within(folder)
	n := len(in)
	if c.Tag != "" {
		n = 0
		here := map[string]bool{}
		for _, p := range in {
			here[p] = true
		}
		for _, e := range s.all {
			if here[e.Path] && hasTag(e.Tags, c.Tag) {
				n++
			}
		}
		where += " with #" + c.Tag
	}
	verb := "There are"
	if n == 1 {
		verb = "There is"
	}
	s.sayf("%s %s %s.", verb, counted(n, "note"), where)
	return nil
}

// recent lists what was changed in a time, or lately.
func (s *script) recent(c grammar.Command) error {
	limit := c.Limit
	if limit == 0 {
		limit = 10
	}
	want := limit
	if !c.When.IsZero() {
		want = 200
	}
	r, err := s.call("list_files", args{"pattern": "**/*.md", "max_results": want})
	if err != nil {
		return err
	}
	if r.failed {
		s.refused("I could not list the notes", r)
		return nil
	}
	entries, _ := listEntries(r.result, s.now.Location())
	if c.When.IsZero() {
		if len(entries) == 0 {
			s.say("There are no notes yet.")
			return nil
		}
		s.sayf("Changed last:\n\n%s", s.fileList(entries[:min(len(entries), limit)], 0))
		return nil
	}
	var in []listedFile
	together, bulk := s.copiedAt()
	left := 0
	for _, e := range entries {
		if e.modified.Before(day(c.When.From)) || !e.modified.Before(c.When.To) {
			continue
		}
		if m := s.view.notes[e.path].modified; bulk && !m.Before(together) && m.Sub(together) < copyTime {
			left++
			continue
		}
		in = append(in, e)
	}
	words := timeWords(c.When.Words)
	var dated []listedFile
	if c.Topic == grammar.Written || left > 0 {
		dated = s.dated(c.When, "", in)
	}
	switch {
	case len(in) > 0:
		s.sayf("%s changed %s, newest first:\n\n%s", upper(counted(len(in), "note")), words, s.fileList(in, 0))
	case left > 0:
	default:
		s.sayf("No note was changed %s.", words)
		if len(entries) > 0 && len(dated) == 0 {
			s.sayf("The last change was to %s, %s.", cite(entries[0].path, 0), s.dayWords(entries[0].modified))
		}
	}
	if left > 0 {
		s.sayf("%s carry one and the same file time, %s, as after copying or unpacking a vault; when they were last written, it does not tell.",
			upper(counted(left, "note")), s.dayWords(day(together.In(s.now.Location()))))
	}
	if len(dated) > 0 {
		s.sayf("Dated %s by name or front matter:\n\n%s", words, s.fileList(dated, 0))
	}
	return nil
}

// Notes that were all written within copyTime of each other, were copied: at least copiedNotes
// of them, and copiedShare of all.
const (
	copyTime    = 2 * time.Minute
	copiedNotes = 10
	copiedShare = 0.8
)

// copiedAt is when most notes were written at once, as when a vault is copied.
func (s *script) copiedAt() (time.Time, bool) {
	var times []time.Time
	for _, e := range s.all {
		times = append(times, e.Modified)
	}
	sort.Slice(times, func(i, j int) bool { return times[i].Before(times[j]) })
	want := max(copiedNotes, int(copiedShare*float64(len(times))))
	for i := 0; i+want <= len(times); i++ {
		if times[i+want-1].Sub(times[i]) < copyTime {
			return times[i], true
		}
	}
	return time.Time{}, false
}

// dated are the notes, in a folder, with a date of theirs in a time: in the name or the front
// matter. Those of but are left out.
func (s *script) dated(when grammar.Range, folder string, but []listedFile) []listedFile {
	seen := map[string]bool{}
	for _, e := range but {
		seen[e.path] = true
	}
	var out []listedFile
	for _, e := range s.all {
		if _, here := s.view.notes[e.Path]; !here || seen[e.Path] || folder != "" && !strings.HasPrefix(e.Path, folder+"/") {
			continue
		}
		dates := e.Dates
		if d := nameDate().FindString(e.Path); d != "" {
			dates = []string{d} // the name goes before "created"
		}
		for _, d := range dates {
			if dateIn(d, when) {
				t, _ := time.ParseInLocation(time.DateOnly, d, s.now.Location())
				out = append(out, listedFile{path: e.Path, modified: t})
				break
			}
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].modified.After(out[j].modified) })
	return out
}

// ofKind answers "which meetings did I have in November?" with the notes of the folder of that
// kind that are dated so. It is false for any other question.
func (s *script) ofKind(c grammar.Command) bool {
	if m := countKindRE().FindStringSubmatch(c.Topic); m != nil && c.When.IsZero() {
		folder := s.folderFor(strings.ToLower(m[1]))
		if folder != "" {
			s.sayf("There %s in `%s/`.", isAre(len(s.view.within(folder)), "note"), folder)
		}
		return folder != ""
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
	s.sayf("%s in `%s/` dated %s:\n\n%s", upper(counted(len(notes), "note")), folder, timeWords(c.When.Words), s.fileList(notes, 0))
	return true
}

var countKindRE = lazy(`(?i)^how many\s+(?:of\s+)?(?:my\s+|the\s+)?([\p{L}-]+)\s+(?:(?:notes?\s+)?(?:do i have|are there|have i(?: got)?|did i (?:write|save|collect|keep)))[\s?.!]*$`)

func isAre(n int, noun string) string {
	if n == 1 {
		return "is 1 " + noun
	}
	return "are " + counted(n, noun)
}

var kindRE = lazy(`(?i)^(?:which|what|list|show(?: me)?|how many|my|the|all)\s+(?:of\s+)?(?:my\s+|the\s+|all\s+)*([\p{L}-]+)(?:\s+(?:notes?|did|do|have|had|were|was|are|there|i|we|took|take|place|held|hold|attend|attended|write|wrote|cook|read|keep|made|make|go|been|to|about|there))*[\s?.!]*$`)

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

var bareMonthRE = lazy(`^(?:(?:jan|febr)uary|march|april|may|june|july|august|(?:septem|octo|novem|decem)ber)(?: \d{4})?$`)

// monthRE finds the names of months and days, which are written with a capital.
var monthRE = lazy(`\b(?:(?:jan|febr)uary|march|april|may|june|july|august|(?:septem|octo|novem|decem)ber|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b`)

// info tells the size and the times of a note.
func (s *script) info(c grammar.Command) error {
	p, result, err := s.pick(c.Note, "look up", false)
	if err != nil || result == pickedCancel {
		return err
	}
	target := s.view.resolveFolder(c.Note).path
	if result == pickedSome {
		target = p[0]
	}
	if target == "" {
		return s.question(grammar.Command{Kind: grammar.Question, Topic: c.Text})
	}
	r, err := s.call("get_file_info", args{"path": target})
	if err != nil {
		return err
	}
	if r.failed {
		s.refused("I could not look it up", r)
		return nil
	}
	name := "`" + target + "/`"
	if isNote(target) {
		name = cite(target, 0)
	}
	var b strings.Builder
	for line := range strings.SplitSeq(r.result, "\n") {
		if key, value, ok := strings.Cut(line, ": "); ok && key != "File" && key != "Folder" && key != "Type" {
			fmt.Fprintf(&b, "- %s: %s\n", key, value)
		}
	}
	s.sayf("%s\n\n%s", name, b.String())
	return nil
}
