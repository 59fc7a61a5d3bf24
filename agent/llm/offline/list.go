package offline

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"chatvault/agent/llm/offline/retrieval"
	"chatvault/internal/lazyregexp"
	"chatvault/internal/text"
)

// maxTasksAsked is how many tasks list_tasks is asked for.
const maxTasksAsked = 500

// list answers a request for a list. ok is false where a text asks for none.
func (s *session) list(request string) (reply, bool) {
	f, ok := s.filterOf(request)
	if !ok {
		return reply{}, false
	}
	if f.negated {
		return unablef("I do not understand “%s” as a filter, so there is no list. These filters exclude notes, for example: *notes without tag x*, *notes without author*.", strings.Join(f.words, " ")), true
	}
	switch {
	case f.of == "tags":
		return s.allTags(), true
	case f.of == "folders":
		return s.allFolders(), true
	case f.links != "":
		a := args{"mode": f.links, "max_results": 500}
		if f.note != "" || f.folder != "" {
			a["path"] = f.note + f.folder
		}
		return reply{call: &call{tool: "get_links", args: a}}, true
	case f.of == "tasks":
		return reply{call: &call{tool: "list_tasks", args: f.taskArguments()}}, true
	}
	return s.notesFound(f), true
}

// taskArguments are the arguments of list_tasks that say the same as a filter.
func (f filter) taskArguments() args {
	a := args{"max_results": maxTasksAsked, "state": f.state}
	if p := f.note + f.folder; p != "" {
		a["path"] = p
	}
	if f.heading != "" {
		a["heading"] = f.heading
	}
	for _, t := range f.tags {
		if !t.not {
			a["tag"] = t.name
		}
	}
	if !f.due.isZero() {
		if f.due.from.IsZero() {
			f.due.from = time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC)
		}
		a["due_from"] = f.due.from.Format(time.DateOnly)
		if !f.due.to.IsZero() {
			a["due_until"] = f.due.to.AddDate(0, 0, -1).Format(time.DateOnly)
		}
	}
	return a
}

// listedTask is a task in the result of list_tasks.
type listedTask struct {
	path string
	line int
	box  string
	text string
}

var (
	taskLineRE = lazyregexp.New(`^Line (\d+): \[(.)\] (.*?)(?: \(under "[^"]*"\))?$`)
	dueDateRE  = lazyregexp.New(`(?:📅\s*|due[: ]+)(\d{4}-\d{2}-\d{2})`)
	moreRE     = lazyregexp.New(`(?m)^\[[\d,]+ more `)
)

// tasksFound lists the tasks that list_tasks found, earliest due first, a line each.
func (s *session) tasksFound(c call) reply {
	f, _ := s.filterOf(s.text)
	var tasks []listedTask
	file := ""
	for line := range strings.SplitSeq(c.result, "\n") {
		if p, ok := strings.CutPrefix(line, "## "); ok {
			file = p
		} else if m := taskLineRE().FindStringSubmatch(line); m != nil && s.isTask(f, m[3], file) {
			n, _ := strconv.Atoi(m[1])
			tasks = append(tasks, listedTask{file, n, m[2], m[3]})
		}
	}
	slices.SortStableFunc(tasks, func(a, b listedTask) int { return strings.Compare(a.due(), b.due()) })
	if len(tasks) == 0 && len(f.words) > 0 { // which may be about tasks, and no list
		return s.question(s.text)
	}
	if len(tasks) == 0 {
		return sayf("There are no %s.", f.shown())
	}
	at := ""
	if moreRE().MatchString(c.result) {
		at = "at least "
	}
	head := fmt.Sprintf("%s%s %s:", at, text.Thousands(len(tasks)), singular(f.shown(), len(tasks)))
	if f.count {
		head = fmt.Sprintf("There %s %s%s %s:", verb(len(tasks)), at, text.Thousands(len(tasks)), singular(f.shown(), len(tasks)))
	}
	return sayf("%s\n\n%s", head, bullets(len(tasks), func(i int) string {
		return fmt.Sprintf("[%s] %s — %s", tasks[i].box, tasks[i].text, cite(tasks[i].path, tasks[i].line))
	}))
}

