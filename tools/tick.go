package tools

import (
	"context"
	"strings"
	"sync"
	"time"

	"chatvault/tools/textedit"
	"chatvault/vault/note"
	"chatvault/vault/query"
)

// completer returns a function that adds to an edit what the Tasks plugin does with tasks that are ticked or opened
// again.
func (t *Turn) completer(ctx context.Context) func(f *textedit.File, e textedit.Edit) textedit.Edit {
	all := sync.OnceValue(func() (tasks []note.Task) {
		found, _, _ := t.vault.Query.Tasks(ctx, query.TaskQuery{State: query.TasksDone}) // unreadable notes do not count
		for _, n := range found {
			tasks = append(tasks, n.Tasks...)
		}
		return tasks
	})
	return func(f *textedit.File, e textedit.Edit) textedit.Edit {
		after := textedit.NewFile(f.Content(e.Splices)).View
		today, _ := dueDay("today", time.Now())
		rules := sync.OnceValue(func() note.TaskRules {
			rules, known := t.vault.Obsidian.Tasks()
			if !known {
				rules.DoneDate, rules.Format = datesTasks(f.View, all)
			}
			return rules
		})
		text, said := note.Follow(f.View, after, rules, today)
		if text == after && said == nil {
			return e
		}
		return f.Rewrite(text, strings.Join(append([]string{e.Summary}, said...), " "))
	}
}

// datesTasks reports whether completed tasks say when, one in the text of a note or most of all, and the format.
func datesTasks(text string, others func() []note.Task) (dated bool, format string) {
	dates, fields, all := 0, 0, 0
	count := func(tasks []note.Task) {
		for _, task := range tasks {
			if task.Done() {
				all++
				dates += min(len(task.Field("completion")), 1)
				fields += min(strings.Count(task.Text, "completion::"), 1)
			}
		}
	}
	if count(note.Parse([]byte(text)).Tasks); dates == 0 {
		all = 0
		count(others())
	}
	if 2*fields > dates {
		format = "dataview"
	}
	return dates > 0 && 2*dates >= all, format
}
