package offline

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"chatvault/agent/llm/offline/grammar"
	"chatvault/agent/llm/offline/naming"
	"chatvault/agent/llm/offline/retrieval"
	"chatvault/agent/llm/offline/toolresult"
)

// Bounds of a list of tasks.
const (
	maxTasksAsked = 500
	maxTasks      = 60
)

// openBox is what the tools are asked to search for, to find one task: short enough to be read on
// the screen. What they find beyond tasks openTask settles.
const openBox = `\[ \]`

const openTask = `^\s*(?:[-*+]|\d+[.)])\s+\[[ />!]\]\s`

// tasks lists open or done tasks.
func (s *script) tasks(c grammar.Command) {
	kind := "open task"
	a := args{"max_results": maxTasksAsked}
	if c.Done {
		kind = "done task"
		a["state"] = "done"
	}
	where := ""
	if c.Note != "" {
		dir := s.view.ResolveFolder(c.Note)
		var p []string
		if dir.Path == "" || !c.Sure && dir.Score < naming.FitsExactly { // a folder goes before a note in it of its name
			p = s.pick(c.Note, "look into", false)
		}
		switch {
		case p != nil:
			a["path"] = p[0]
			where = " in " + cite(p[0], 0)
		case dir.Path != "":
			a["path"] = dir.Path
			where = " in `" + dir.Path + "/`"
		case c.Tag == "":
			s.failf("There is no note or folder called “%s”.%s", c.Note, s.foldersHint())
			return
		}
	}
	due := ""
	switch {
	case !c.When.IsZero():
		a["due_from"] = c.When.From.Format(time.DateOnly)
		a["due_until"] = max(c.When.From.Format(time.DateOnly), c.When.To.AddDate(0, 0, -1).Format(time.DateOnly))
		if due = " due " + timeWords(c.When.Words); c.When.Words == "overdue" {
			due = " that are overdue"
		}
	case c.Topic == "due":
		a["due_from"] = "1970-01-01"
		due = " with a due date"
	}
	r := s.orLeave("I could not look for tasks", s.call(listTasks, a))
	files, more := toolresult.TaskHits(r.result, c.Done)
	if c.Tag != "" {
		files = s.withTag(files, c.Tag)
		where += " with #" + c.Tag
	}
	where += due
	s.sayTasks(files, kind, where, more)
	if c.Ignored != "" {
		s.sayf("I did not narrow them down by “%s”.", c.Ignored)
	}
}

// withTag keeps tasks that have a tag themselves or stand in a note that has it.
func (s *script) withTag(files []toolresult.Found, tag string) []toolresult.Found {
	tagged := map[string]bool{}
	for _, e := range s.all {
		// the note's own tags count, not those of its other lines
		if hasTag(e.Tags, tag) {
			tagged[e.Path] = true
		}
	}
	inline := regexp.MustCompile(`(?i)(?:^|\s)#` + regexp.QuoteMeta(tag) + `(?:$|[\s/,.;:)])`)
	var out []toolresult.Found
	for _, f := range files {
		onLines := f.With(func(h toolresult.Numbered) bool { return inline.MatchString(h.Text) })
		switch {
		case len(onLines.Hits) > 0:
			out = append(out, onLines)
		case tagged[f.Path]:
			out = append(out, f)
		}
	}
	return out
}

