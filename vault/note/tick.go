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
	Statuses      Statuses `json:"statusSettings"`
}

// Statuses are the marks of boxes with a meaning of the vault's own, in any lists.
type Statuses map[string][]Status

// Status is the meaning of a mark.
type Status struct {
	Symbol string `json:"symbol"`
	Type   string `json:"type"`             // "TODO", "IN_PROGRESS", "ON_HOLD", "DONE", "CANCELLED" or "NON_TASK"
	Next   string `json:"nextStatusSymbol"` // after a click
}

// of returns the meaning of a mark.
func (s Statuses) of(mark string) Status {
	for _, list := range s {
		for _, status := range list {
			if status.Symbol == mark {
				return status
			}
		}
	}
	return Status{Type: cmp.Or(map[string]string{"x": "DONE", "X": "DONE", "-": "CANCELLED"}[mark], "TODO")}
}

// Done reports whether nothing is left to do with a mark: done, cancelled, or no task.
func (s Statuses) Done(mark rune) bool {
	return slices.Contains([]string{"DONE", "CANCELLED", "NON_TASK"}, s.of(string(mark)).Type)
}

// next returns the mark of the next occurrence of a task that got the mark done.
func (s Statuses) next(done rune) string {
	next := s.of(string(done)).Next
	if mark, _ := utf8.DecodeRuneInString(next); s.Done(mark) {
		return " "
	}
	return cmp.Or(next, " ")
}

// Follow completes an edit of a note: a task that it ticked gets its date, a repeating one its next occurrence, and one
// that it opened again loses the date. A task is the same if nothing but these dates differs. rules is called if there
// is such a task; said are sentences about it.
func Follow(before, after string, rules func() TaskRules, today time.Time) (result string, said []string) {
	if before == after || len(after) > maxFollowed || !strings.Contains(after, "]") {
		return after, nil
	}
	earlier, later := Parse([]byte(before)).Tasks, Parse([]byte(after)).Tasks
	gone, fresh := minus(earlier, later), minus(later, earlier)
	result = after
	for _, t := range slices.Backward(fresh) {
		bare, full := without(t.Text, changing...), without(t.Text, "completion", "cancelled")
		at := slices.IndexFunc(gone, func(o Task) bool { return o.Mark != t.Mark && without(o.Text, "completion", "cancelled") == full })
		if at < 0 {
			continue
		}
		start, end := strings.LastIndexByte(result[:t.at], '\n')+1, len(result)
		if n := strings.IndexByte(result[start:], '\n'); n >= 0 {
			end = start + n
		}
		edit := tick{rules(), t, gone[at].Mark, today, result[start:end], t.at - start}
		written := slices.ContainsFunc(fresh, func(o Task) bool { return o.Mark != t.Mark && without(o.Text, changing...) == bare })
		lines, why := edit.lines(!written)
		if why != "" {
			said = append(said, why)
		}
		if len(lines) == 0 && end < len(result) {
			end++
		}
		result = result[:start] + strings.Join(lines, "\n") + result[end:]
		gone = slices.Delete(gone, at, at+1)
	}
	return result, said
}

// maxFollowed is the size of the notes in which ticked tasks are sought, in bytes.
const maxFollowed = 8 << 20