func verb(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// singular returns the shown form of a filter for use after the number n.
func singular(shown string, n int) string {
	if n != 1 {
		return shown
	}
	for _, noun := range []string{"tasks", "notes", "links"} {
		if head, rest, ok := strings.Cut(shown, noun); ok {
			return head + strings.TrimSuffix(noun, "s") + rest
		}
	}
	return shown
}

// isTask reports whether a task matches the parts of a filter that list_tasks does not support.
func (s *session) isTask(f filter, task, file string) bool {
	return f.speaksOf(task, file) && s.tagged(f, task, file) && (!f.undated || !dueDateRE().MatchString(task))
}

// tagged reports whether a task in a note has the tags of a filter, on its line or as those of its note, and none that
// the filter excludes.
func (s *session) tagged(f filter, task, file string) bool {
	for _, t := range f.tags {
		has := slices.ContainsFunc(s.entries(), func(e retrieval.Entry) bool {
			return e.Path == file && hasTag(e, t.name)
		}) || strings.Contains(folded(task)+" ", "#"+folded(t.name)+" ")
		if has == t.not {
			return false
		}
	}
	return true
}

// hasTag reports whether a note has a tag, or one below it; any for "".
func hasTag(e retrieval.Entry, tag string) bool {
	return slices.ContainsFunc(e.Tags, func(has string) bool {
		return tag == "" || strings.EqualFold(has, tag) || strings.HasPrefix(folded(has), folded(tag)+"/")
	})
}

// due is when a task is due; tasks without a date come last.
func (t listedTask) due() string {
	if m := dueDateRE().FindStringSubmatch(t.text); m != nil {
		return m[1]
	}
	return "~"
}

// speaksOf reports whether a task or the name of its note contains the words of the filter.
func (f filter) speaksOf(task, file string) bool {
	have := retrieval.Words(task + " " + retrieval.Name(file))
	return !slices.ContainsFunc(f.words, func(w string) bool {
		return !slices.ContainsFunc(have, func(o string) bool { return retrieval.Stem(o) == retrieval.Stem(folded(w)) })
	})
}

// linksFound lists what get_links found.
func (s *session) linksFound(c call) reply {
	f, _ := s.filterOf(s.text)
	var out []string
	file := ""
	for line := range strings.SplitSeq(c.result, "\n") {
		m := linkLineRE().FindStringSubmatch(line)
		switch {
		case strings.HasPrefix(line, "## "):
			file = strings.TrimPrefix(line, "## ")
		case m != nil && f.links == "outgoing":
			out = append(out, fmt.Sprintf("%s (line %s)", strings.TrimSpace(m[2]), m[1]))
		case m != nil:
			n, _ := strconv.Atoi(m[1])
			out = append(out, fmt.Sprintf("%s: %s", cite(file, n), text.Excerpt(m[2], 160)))
		case orphanRE().MatchString(line) && f.links == "orphans":
			out = append(out, cite(orphanRE().FindStringSubmatch(line)[1], 0))
		case f.links == "unresolved" && unresolvedRE().MatchString(line):
			out = append(out, line)
		}
	}
	if len(out) == 0 {
		return sayf("There are no %s.", strings.Replace(f.shown(), "links to", "notes that link to", 1))
	}
	return sayf("%s %s:\n\n%s", text.Thousands(len(out)), singular(f.shown(), len(out)), bullets(len(out), func(i int) string { return out[i] }))
}

var (
	linkLineRE   = lazyregexp.New(`^Line (\d+): (.*)$`)
	orphanRE     = lazyregexp.New(`^([^\[\n]+?\.(?:md|markdown))(?: \(links to others: \d+\))?$`)
	unresolvedRE = lazyregexp.New(`^[^\[\n].* \(.*\d+ .*\)|^.+ \(.*\.(?:md|markdown).*\)$`)
)

// notesFound lists the notes that a filter holds.
func (s *session) notesFound(f filter) reply {
	copied := s.copied()
	var found []retrieval.Entry
	for _, e := range s.entries() {
		if s.holds(f, e, copied) {
			found = append(found, e)
		}
	}
	if f.recent || !f.when.isZero() {
		slices.SortStableFunc(found, func(a, b retrieval.Entry) int { return strings.Compare(s.day(f, b, copied), s.day(f, a, copied)) })
		if f.when.isZero() {
			found = found[:min(len(found), 10)]
		}
	} else {
		slices.SortFunc(found, func(a, b retrieval.Entry) int { return strings.Compare(a.Path, b.Path) })
	}
	note := ""
	if copied && (f.recent || !f.when.isZero()) {
		note = "\n\nMost files of this vault have the same time, as after copying, so only dates in names and properties count."
	}
	if len(found) == 0 {
		return sayf("There are no %s.%s", f.shown(), note)
	}
	head := fmt.Sprintf("%s %s:", text.Thousands(len(found)), singular(f.shown(), len(found)))
	if f.count {
		head = fmt.Sprintf("There %s %s %s:", verb(len(found)), text.Thousands(len(found)), singular(f.shown(), len(found)))
	}
	if f.recent && f.when.isZero() {
		head = "Changed last:"
	}
	more := ""
	if len(found) > maxListed {
		more = fmt.Sprintf("\n\nThe first %d are shown: a folder, a tag or a time narrows the list.", maxListed)
	}
	return sayf("%s\n\n%s%s%s", head, bullets(min(len(found), maxListed), func(i int) string {
		line := cite(found[i].Path, 0)
		if f.recent || !f.when.isZero() {
			line += ", " + s.day(f, found[i], copied)
		}
		return line
	}), more, note)
}

// holds reports whether a note matches a filter.
func (s *session) holds(f filter, e retrieval.Entry, copied bool) bool {
	if f.folder != "" && !strings.HasPrefix(e.Path, f.folder+"/") || f.folder == "" && inTemplates(e.Path) && (f.recent || len(f.keys) > 0) {
		return false
	}
	for _, t := range f.tags {
		if hasTag(e, t.name) == t.not {
			return false
		}
	}
	for _, k := range f.keys {
		has := slices.ContainsFunc(e.Properties, func(p retrieval.Property) bool {
			return p.Key == k.name && (k.value == "" || k.holds(shownText(p.Value)))
		})
		if has == k.not {
			return false
		}
	}
	if f.kind != "" && !isKind(e, f.kind) {
		return false
	}
	return f.when.isZero() || f.when.holds(s.day(f, e, copied))
}

// day returns the date of a note: the date of creation if requested, else the date in its name, the date of its last
// change, or a date in its properties.
func (s *session) day(f filter, e retrieval.Entry, copied bool) string {
	if i := slices.IndexFunc(e.Properties, func(p retrieval.Property) bool { return p.Key == "created" }); f.created && i >= 0 {
		return e.Properties[i].Value
	}
	if d := nameDateRE().FindString(retrieval.Name(e.Path)); d != "" {
		return d
	}
	if copied {
		return cmp.Or(slices.MaxFunc(append([]string{""}, e.Dates...), strings.Compare), "0001-01-01")
	}
	return e.Modified.In(s.now.Location()).Format(time.DateOnly)
}

var nameDateRE = lazyregexp.New(`\d{4}-\d{2}-\d{2}`)

// copied reports whether most notes were written within two minutes, for example by copying the vault. Their times
// then do not tell when they were changed.
func (s *session) copied() bool {
	var times []time.Time
	for _, e := range s.entries() {
		times = append(times, e.Modified)
	}
	slices.SortFunc(times, time.Time.Compare)
	most := max(10, len(times)*4/5)
	for i := 0; i+most <= len(times); i++ {
		if times[i+most-1].Sub(times[i]) < 2*time.Minute {
			return true
		}
	}
	return false
}

func (s *session) allTags() reply {
	count := map[string]int{}
	for _, e := range s.entries() {
		for _, t := range e.Tags {
			count[folded(t)]++
		}
	}
	return tally("tag", count, func(t string) string { return "#" + t })
}

func (s *session) allFolders() reply {
	count := map[string]int{}
	for _, e := range s.entries() {
		for d := path.Dir(e.Path); d != "."; d = path.Dir(d) {
			count[d]++
		}
	}
	return tally("folder", count, func(d string) string { return "`" + d + "/`" })
}

func tally(noun string, count map[string]int, show func(string) string) reply {
	if len(count) == 0 {
		return sayf("There are no %ss.", noun)
	}
	names := slices.SortedFunc(maps.Keys(count), func(a, b string) int {
		return cmp.Or(map[bool]int{true: cmp.Compare(count[b], count[a])}[noun == "tag"], strings.Compare(a, b))
	})
	return sayf("There %s:\n\n%s", isAre(len(names), noun), bullets(len(names), func(i int) string {
		return show(names[i]) + " — " + text.Count(count[names[i]], "note")
	}))
}