// sayTasks lists tasks by note.
func (s *script) sayTasks(files []toolresult.Found, kind, where string, more bool) {
	n, notes := 0, 0
	for _, f := range files {
		n += len(f.Hits)
		if len(f.Hits) > 0 {
			notes++
		}
		more = more || f.More
	}
	if n == 0 {
		s.sayf("There are no %ss%s.", kind, where)
		return
	}
	var b strings.Builder
	shown := 0
	for _, f := range files {
		if len(f.Hits) == 0 || shown >= maxTasks {
			continue
		}
		slices.SortFunc(f.Hits, func(a, b toolresult.Numbered) int { return a.N - b.N })
		fmt.Fprintf(&b, "%s\n\n", cite(f.Path, f.Hits[0].N))
		for _, h := range f.Hits {
			if shown++; shown > maxTasks {
				break
			}
			mark := "[ ]"
			if strings.HasPrefix(kind, "done") {
				mark = "[x]"
			}
			fmt.Fprintf(&b, "- %s %s\n", mark, clip(bullet(h.Text), 220))
		}
		b.WriteByte('\n')
	}
	head := counted(n, kind) + where
	if more {
		head = fmt.Sprintf("At least %s%s", counted(n, kind), where)
	}
	if notes > 1 {
		head += fmt.Sprintf(", in %s", counted(notes, "note"))
	}
	tail := ""
	if shown > maxTasks || more {
		tail = "\n*(There are more: name a note, a folder or a tag to see them.)*"
	}
	s.sayf("%s:\n\n%s%s", head, strings.TrimSpace(b.String()), tail)
}

// openTasks are the open tasks that have the words of a command: in the note that it names, else in
// any, with their paths.
func (s *script) openTasks(c grammar.Command) (paths []string, at []toolresult.Numbered) {
	task := regexp.MustCompile(openTask)
	take := func(p string, lines []toolresult.Numbered) {
		for _, l := range lines {
			if task.MatchString(l.Text) && taskFits(c.Old, l.Text) {
				paths, at = append(paths, p), append(at, l)
			}
		}
	}
	if c.Note != "" {
		p := s.target(c, "look into")
		lines, _, _ := toolresult.FileLines(s.readNote(p).result)
		take(p, lines)
		return paths, at
	}
	words := retrieval.ContentWords(c.Old)
	if len(words) == 0 {
		panic(stop{errNotNamed})
	}
	longest := slices.MaxFunc(words, func(a, b string) int { return len(a) - len(b) })
	r := s.orLeave("I could not search for the task", s.call("search_files", args{"pattern": openBox + ".*" + regexp.QuoteMeta(longest), "context_lines": 0, "max_results": 20}))
	files, _ := toolresult.LineHits(r.result)
	for _, f := range files {
		take(f.Path, f.Hits)
	}
	return paths, at
}

// tick marks a task as done.
func (s *script) tick(c grammar.Command) {
	named := c.Note != ""
	options, at := s.openTasks(c)
	if len(options) == 0 && !named && !isQuoted(c.Text, c.Old) {
		panic(stop{errNotNamed})
	}
	if len(options) == 0 {
		s.failf("I found no open task like “%s”. Say *open tasks* to see them all.", c.Old)
		return
	}
	s.unsure = s.unsure || !named || len(at) == 1 && !allStand(retrieval.ContentWords(c.Old), retrieval.Words(at[0].Text))
	pick := s.chooseItem("Several tasks match. Which one is done?", len(options), func(i int) string {
		return fmt.Sprintf("%s, in %s", clip(bullet(at[i].Text), 120), options[i])
	})
	old := at[pick].Text
	i := strings.Index(old, "[")
	s.orLeave("I could not tick it off in "+cite(options[pick], 0), s.change("edit_file", args{"path": options[pick], "old_text": old, "new_text": old[:i] + "[x]" + old[i+3:]},
		fmt.Sprintf("Tick off “%s” in %s", clip(bullet(old), 80), cite(options[pick], 0))))
	s.didf("Done: “%s” is ticked off in %s.", clip(bullet(old), 160), cite(options[pick], at[pick].N))
}

// taskFits says whether a task is the one a user named: most of the words stand in it.
func taskFits(asked, line string) bool {
	words := retrieval.ContentWords(asked)
	if len(words) == 0 {
		words = retrieval.Words(asked)
	}
	have := retrieval.Words(line)
	hit := 0
	for _, w := range words {
		if stands(w, have) {
			hit++
		}
	}
	return len(words) > 0 && float64(hit) >= 0.7*float64(len(words))
}
