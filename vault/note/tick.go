package note

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"chatvault/internal/base/lazyregexp"
)

// TaskRules are what happens to a task whose box changes, in the terms of the Tasks plugin's settings.
type TaskRules struct {
	Filter        string   `json:"globalFilter"` // a text that tasks have; others are left alone
	Format        string   `json:"taskFormat"`   // of added dates: "dataview", "tasksPluginEmoji"; "" means as in the task
	DoneDate      bool     `json:"setDoneDate"`
	CancelledDate bool     `json:"setCancelledDate"`
	CreatedDate   bool     `json:"setCreatedDate"`
	Below         bool     `json:"recurrenceOnNextLine"` // the next occurrence goes below the task
	DropScheduled bool     `json:"removeScheduledDateOnRecurrence"`
	Statuses      Statuses `json:"-"`
}

// Statuses are the meanings of the marks in boxes. Those that are missing have their common one.
type Statuses map[rune]Status

// Status is the meaning of a mark.
type Status struct {
	Type string // "TODO", "IN_PROGRESS", "ON_HOLD", "DONE", "CANCELLED" or "NON_TASK"
	Next rune   // the mark after a click
}

func (s Statuses) typeOf(mark rune) string {
	common := map[rune]string{'x': "DONE", 'X': "DONE", '-': "CANCELLED", '/': "IN_PROGRESS"}
	return cmp.Or(s[mark].Type, common[mark], "TODO")
}

// Done reports whether nothing is left to do with this mark: done, cancelled, or no task.
func (s Statuses) Done(mark rune) bool {
	return slices.Contains([]string{"DONE", "CANCELLED", "NON_TASK"}, s.typeOf(mark))
}

// next returns the mark of the next occurrence of a task that got the mark done.
func (s Statuses) next(done rune) rune {
	for range s {
		if done = s[done].Next; done == 0 {
			break
		}
		if is := s.typeOf(done); is == "TODO" || is == "IN_PROGRESS" {
			return done
		}
	}
	return ' '
}

// Ticked is a task of a text whose box an edit changed.
type Ticked struct {
	task   Task
	before rune // its earlier mark
	alone  bool // the edit did not write the next occurrence
}

// TicksOf returns the tasks whose box differs between two versions of a note. They are the same task if nothing but
// the dates of completion differs.
func TicksOf(before, after string) (out []Ticked) {
	if before == after || !strings.Contains(after, "]") {
		return nil
	}
	had, gone := map[string]int{}, map[string][]Task{}
	marked := func(t Task) string { return string(t.Mark) + t.Text }
	earlier, later := Parse([]byte(before)).Tasks, Parse([]byte(after)).Tasks
	for _, t := range earlier {
		had[marked(t)]++
	}
	later = slices.DeleteFunc(later, func(t Task) bool {
		had[marked(t)]--
		return had[marked(t)] >= 0
	})
	for _, t := range earlier {
		if had[marked(t)] > 0 {
			had[marked(t)]--
			key := without(t.Text, "completion", "cancelled")
			gone[key] = append(gone[key], t)
		}
	}
	for i, t := range later {
		key := without(t.Text, "completion", "cancelled")
		if len(gone[key]) == 0 {
			continue
		}
		from := gone[key][0]
		gone[key] = gone[key][1:]
		if from.Mark != t.Mark {
			bare := func(t Task) string { return without(t.Text, changing...) }
			other := slices.ContainsFunc(slices.Delete(slices.Clone(later), i, i+1), func(o Task) bool { return bare(o) == bare(t) && o.Mark != t.Mark })
			out = append(out, Ticked{task: t, before: from.Mark, alone: !other})
		}
	}
	return out
}

// changing are the fields in which the occurrences of a task differ.
var changing = []string{"due", "scheduled", "start", "created", "completion", "cancelled", "id", "dependsOn"}

// without returns the text of a task without some fields.
func without(text string, fields ...string) string {
	for _, f := range fields {
		text = taskFields[f]().ReplaceAllLiteralString(text, "")
	}
	return strings.TrimRight(text, " \t")
}

// Apply completes an edit, after which the note is text: a task that was ticked gets its date, a repeating one its
// next occurrence, and one that was opened again loses the date. said are sentences about it.
func (r TaskRules) Apply(ticks []Ticked, text string, today time.Time) (result string, said []string) {
	for _, t := range slices.Backward(ticks) {
		start := strings.LastIndexByte(text[:t.task.at], '\n') + 1
		end := len(text)
		if n := strings.IndexByte(text[start:], '\n'); n >= 0 {
			end = start + n
		}
		lines, why := r.lines(t, text[start:end], t.task.at-start, today)
		if why != "" {
			said = append(said, why)
		}
		if len(lines) == 0 && end < len(text) {
			end++
		}
		text = text[:start] + strings.Join(lines, "\n") + text[end:]
	}
	return text, said
}

