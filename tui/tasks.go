package tui

import (
	"chatvault/agent/event"
	"chatvault/tui/chat"
)

// maxTasks is how many lines the pinned task list takes.
const maxTasks = 6

// taskLimit is how many lines of the task list a screen of the given height has room for: none
// on a tiny one.
func taskLimit(height int) int {
	switch {
	case height < 12:
		return 0
	case height < 20:
		return maxTasks / 2
	}
	return maxTasks
}

// listed notes the agent's steps as they are now.
func (m *Model) listed(e event.TaskList) {
	m.turn.tasks = make([]chat.Task, len(e.Items))
	for i, it := range e.Items {
		m.turn.tasks[i] = chat.Task{Text: it.Text, Done: it.Done}
	}
}

// taskLines is the list while its turn runs.
func (m *Model) taskLines(width int) []string {
	if limit := taskLimit(m.height); limit > 0 {
		return chat.TaskLines(m.env, m.turn.tasks, width, limit, true)
	}
	return nil
}

// unpin leaves the list in the transcript as its turn ended with it.
func (m *Model) unpin() {
	if len(m.turn.tasks) > 0 {
		m.say(chat.NewTasks(m.env, m.turn.tasks))
		m.turn.tasks = nil
	}
}
