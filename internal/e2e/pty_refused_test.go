package e2e

import (
	"testing"

	"chatvault/internal/llmtest"
)

// The screen says, before and after a message is sent, that a private note is left out; that an answer was refused, and
// what to do; and how to add an MCP server if there is none.
func TestChatReportsExcludedFiles(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t, llmtest.Say(llmtest.Finish("content_filter"), llmtest.Expect(`body not contains "my secret"`)))
	c := openChat(t, chatOptions{server: srv, width: 120, notes: map[string]string{
		"Home.md": "# Home\n", "Diary/May.md": "my secret\n", ".smarthole/config.toml": "private = [\"Diary/**\"]\n",
	}})
	c.Send("read @Diary/May.md now")
	c.WaitFor("✗ Diary/May.md: it is private", patience)
	c.Send("\r")
	c.WaitFor("“Diary/May.md” was not attached: it is private", patience)
	c.WaitFor("content filter stopped the answer. Rephrase the message", patience)
	c.send("/mcp")
	c.WaitFor("Add one as a table [mcp.NAME]", patience)
}