var lineEnd = lazyregexp.New(`^(.*?)((?:[ \t]+\^[A-Za-z0-9-]+)?)([ \t]*\r?)$`)

// lines returns what stands for the line of a ticked task, whose mark is at a byte.
func (r TaskRules) lines(t Ticked, line string, at int, today time.Time) (lines []string, said string) {
	is, was := r.Statuses.typeOf(t.task.Mark), r.Statuses.typeOf(t.before)
	if is == was || is == "NON_TASK" || !strings.Contains(line, r.Filter) {
		return []string{line}, ""
	}
	size := utf8.RuneLen(t.task.Mark)
	m := lineEnd().FindStringSubmatch(line[at+size+1:])
	content, link, blank := m[1], m[2], m[3]
	if blank == " " {
		blank = ""
	}
	done, cancelled := is == "DONE", is == "CANCELLED"
	for _, f := range []struct {
		name, emoji string
		has, add    bool
	}{{"cancelled", "❌", cancelled, r.CancelledDate}, {"completion", "✅", done, r.DoneDate}} {
		_, _, there := place(content, f.name)
		switch {
		case !f.has && there:
			content = without(content, f.name)
		case f.has && f.add && !there:
			content += r.dated(content, f.name, f.emoji, today)
		}
	}
	now := line[:at+size+1] + content + link + blank
	if !done || t.task.Field("repeat") == "" || !t.alone {
		return r.kept(t, now), ""
	}
	text, said := r.following(t.task, without(content, "completion"), today)
	if text == "" {
		return []string{now}, said
	}
	next := line[:at] + string(r.Statuses.next(t.task.Mark)) + "]" + text + blank
	if r.Below {
		return append(r.kept(t, now), next), said
	}
	return append([]string{next}, r.kept(t, now)...), said
}

// kept returns the line of a task, or none if it is done and to be deleted then.
func (r TaskRules) kept(t Ticked, line string) []string {
	if r.Statuses.typeOf(t.task.Mark) == "DONE" && strings.EqualFold(t.task.Field("onCompletion"), "delete") {
		return nil
	}
	return []string{line}
}

// dated returns a field with a date in the form of the task.
func (r TaskRules) dated(content, name, emoji string, day time.Time) string {
	if r.Format == "dataview" || r.Format == "" && strings.Contains(content, "::") {
		return "  [" + name + ":: " + day.Format(time.DateOnly) + "]"
	}
	return " " + emoji + " " + day.Format(time.DateOnly)
}

// following returns the text of the next occurrence of a task that was done today, or "" and the reason.
func (r TaskRules) following(t Task, text string, today time.Time) (next, said string) {
	repeats, ok := parseRule(t.Field("repeat"))
	if !ok {
		return "", fmt.Sprintf("The next occurrence was not written: “%s” is no rule of the Tasks plugin. Rules are such as “every 2 weeks on Monday” or “every month on the 2nd Tuesday when done”.", t.Field("repeat"))
	}
	order := []string{"due", "scheduled", "start"}
	if r.DropScheduled {
		order = []string{"due", "start", "scheduled"}
	}
	text, reference := without(text, "created", "id", "dependsOn"), ""
	for _, f := range order {
		if _, _, ok := dateAt(text, f, today); ok {
			reference = cmp.Or(reference, f)
		}
	}
	said = "It repeats without a date, so the next occurrence has none either."
	if reference != "" {
		base := t.Date(reference)
		day := base
		if repeats.whenDone {
			day = today
		}
		if day = repeats.after(day); base.IsZero() || day.IsZero() {
			return "", fmt.Sprintf("The next occurrence was not written: the %s date does not exist, or no day matches “%s”.", reference, t.Field("repeat"))
		}
		for _, f := range order {
			start, end, ok := dateAt(text, f, today)
			switch old := t.Date(f); {
			case !ok:
			case f == "scheduled" && r.DropScheduled && reference != f:
				text = without(text, f)
			case old.IsZero():
				text = text[:start] + day.Format(time.DateOnly) + text[end:]
			default:
				text = text[:start] + day.Add(old.Sub(base)).Format(time.DateOnly) + text[end:]
			}
		}
		said = fmt.Sprintf("The next occurrence is %s %s.", reference, day.Format(time.DateOnly))
	}
	if r.CreatedDate {
		at := firstDate(text)
		text = text[:at] + r.dated(text, "created", "➕", today) + text[at:]
	}
	return text, said
}

// dateAt returns the byte range of a date in the text of a task.
func dateAt(text, field string, today time.Time) (start, end int, ok bool) {
	if field == "due" {
		if _, start, end = due(text, today); end > 0 {
			return start, end, true
		}
	}
	return place(text, field)
}

// firstDate returns the place of the first date of a task, or the end of its text.
func firstDate(text string) int {
	at := len(text)
	for _, f := range []string{"start", "scheduled", "due"} {
		if m := taskFields[f]().FindStringIndex(text); m != nil {
			at = min(at, m[0])
		}
	}
	return at
}
