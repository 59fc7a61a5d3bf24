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
			rules.DoneDate = rules.DoneDate || !known && datesTasks(f.View, all)
			return rules
		})
		text, said := note.Follow(f.View, after, rules, today)
		if text == after && said == nil {
			return e
		}
		return f.Rewrite(text, strings.Join(append([]string{e.Summary}, said...), " "))
	}
}

// datesTasks reports whether completed tasks say when: one in the text of a note, or most of all.
func datesTasks(text string, others func() []note.Task) bool {
	dated, all := 0, 0
	count := func(tasks []note.Task) {
		for _, task := range tasks {
			if task.Done() {
				all++
				dated += min(len(task.Field("completion")), 1)
			}
		}
	}
	if count(note.Parse([]byte(text)).Tasks); dated == 0 {
		all = 0
		count(others())
	}
	return dated > 0 && 2*dated >= all
}
