package tools

import (
	"context"
	"fmt"
	"unicode/utf8"

	"chatvault/tools/wording"
)

// maxTaskText is the maximum length of a step, in characters: it is shown on one line.
const maxTaskText = 200

type taskListArgs struct {
	Items []taskListItem `json:"items" minitems:"1" maxitems:"50" jsonschema:"all steps, in order"`
}

type taskListItem struct {
	Text string `json:"text" nonempty:"true"`
	Done bool   `json:"done,omitempty"`
}

// It is not read-only: of two lists in one response the later one must win.
var _ = define(definition{
	name:    "task_list",
	traits:  Traits{Verb: "updating the task list", Did: "updated the task list", Speaks: true},
	example: `{"items": [{"text": "Read the meeting notes", "done": true}, {"text": "Write the summary"}]}`,
	offered: func(m Messenger, _ Options) bool { _, ok := m.(TaskLister); return ok },
}, runTaskList, targetTaskList)

func targetTaskList(a taskListArgs) string {
	if len(a.Items) == 0 {
		return ""
	}
	done, _ := countDone(a.Items)
	return fmt.Sprintf("%d of %d done", done, len(a.Items))
}

// countDone returns the number of completed steps and the first open one.
func countDone(items []taskListItem) (done int, next string) {
	for _, item := range items {
		if item.Done {
			done++
		} else if next == "" {
			next = item.Text
		}
	}
	return done, next
}

func runTaskList(ctx context.Context, t *Turn, a taskListArgs) Result {
	items := make([]TaskItem, len(a.Items))
	for i, item := range a.Items {
		text := wording.OneLine(item.Text)
		switch n := utf8.RuneCountInString(text); {
		case text == "":
			return failf("blank step", "Step %d is blank. Write what is to be done.", i+1)
		case n > maxTaskText:
			return failf("step too long", "Step %d has %d characters; at most %d fit on a line.", i+1, n, maxTaskText)
		}
		a.Items[i].Text = text
		items[i] = TaskItem{Text: text, Done: item.Done}
	}
	if err := t.messenger.(TaskLister).SetTasks(ctx, items); err != nil {
		return failed("task_list", err)
	}
	done, next := countDone(a.Items)
	text := fmt.Sprintf("The list is shown: %d of %d done.", done, len(items))
	if next != "" {
		text += " Next: " + wording.Shorten(next, 80)
	}
	return Result{Text: text, Summary: fmt.Sprintf("%d of %d done", done, len(items))}
}
