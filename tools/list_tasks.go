package tools

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"chatvault/tools/listing"
	"chatvault/tools/wording"
	"chatvault/vault/query"
)

type listTasksArgs struct {
	State       string `json:"state,omitempty" oneof:"open,done,all" jsonschema:"default open"`
	Path        string `json:"path,omitempty" note:"true" jsonschema:"note or folder"`
	FilePattern string `json:"file_pattern,omitempty"`
	Tag         string `json:"tag,omitempty"`
	Heading     string `json:"heading,omitempty" jsonschema:"part of the heading above"`
	DueFrom     string `json:"due_from,omitempty" jsonschema:"YYYY-MM-DD, today, tomorrow or yesterday"`
	DueUntil    string `json:"due_until,omitempty"`
	Date        string `json:"date,omitempty" oneof:"due,scheduled,start,created,completion,cancelled" jsonschema:"what due_from and due_until compare"`
	Priority    string `json:"priority,omitempty" oneof:"highest,high,medium,normal,low,lowest" jsonschema:"this or higher"`
	Ignored     bool   `json:"include_ignored,omitempty"`
	MaxResults  int    `json:"max_results,omitempty" min:"1"`
}

// tasksFound is the data of list_tasks.
type tasksFound struct {
	Tasks []taskFound `json:"tasks" jsonschema:"by note; earliest due first"`
	remainder
}

type taskFound struct {
	Path    string `json:"path"`
	Line    int    `json:"line"`
	Mark    string `json:"mark" jsonschema:"the character in the brackets; a space means open"`
	Text    string `json:"text"`
	Heading string `json:"heading,omitempty" jsonschema:"the nearest one above"`
	Due     string `json:"due,omitempty"`
}

var _ = define(definition{
	name:    "list_tasks",
	output:  DataSchema[tasksFound],
	traits:  Traits{Verb: "listing tasks:", Did: "listed tasks:", Kind: CallSearches, Spare: true},
	example: `{"path": "Projects", "due_until": "2026-11-30"}`,
}, runListTasks, targetListTasks)

func targetListTasks(a listTasksArgs) string {
	what := cmp.Or(a.State, "open")
	for _, part := range [][2]string{{" #", strings.TrimLeft(a.Tag, "#")}, {" under ", a.Heading}, {" of priority ", a.Priority}, {" ", a.Date}, {" from ", a.DueFrom}, {" until ", a.DueUntil}} {
		if part[1] != "" {
			what += part[0] + part[1]
		}
	}
	return listing.ScopeTarget(what, query.Scope{Path: a.Path, Pattern: a.FilePattern})
}

func runListTasks(ctx context.Context, t *Turn, a listTasksArgs) Result {
	q := query.TaskQuery{
		Scope: query.Scope{Path: a.Path, Pattern: a.FilePattern, Ignored: a.Ignored},
		Tag:   strings.TrimSpace(a.Tag), Heading: strings.TrimSpace(a.Heading), Date: cmp.Or(a.Date, "due"), Priority: a.Priority,
	}
	rules, _ := t.vault.Obsidian.Tasks()
	q.Statuses = rules.Statuses
	kind := "open "
	switch a.State {
	case "done":
		q.State, kind = query.TasksDone, "done "
	case "all":
		kind = ""
	default:
		q.State = query.TasksOpen
	}
	now := time.Now()
	for _, due := range []struct {
		argument, given string
		day             *time.Time
	}{{"due_from", a.DueFrom, &q.From}, {"due_until", a.DueUntil, &q.Until}} {
		var ok bool
		if *due.day, ok = dueDay(due.given, now); !ok {
			return failf("invalid date", "Argument %q of list_tasks must be today, yesterday, tomorrow or a date such as %s, not %s.",
				due.argument, now.Format(time.DateOnly), wording.Quote(wording.Shorten(due.given, 40)))
		}
	}
	if !q.From.IsZero() && !q.Until.IsZero() && q.Until.Before(q.From) {
		return failf("invalid range", "due_until %s is before due_from %s. Give the earlier day as due_from.", a.DueUntil, a.DueFrom)
	}
	found, missed, err := t.vault.Query.Tasks(ctx, q)
	if err != nil {
		return failed("list_tasks", err)
	}
	return tasksText(found, kind, a, q.Scope, missed)
}

// dueDay parses a day argument as midnight UTC. An empty one is the zero time.
func dueDay(given string, now time.Time) (day time.Time, ok bool) {
	switch given = strings.ToLower(strings.TrimSpace(given)); given {
	case "":
		return time.Time{}, true
	case "today", "yesterday", "tomorrow":
		now = now.AddDate(0, 0, map[string]int{"yesterday": -1, "tomorrow": 1}[given])
		return time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC), true
	}
	day, err := time.Parse(time.DateOnly, given)
	return day, err == nil && day.Year() > 0
}

// tasksText lists tasks by note.
func tasksText(found []query.NoteTasks, kind string, a listTasksArgs, scope query.Scope, missed query.Missed) Result {
	all := 0
	for _, n := range found {
		all += len(n.Tasks)
	}
	data := tasksFound{Tasks: []taskFound{}}
	l := listing.New(a.MaxResults)
	for _, n := range found {
		l.Head("\n## %s\n", wording.PlainName(n.Path))
		for _, task := range n.Tasks {
			t := taskFound{Path: n.Path, Line: task.Line, Mark: string(task.Mark), Text: listing.LineText(task.Text)}
			if !task.Due.IsZero() {
				t.Due = task.Due.Format(time.DateOnly)
			}
			t.Heading = wording.Shorten(wording.OneLine(task.Heading), 80)
			under := ""
			if t.Heading != "" {
				under = fmt.Sprintf(" (under %s)", wording.Quote(t.Heading))
			}
			listing.AddTo(l, &data.Tasks, t, "Line %d: [%s] %s%s\n", t.Line, t.Mark, t.Text, under)
		}
	}
	return listed(l, fmt.Sprintf("Found %d %stask(s) in %s, earliest %s first:\n", all, kind, wording.Counted(len(found), "note"), cmp.Or(a.Date, "due")),
		fmt.Sprintf("No %stasks in %s match.", kind, listing.ScopeName(scope)),
		all, "task", "narrow it with path, tag, heading or due_until", listing.MissedText(missed), &data)
}
