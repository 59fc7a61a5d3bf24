package stress

import (
	"fmt"
	"testing"

	"chatvault/internal/llmtest"
)

// effect is something that a message has done to the vault, exactly once.
type effect struct {
	name  string // of the effect; the message begins with it
	tool  string
	args  map[string]any
	notes map[string]string // beforehand
}

// linked are notes with a link each to Projects/a.md.
func linked() map[string]string {
	notes := map[string]string{"Projects/a.md": "I am [[a]] myself\n"}
	for i := range 6 {
		notes[fmt.Sprintf("Notes/n%d.md", i)] = fmt.Sprintf("note %d: [[Projects/a]]\n", i)
	}
	return notes
}

var effects = []effect{
	{
		"append", "append_file",
		map[string]any{"path": "log.md", "content": "- entry"},
		map[string]string{"log.md": "# Log\n"},
	},
	{
		"create", "write_file",
		map[string]any{"path": "made/new.md", "content": numbered(400)},
		map[string]string{"Home.md": "# Home\n"},
	},
	{
		"edit", "edit_file",
		map[string]any{"path": "list.md", "insert_after_line": 1, "content": "- inserted"},
		map[string]string{"list.md": "# List\n- first\n"},
	},
	{
		"move", "move_file",
		map[string]any{"source": "Projects/a.md", "destination": "Archive/2026/b.md"},
		linked(),
	},
	{
		"delete", "delete_file",
		map[string]any{"path": "Old", "recursive": true},
		map[string]string{"Old/a.md": "a\n", "Old/sub/b.md": "b\n", ".obsidian/app.json": `{"trashOption":"local"}`},
	},
}

// numbered is n lines, none like another.
func numbered(n int) string {
	text := ""
	for i := range n {
		text += fmt.Sprintf("line %d of %d, which says %x\n", i, n, i*i*7919)
	}
	return text
}

// model is a scripted model that does what a message begins with, and then says so, after what
// else it is to do.
func model(t testing.TB, steps ...llmtest.Step) *llmtest.Server {
	t.Helper()
	for _, e := range effects {
		steps = append(steps, llmtest.Say(
			llmtest.Call(e.tool, e.args), llmtest.When(`user matches "(?m)^`+e.name+`:"`), llmtest.When("no result yet"), llmtest.Forever()))
	}
	steps = append(steps, llmtest.Reply("It is done.", llmtest.Forever()))
	return llmtest.New(t, steps...)
}
