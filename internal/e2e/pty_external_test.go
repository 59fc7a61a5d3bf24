package e2e

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"chatvault/internal/llmtest"
)

// A note that another program saves during a turn is shown as changed, once. The agent is told, and its edit of the old
// version is rejected.
func TestChatExternalEdit(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t,
		llmtest.ToolCall("read_file", map[string]any{"path": "Home.md"}),
		llmtest.Say(llmtest.Text("Looking."), llmtest.Flush(), llmtest.Delay(3*time.Second),
			llmtest.Call("edit_file", map[string]any{"path": "Home.md", "insert_after_line": 1, "content": "mine"})),
		llmtest.Reply("It is yours now.", llmtest.Expect(`tool result contains "changed on disk since you last read it"`),
			llmtest.Expect(`tool result contains "was changed on disk, not by you, since you read it"`)),
	)
	c := openChat(t, chatOptions{server: srv, notes: map[string]string{"Home.md": "# Home\nred\n", "Other.md": "x\n"}})
	c.send("add a line")
	c.WaitFor("Looking.", patience)
	for name, text := range map[string]string{"Other.md": "not read\n", "Home.md": "# Home\ntheirs\n"} {
		if err := os.WriteFile(filepath.Join(c.vault, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	screen := c.WaitFor("Home.md changed on disk.", patience)
	if n := len(srv.Requests()); n != 2 {
		t.Errorf("it is shown after %d model calls:\n%s", n, screen)
	}
	c.WaitFor("It is yours now.", patience)
	if got := c.note(t, "Home.md"); got != "# Home\ntheirs\n" {
		t.Errorf("the note is %q", got)
	}
	c.quit(t)
}
