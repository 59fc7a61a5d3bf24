package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chatvault/internal/llmtest"
)

// The chat keeps the vault in memory, yet the next search finds what other programs changed during the turn.
func TestChatSearchSeesNewFiles(t *testing.T) {
	search := map[string]any{"pattern": "maidenhair", "context_lines": 0}
	srv := llmtest.New(t,
		llmtest.ToolCall("search_files", search),
		llmtest.Say(llmtest.Expect(`tool result contains "Home.md"`), llmtest.Text("Looking again."), llmtest.Flush(),
			llmtest.Delay(2*time.Second), llmtest.Call("search_files", search)),
		llmtest.Say(llmtest.Expect(`tool result contains "Ferns/New.md"`), llmtest.Expect(`tool result contains "Found 1 matching file"`),
			llmtest.Call("list_files", map[string]any{"pattern": "**/*.md"})),
		llmtest.Reply("It is in Ferns.", llmtest.Expect(`tool result contains "Ferns/New.md"`)),
	)
	c := openChat(t, chatOptions{server: srv, notes: map[string]string{"Home.md": "# Home\nA maidenhair fern.\n"}})
	log := filepath.Join(c.state(), "chatvault.log")
	for begin := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		if data, _ := os.ReadFile(log); strings.Contains(string(data), "index of the vault") {
			break
		}
		if time.Since(begin) > patience {
			t.Fatal("there is no index")
		}
	}
	c.send("where is the fern?")
	c.WaitFor("Looking again.", patience)
	for name, text := range map[string]string{"Ferns/New.md": "Maidenhair, again.\n", "Home.md": "# Home\n"} {
		name = filepath.Join(c.vault, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c.WaitFor("It is in Ferns.", patience)
	c.quit(t)
}
