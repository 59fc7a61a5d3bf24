package chat

import (
	"fmt"
	"slices"

	"chatvault/internal/base/cells"
	"chatvault/internal/base/terminal"
	"chatvault/internal/base/text"
	"chatvault/tui/phrase"
)

// Task is a step of the agent's task list.
type Task struct {
	Text string
	Done bool
}

// TaskLines draws a task list in at most limit lines: completed steps are ticked and muted, and the current step is
// visible and highlighted. The first line shows the progress.
func TaskLines(env *Env, tasks []Task, width, limit int) []string {
	from, to := taskWindow(tasks, limit)
	current := firstOpen(tasks)
	s := env.Styles
	var out []string
	for i := from; i < to; i++ {
		text := text.OneLine(terminal.Text(tasks[i].Text))
		mark, room, count := s.Muted.Render("○"), width-2, ""
		if i == from && width > 30 {
			done := slices.DeleteFunc(slices.Clone(tasks), func(t Task) bool { return !t.Done })
			count = fmt.Sprintf("%d of %d", len(done), len(tasks))
			room -= len(count) + 2
		}
		text = cells.Truncate(text, max(room, 1), "…")
		switch {
		case tasks[i].Done:
			mark, text = s.OK.Render("✓"), s.Muted.Render(text)
		case i == current:
			mark, text = s.Accent.Render("▸"), s.Bold.Render(text)
		}
		out = append(out, phrase.Spread(mark+" "+text, s.Muted.Render(count), width))
	}
	if more := len(tasks) - to; more > 0 && len(out) < limit {
		out = append(out, s.Muted.Render(cells.Truncate(fmt.Sprintf("… %d more", more), width, "")))
	}
	return clip(out, width)
}

// taskWindow returns the range of steps to show in limit lines: all if they fit, otherwise those from the current
// step on (from the first if all are done), leaving a line for the number of remaining ones. Spare lines show the
// steps before.
func taskWindow(tasks []Task, limit int) (from, to int) {
	n := len(tasks)
	if n <= limit {
		return 0, n
	}
	from = min(max(firstOpen(tasks), 0), n-limit)
	if to = from + limit; to < n && limit > 1 {
		to--
	}
	return from, to
}

// firstOpen returns the index of the first open step, or -1 if all are done.
func firstOpen(tasks []Task) int {
	return slices.IndexFunc(tasks, func(t Task) bool { return !t.Done })
}
