package agent

import (
	"slices"

	"chatvault/agent/llm"
)

// Past is an earlier turn in a Task's History.
type Past struct {
	Turn     string // its id
	Messages int    // of History
	// Summary, where it is not empty, stands for that turn and all before it.
	Summary string
}

// systemLength counts the messages before the first turn.
func systemLength(history []llm.Message) int {
	n := slices.IndexFunc(history, func(m llm.Message) bool { return m.Role != llm.RoleSystem })
	if n < 0 {
		return len(history)
	}
	return n
}
