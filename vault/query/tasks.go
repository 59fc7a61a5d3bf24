package query

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"chatvault/vault/note"
	"chatvault/vault/pathname"
	"chatvault/vault/walk"
)

// TaskQuery selects tasks. The zero TaskQuery is every task.
type TaskQuery struct {
	Scope   Scope
	State   TaskState
	Tag     string    // it has this tag or a nested one, in the task or in the front matter
	Heading string    // it is below a heading that contains this text, ignoring case
	Date    string    // the field that From and Until compare and by which notes are sorted; "" means "due"
	From    time.Time // on this day or later; zero means no limit
	Until   time.Time // on this day or earlier; zero means no limit. Tasks without the date match no range

	Priority string        // the lowest, an element of note.Priorities; "" means no limit
	Statuses note.Statuses // of the vault
}

// TaskState is the state of tasks in a query.
type TaskState int

// The states of tasks that a query can ask for.
const (
	TasksAny TaskState = iota
	TasksOpen
	TasksDone
)

// NoteTasks are the matching tasks of one note.
type NoteTasks struct {
	Path  string
	Tasks []note.Task
}

// Tasks returns the task list items of a scope. Notes with the earliest date, of open tasks for due dates, come first, those
// without one last, by path.
func (v Queries) Tasks(ctx context.Context, q TaskQuery) ([]NoteTasks, Missed, error) {
	q.Date = cmp.Or(q.Date, "due")
	heading, tag := pathname.Fold(strings.TrimSpace(strings.TrimLeft(q.Heading, "# "))), pathname.Fold(strings.Trim(q.Tag, "#/"))
	list, missed, err := collect(ctx, v, q.Scope, func(t walk.Text, add func(NoteTasks)) {
		if bytes.IndexByte(t.Data, '[') < 0 {
			return
		}
		n := t.Note()
		ofNote := false // the front matter has the tag
		for _, has := range n.Tags {
			ofNote = ofNote || has.Line <= n.Front.Lines && nestedIn(has.Name, tag)
		}
		var found []note.Task
		for _, task := range n.Tasks {
			if q.wants(task) && (heading == "" || strings.Contains(pathname.Fold(task.Heading), heading)) &&
				(tag == "" || ofNote || slices.ContainsFunc(task.Tags, func(name string) bool { return nestedIn(name, tag) })) {
				found = append(found, task)
			}
		}
		if len(found) > 0 {
			add(NoteTasks{Path: t.Path, Tasks: found})
		}
	})
	if err != nil {
		return nil, Missed{}, err
	}
	due := make(map[string]time.Time, len(list))
	for _, n := range list {
		due[n.Path] = q.first(n.Tasks)
	}
	slices.SortFunc(list, func(a, b NoteTasks) int {
		x, y := due[a.Path], due[b.Path]
		switch {
		case x.IsZero() && !y.IsZero():
			return 1
		case y.IsZero() && !x.IsZero():
			return -1
		}
		return cmp.Or(x.Compare(y), strings.Compare(a.Path, b.Path))
	})
	return list, missed, nil
}

// wants reports whether a task has the requested state, date and priority.
func (q *TaskQuery) wants(t note.Task) bool {
	done := q.Statuses.Done(t.Mark)
	switch date := t.Date(q.Date); {
	case q.State == TasksOpen && done, q.State == TasksDone && !done:
		return false
	case q.Priority != "" && slices.Index(note.Priorities, t.Priority()) > slices.Index(note.Priorities, q.Priority):
		return false
	case date.IsZero():
		return q.From.IsZero() && q.Until.IsZero()
	case !q.From.IsZero() && date.Before(q.From), !q.Until.IsZero() && date.After(q.Until):
		return false
	}
	return true
}

// nestedIn reports whether a tag equals the folded tag want or is nested in it.
func nestedIn(name, want string) bool {
	if want == "" {
		return false
	}
	name = pathname.Fold(name)
	return name == want || strings.HasPrefix(name, want+"/")
}

// first returns the earliest date of the tasks, of open ones if it is the due date, or zero if none has one.
func (q *TaskQuery) first(tasks []note.Task) time.Time {
	var first time.Time
	for _, t := range tasks {
		if date := t.Date(q.Date); !date.IsZero() && (q.Date != "due" || !q.Statuses.Done(t.Mark)) && (first.IsZero() || date.Before(first)) {
			first = date
		}
	}
	return first
}
