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

// complete adds to an edit what the Tasks plugin does with tasks that are ticked or opened again.
func (t *Turn) complete(ctx context.Context, f *textedit.File, e textedit.Edit) textedit.Edit {
	after := textedit.NewFile(f.Content(e.Splices)).View
	today, _ := dueDay("today", time.Now())
	rules := sync.OnceValue(func() note.TaskRules {
		rules, known := t.vault.Obsidian.Tasks()
		rules.DoneDate = rules.DoneDate || !known && t.datesTasks(ctx, f.View)
		return rules
	})
	text, said := note.Follow(f.View, after, rules, today)
	if text == after && said == nil {
		return e
	}
	return f.Rewrite(text, strings.Join(append([]string{e.Summary}, said...), " "))
}

// datesTasks reports whether completed tasks say when: one in the note, or most in the vault.
func (t *Turn) datesTasks(ctx context.Context, text string) bool {
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
		found, _, _ := t.vault.Query.Tasks(ctx, query.TaskQuery{State: query.TasksDone}) // unreadable notes do not count
		for _, n := range found {
			count(n.Tasks)
		}
	}
	return dated > 0 && 2*dated >= all
}
