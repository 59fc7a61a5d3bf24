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
	"chatvault/internal/base/lazyregexp"
	"chatvault/internal/base/text"
	"chatvault/vault/note"
)

// list answers a request for a list. ok is false if the text is something else.
func (s *session) list(request string) (r reply, ok bool) {
	f, ok := s.filterOf(request)
	switch {
	case !ok:
		return reply{}, false
	case f.negated():
		return unablef("I do not understand “%s” as a filter, so there is no list. These filters exclude notes, for example: *notes without tag x*, *notes without author*.", strings.Join(f.words, " ")), true
	case f.of == "tags":
		return reply{call: &call{tool: "get_tags", args: args{"max_results": 500}}}, true
	case f.of == "folders":
		return s.allFolders(), true
	case f.links != "":
		a := args{"mode": f.links, "max_results": 500}
		if f.note != "" || f.folder != "" {
			a["path"] = f.note + f.folder
		}
		return reply{call: &call{tool: "get_links", args: a}}, true
	case f.of == "tasks":
		tasks := s.tasksOf(f)
		known := f.heading == "" || len(s.tasksOf(filter{state: "all", heading: f.heading})) > 0
		return f.listed(text.Of(tasks, task.shown)), len(tasks) > 0 || len(f.words) == 0 && known
	}
	r, n := s.notesFound(f)
	return r, n > 0 || len(f.kinds) < 2 || f.asked
}

// maxListed bounds the items of a list.
const maxListed = 500

// listed returns the reply with the items that match a filter.
func (f filter) listed(items []string) reply {
	n, shown := len(items), f.shown()
	if n == 0 {
		return sayf("There are no %s.", shown)
	}
	if n == 1 {
		shown = strings.Replace(shown, f.of, strings.TrimSuffix(f.of, "s"), 1)
	}
	if n > maxListed {
		items = append(items[:maxListed], fmt.Sprintf("The first %d are shown; a folder, a tag or a time narrows the list.", maxListed))
	}
	return sayf("%s %s:\n\n%s", text.Thousands(n), shown, bullets(items))
}

// task is a task with the path of its note.
type task struct {
	note.Task
	path string
}

func (t task) shown() string {
	return fmt.Sprintf("[%c] %s — %s", t.Mark, t.Text, cite(t.path, t.Line))
}

