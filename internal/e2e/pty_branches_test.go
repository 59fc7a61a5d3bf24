package e2e

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chatvault/internal/llmtest"
)

// TestChatUndoesAnAbandonedBranch edits an earlier message and undoes the changes of the turns after it, except for a
// note that was changed since.
func TestChatUndoesAnAbandonedBranch(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t,
		llmtest.ToolCall("write_file", map[string]any{"path": "Tart.md", "content": "Bake it on Sunday."}),
		llmtest.ToolCall("write_file", map[string]any{"path": "List.md", "content": "Nectarines"}),
		llmtest.Reply("It is written for Sunday."),
		llmtest.Reply("Plums it is, then."),
	)
	home := t.TempDir()
	vault := filepath.Join(home, "Notes")
	if err := os.MkdirAll(vault, 0o755); err != nil {
		t.Fatal(err)
	}
	c := reopenChat(t, chatOptions{server: srv, width: 100, height: 34}, home, vault)
	c.send("write it down for Sunday")
	c.WaitUntil("the end of the turn", patience, func(s string) bool {
		return strings.Contains(s, "written for Sunday.") && strings.Contains(s, "Enter sends ·")
	})
	if err := os.WriteFile(filepath.Join(vault, "List.md"), []byte("Plums, by hand"), 0o600); err != nil {
		t.Fatal(err)
	}
	c.send("/edit")
	c.WaitFor("Edit an earlier message", patience)
	c.Press("enter")
	c.WaitFor("Enter to send as a new branch", patience)
	c.Press("ctrl+u")
	c.send("make it plums")
	c.WaitFor("The turns you leave changed 2 notes. Undo that too?", patience)
	time.Sleep(600 * time.Millisecond) // it takes no key at first
	c.Press("up")
	c.WaitFor("› Undo it", patience)
	c.Press("enter")
	screen := c.WaitFor("Plums it is, then.", patience)
	for _, want := range []string{"1 turn archived", "Undone:", "Tart.md", "Unchanged:", "List.md"} {
		if !strings.Contains(screen, want) {
			t.Errorf("%q is missing:\n%s", want, screen)
		}
	}
	if _, err := os.Stat(filepath.Join(vault, "Tart.md")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the note is there still: %v", err)
	}
	if data, err := os.ReadFile(filepath.Join(vault, "List.md")); err != nil || string(data) != "Plums, by hand" {
		t.Errorf("%s %v", data, err)
	}
	c.quit(t)
}

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
	c.WaitFor("The turns you leave changed 1 note. Undo that too?", patience)
	c.WaitFor("› Keep the changes", patience)
	time.Sleep(600 * time.Millisecond) // it takes no key at first
	c.Press("enter")
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
