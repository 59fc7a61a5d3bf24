package chat

import (
	"fmt"
	"slices"

	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/terminal"
	"chatvault/internal/text"
	"chatvault/tui/phrase"
)

// Task is a step of the agent's task list.
type Task struct {
	Text string
	Done bool
}

// maxTasks is how many steps a list that is over shows while details are folded.
const maxTasks = 6

// Tasks is the agent's task list as it stood when its turn ended.
type Tasks struct {
	tasks []Task
	card
}

// NewTasks makes an item of a list that is over.
func NewTasks(env *Env, tasks []Task) *Tasks { return &Tasks{card: card{env: env}, tasks: tasks} }

// Folds says whether some steps are left out, or would be.
func (t *Tasks) Folds() bool { return len(t.tasks) > maxTasks }

// Lines draws it.
func (t *Tasks) Lines(width int) []string {
	return t.get(width, func(width int) []string {
		s, room := t.env.Styles, textWidth(width)
		done := countDone(t.tasks)
		mark := s.OK.Render("✓")
		if done < len(t.tasks) {
			mark = s.Warn.Render("◌")
		}
		head := fmt.Sprintf("%d of %d steps done", done, len(t.tasks))
		limit := maxTasks
		if t.open {
			limit = len(t.tasks)
		}
		lines := append([]string{ansi.Truncate(head, room, "…")}, TaskLines(t.env, t.tasks, room, limit, false)...)
		return marked(mark+" ", "  ", lines)
	})
}

// TaskLines draws a task list in at most limit lines of the given width: what is done ticked and
// quiet, the current step in sight. While the list is live the current step stands out, and the
// first line says how far it is.
func TaskLines(env *Env, tasks []Task, width, limit int, live bool) []string {
	from, to := TaskWindow(tasks, limit)
	current := firstOpen(tasks)
	s := env.Styles
	var out []string
	for i := from; i < to; i++ {
		text := text.OneLine(terminal.Text(tasks[i].Text))
		mark, room := s.Muted.Render("○"), width-2
		count := ""
		if live && i == from {
			count = fmt.Sprintf("%d of %d", countDone(tasks), len(tasks))
			if left := room - ansi.StringWidth(count) - 2; left >= 12 {
				room = left
			} else {
				count = ""
			}
		}
		text = ansi.Truncate(text, max(room, 1), "…")
		switch {
		case tasks[i].Done:
			mark, text = s.OK.Render("✓"), s.Muted.Render(text)
		case live && i == current:
			mark, text = s.Accent.Render("▸"), s.Bold.Render(text)
		case !live:
			text = s.Muted.Render(text)
		}
		line := mark + " " + text
		if count != "" {
			line = phrase.Spread(line, s.Muted.Render(count), width)
		}
		out = append(out, line)
	}
	if more := len(tasks) - to; more > 0 && len(out) < limit {
		out = append(out, s.Muted.Render(ansi.Truncate(fmt.Sprintf("… %d more", more), width, "")))
	}
	return clip(out, width)
}

// TaskWindow says which steps are shown in limit lines: all where they fit; else from the
// current one on (from the first where all are done), with as much of what is done before it as
// there is room for, and a line left for the number of those that come after.
func TaskWindow(tasks []Task, limit int) (from, to int) {
	n := len(tasks)
	limit = max(limit, 0)
	if n <= limit {
		return 0, n
	}
	current := firstOpen(tasks) % n
	if n-current <= limit { // the end of the list
		return n - limit, n
	}
	return current, current + max(limit-1, min(limit, 1))
}

// firstOpen is the first step that is not done; the number of steps when all are.
func firstOpen(tasks []Task) int {
	if i := slices.IndexFunc(tasks, func(t Task) bool { return !t.Done }); i >= 0 {
		return i
	}
	return len(tasks)
}

func countDone(tasks []Task) int {
	n := 0
	for _, t := range tasks {
		if t.Done {
			n++
		}
	}
	return n
}
