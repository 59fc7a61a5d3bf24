package tools

import (
	"context"
	"strings"
	"unicode/utf8"

	"chatvault/tools/wording"
)

// maxTask is the maximum length of a sub-agent's task, in characters.
const maxTask = 20_000

type delegateArgs struct {
	Task string `json:"task" nonempty:"true" jsonschema:"what to report, with all it needs to know: names, folders, dates"`
}

// It is read-only like its sub-agents: several may run concurrently.
var _ = define(definition{
	name:    "delegate",
	traits:  Traits{Verb: "delegating:", Did: "delegated:", Kind: CallThinks, Delegates: true},
	example: `{"task": "Read all notes in Journal/2026 and list every decision about the garden, with its date and the note's path."}`,
	offered: func(m Messenger, _ Options) bool { _, ok := m.(Delegator); return ok },
}, runDelegate, func(a delegateArgs) string { return wording.Shorten(wording.FirstLine(a.Task), 60) })

func runDelegate(ctx context.Context, t *Turn, a delegateArgs) Result {
	task := strings.TrimSpace(a.Task)
	if task == "" {
		return failf("no task", "The task is blank. Write what the sub-agent should find out.")
	}
	if n := utf8.RuneCountInString(task); n > maxTask {
		return failf("too long", "The task has %d characters; at most %d are allowed. Name the notes: the sub-agent reads them itself.", n, maxTask)
	}
	report, err := t.messenger.(Delegator).Delegate(ctx, task)
	switch {
	case ctx.Err() != nil:
		return stopped("delegate")
	case err != nil:
		return failf("no report", "No report: %s.", strings.TrimSuffix(err.Error(), "."))
	}
	return Result{Text: report, Summary: wording.Counted(strings.Count(strings.TrimSpace(report), "\n")+1, "line")}
}
