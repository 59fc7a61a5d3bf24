package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chatvault/internal/llmtest"
)

// TestChatBranches edits an earlier message. What followed becomes a branch; its changes to the vault stay, which the
// chat says; the model gets nothing of it. The branch can be viewed and returned to, also after a restart.
func TestChatBranches(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t,
		llmtest.Reply("A tart needs six nectarines."),
		llmtest.ToolCall("write_file", map[string]any{"path": "Tart.md", "content": "Bake it on Sunday."}),
		llmtest.Reply("It is written for Sunday."),
		llmtest.Reply("Plums it is, then."),
		llmtest.Reply("And almonds."),
	)
	home := t.TempDir()
	vault := filepath.Join(home, "Notes")
	if err := os.MkdirAll(vault, 0o755); err != nil {
		t.Fatal(err)
	}
	o := chatOptions{server: srv, width: 80, height: 30}
	c := reopenChat(t, o, home, vault)
	idle := func(said string) string {
		return c.WaitUntil("the end of the turn after "+said, patience, func(s string) bool {
			return strings.Contains(s, said) && strings.Contains(s, "Enter sends ·")
		})
	}
	c.send("what does a tart need?")
	idle("six nectarines.")
	c.send("write it down for Sunday")
	idle("written for Sunday.")

	c.send("/edit")
	c.WaitFor("Edit an earlier message", patience)
	c.Press("enter")
	c.WaitFor("Enter to send as a new branch", patience)
	c.Press("ctrl+u")
	c.send("make it plums")
	screen := idle("Plums it is, then.")
	for _, want := range []string{"six nectarines.", "1 turn archived", "are not undone", "Created Tart.md", "make it plums"} {
		if !strings.Contains(screen, want) {
			t.Errorf("%q is missing:\n%s", want, screen)
		}
	}
	if strings.Contains(screen, "written for Sunday.") {
		t.Errorf("what was archived is still shown:\n%s", screen)
	}
	if _, err := os.Stat(filepath.Join(vault, "Tart.md")); err != nil {
		t.Error("the note is gone with the branch")
	}
	requests := srv.Requests()
	if last := string(requests[len(requests)-1].Body); strings.Contains(last, "for Sunday") || !strings.Contains(last, "six nectarines") {
		t.Errorf("the model was sent\n%s", last)
	}

	c.send("/branches")
	c.WaitFor("● make it plums", patience)
	c.Press("down")
	c.Press("enter")
	c.WaitFor("written for Sunday.", patience)
	c.Press("enter")
	c.WaitFor("Switched to another branch", patience)
	c.quit(t)

	c = reopenChat(t, o, home, vault)
	screen = c.WaitFor("written for Sunday.", patience)
	if strings.Contains(screen, "plums") {
		t.Errorf("the other branch is shown:\n%s", screen)
	}
	c.send("what else?")
	c.WaitFor("And almonds.", patience)
	requests = srv.Requests()
	if last := string(requests[len(requests)-1].Body); strings.Contains(last, "plums") || !strings.Contains(last, "for Sunday") {
		t.Errorf("the model was sent\n%s", last)
	}
	c.quit(t)
}