// tasksOf returns the tasks that match a filter, earliest due date first; those without one come last.
func (s *session) tasksOf(f filter) []task {
	var out []task
	for _, e := range s.catalog.entries {
		if e.Tasks == 0 || f.note != "" && e.Path != f.note || f.folder != "" && !strings.HasPrefix(e.Path, f.folder+"/") {
			continue
		}
		for _, t := range note.Parse(s.read(e.Path)).Tasks {
			if f.holdsTask(t, e) {
				out = append(out, task{t, e.Path})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b task) int {
		if a.Due.IsZero() || b.Due.IsZero() {
			return b.Due.Compare(a.Due)
		}
		return a.Due.Compare(b.Due)
	})
	return out
}

// holdsTask reports whether a task of a note matches the filter.
func (f filter) holdsTask(t note.Task, e retrieval.Entry) bool {
	dated := !t.Due.IsZero()
	if t.Done() != (f.state == "done") && f.state != "all" || f.undated && dated || !f.when.isZero() && (!dated || !f.when.holds(t.Due.Format(time.DateOnly))) {
		return false
	}
	if !strings.Contains(folded(t.Heading), folded(f.heading)) {
		return false
	}
	for _, c := range f.has {
		if (hasTag(e.Tags, c.name) || hasTag(t.Tags, c.name)) == c.not {
			return false
		}
	}
	stems := text.Of(retrieval.Words(strings.Join(append(append([]string{t.Text, retrieval.Name(e.Path)}, e.Tags...), t.Tags...), " ")), retrieval.Stem)
	return !slices.ContainsFunc(f.words, func(w string) bool { return !slices.Contains(stems, retrieval.Stem(folded(w))) })
}

// hasTag reports whether tags contain a tag, or one nested in it; any for "".
func hasTag(tags []string, tag string) bool {
	return slices.ContainsFunc(tags, func(has string) bool {
		return tag == "" || strings.HasPrefix(folded(has)+"/", folded(tag)+"/")
	})
}

var (
	// linkedRE matches the lines of a result of get_links that name a note: a heading, or a note without links to it.
	linkedRE   = lazyregexp.New(`^(## )?([^\[\n]+?\.(?:md|markdown))(?: \(links to others: \d+\))?$`)
	linkLineRE = lazyregexp.New(`^Line (\d+): (.*)$`)
)

// found formats the result of get_links or get_tags as a list, with citations.
func found(result string) reply {
	var out []string
	file := ""
	for i, line := range strings.Split(result, "\n") {
		named, link := linkedRE().FindStringSubmatch(line), linkLineRE().FindStringSubmatch(line)
		switch {
		case named != nil && named[1] != "":
			file = named[2]
		case named != nil:
			out = append(out, "- "+cite(named[2], 0))
		case link != nil && file != "":
			n, _ := strconv.Atoi(link[1])
			out = append(out, "- "+cite(file, n)+": "+text.Excerpt(link[2], 160))
		case link != nil:
			out = append(out, "- "+link[2])
		case i == 0 || line == "" && file == "" || strings.HasSuffix(line, ":"):
			out = append(out, line)
		case line != "":
			out = append(out, "- "+line)
		}
	}
	return sayf("%s", strings.Join(out, "\n"))
}

// notesFound lists the n notes that match a filter.
func (s *session) notesFound(f filter) (r reply, n int) {
	var found []retrieval.Entry
	for _, e := range s.catalog.entries {
		if s.holds(f, e) {
			found = append(found, e)
		}
	}
	if !f.recent && f.when.isZero() {
		return f.listed(text.Of(found, func(e retrieval.Entry) string { return cite(e.Path, 0) })), len(found)
	}
	slices.SortStableFunc(found, func(a, b retrieval.Entry) int { return strings.Compare(s.day(b), s.day(a)) })
	if f.when.isZero() {
		found = found[:min(len(found), 10)]
	}
	return f.listed(text.Of(found, func(e retrieval.Entry) string { return cite(e.Path, 0) + ", " + s.day(e) })), len(found)
}

// holds reports whether a note matches a filter.
func (s *session) holds(f filter, e retrieval.Entry) bool {
	if f.folder != "" && !strings.HasPrefix(e.Path, f.folder+"/") || f.folder == "" && e.Template && (f.recent || len(f.has) > 0) || slices.ContainsFunc(f.kinds, func(kind string) bool {
		return !isKind(e, kind) && !slices.Contains(retrieval.Words(retrieval.Name(e.Path)), kind)
	}) {
		return false
	}
	for _, c := range f.has {
		has := c.tag && hasTag(e.Tags, c.name) || !c.tag && slices.ContainsFunc(e.Properties, func(p retrieval.Property) bool {
			return p.Key == c.name && (c.value == "" || c.holds(shownText(p.Value)))
		})
		if has == c.not {
			return false
		}
	}
	return f.when.isZero() || f.when.holds(s.day(e))
}

// day returns the date of a note: the one in its name, else that of its last change.
func (s *session) day(e retrieval.Entry) string {
	return cmp.Or(nameDateRE().FindString(retrieval.Name(e.Path)), e.Modified.In(s.now.Location()).Format(time.DateOnly))
}

func (s *session) allFolders() reply {
	count := map[string]int{}
	for _, e := range s.catalog.entries {
		for d := path.Dir(e.Path); d != "."; d = path.Dir(d) {
			count[d]++
		}
	}
	lines := text.Of(slices.Sorted(maps.Keys(count)), func(d string) string { return "`" + d + "/` — " + text.Count(count[d], "note") })
	return filter{of: "folders"}.listed(lines)
}