// minus returns the tasks that are not in the other list as often.
func minus(tasks, other []Task) []Task {
	had := map[string]int{}
	for _, t := range other {
		had[string(t.Mark)+t.Text]++
	}
	return slices.DeleteFunc(slices.Clone(tasks), func(t Task) bool {
		had[string(t.Mark)+t.Text]--
		return had[string(t.Mark)+t.Text] >= 0
	})
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

// tick is a task whose box was changed.
type tick struct {
	TaskRules
	task   Task
	before rune // its earlier mark
	today  time.Time
	line   string
	at     int // byte of the mark in the line
}

var lineEnd = lazyregexp.New(`^(.*?)((?:[ \t]+\^[A-Za-z0-9-]+)?)([ \t]*\r?)$`)

// lines returns what stands for the line of the task: also its next occurrence, if that is wanted and it is done.
func (t tick) lines(next bool) (lines []string, said string) {
	is := t.Statuses.of(string(t.task.Mark)).Type
	if is == t.Statuses.of(string(t.before)).Type || is == "NON_TASK" || !strings.Contains(t.line, t.Filter) {
		return []string{t.line}, ""
	}
	box := t.at + utf8.RuneLen(t.task.Mark) + 1
	m := lineEnd().FindStringSubmatch(t.line[box:])
	content, link, blank := m[1], m[2], m[3]
	if blank == " " {
		blank = ""
	}
	content = t.stamped(content, "cancelled", "❌", is == "CANCELLED", t.CancelledDate)
	content = t.stamped(content, "completion", "✅", is == "DONE", t.DoneDate)
	lines = []string{t.line[:box] + content + link + blank}
	if is != "DONE" {
		return lines, ""
	}
	text := ""
	if next && t.task.Field("repeat") != "" {
		if text, said = t.following(without(content, "completion")); text == "" {
			return lines, said
		}
	}
	if strings.EqualFold(t.task.Field("onCompletion"), "delete") {
		lines = nil
	}
	switch text = t.line[:t.at] + t.Statuses.next(t.task.Mark) + "]" + text + blank; {
	case said == "":
		return lines, ""
	case t.Below:
		return append(lines, text), said
	}
	return append([]string{text}, lines...), said
}

// stamped returns the text of a task with a date of today, which it may have if has is set and otherwise loses.
func (t tick) stamped(content, field, emoji string, has, add bool) string {
	switch _, _, there := place(content, field); {
	case !has && there:
		return without(content, field)
	case has && add && !there:
		return content + t.dated(content, field, emoji)
	}
	return content
}

// dated returns a field with the date of today in the form of the task.
func (t tick) dated(content, name, emoji string) string {
	if t.Format == "dataview" || t.Format == "" && strings.Contains(content, "::") {
		return "  [" + name + ":: " + t.today.Format(time.DateOnly) + "]"
	}
	return " " + emoji + " " + t.today.Format(time.DateOnly)
}

// firstDate matches what the creation date goes before.
var firstDate = lazyregexp.New(`[ \t]*(?:[🛫⏳⌛📅📆🗓]|[\[(][ \t]*(?:start|scheduled|due)::|$)`)

// following returns the text of the next occurrence, or "" and the reason.
func (t tick) following(text string) (next, said string) {
	repeat := t.task.Field("repeat")
	repeats, ok := parseRule(repeat)
	if !ok {
		return "", fmt.Sprintf("The next occurrence was not written: “%s” is no rule of the Tasks plugin. Rules are such as “every 2 weeks on Monday” or “every month on the 2nd Tuesday when done”.", repeat)
	}
	order := []string{"due", "scheduled", "start"}
	if t.DropScheduled {
		order = []string{"due", "start", "scheduled"}
	}
	text, reference := without(text, "created", "id", "dependsOn"), ""
	for _, f := range order {
		if _, _, ok := t.date(text, f); ok {
			reference = cmp.Or(reference, f)
		}
	}
	said = "It repeats without a date, so the next occurrence has none either."
	if reference != "" {
		base := t.task.Date(reference)
		day := base
		if repeats.whenDone {
			day = t.today
		}
		if day = repeats.after(day); base.IsZero() || day.IsZero() {
			return "", fmt.Sprintf("The next occurrence was not written: the %s date does not exist, or no day matches “%s”.", reference, repeat)
		}
		for _, f := range order {
			start, end, ok := t.date(text, f)
			moved := day
			if old := t.task.Date(f); !old.IsZero() {
				moved = day.Add(old.Sub(base))
			}
			switch {
			case ok && f == "scheduled" && t.DropScheduled && reference != f:
				text = without(text, f)
			case ok:
				text = text[:start] + moved.Format(time.DateOnly) + text[end:]
			}
		}
		said = fmt.Sprintf("The next occurrence is %s %s.", reference, day.Format(time.DateOnly))
	}
	if t.CreatedDate {
		at := firstDate().FindStringIndex(text)[0]
		text = text[:at] + t.dated(text, "created", "➕") + text[at:]
	}
	return text, said
}

// date returns the byte range of a date in the text of a task.
func (t tick) date(text, field string) (start, end int, ok bool) {
	if field == "due" {
		if _, start, end = due(text, t.today); end > 0 {
			return start, end, true
		}
	}
	return place(text, field)
}
