package e2e

import (
	"strings"
	"testing"

	"chatvault/internal/llmtest"
)

// TestAskBesideAChatThatAsks: a chat that waits for its user's consent keeps no other process waiting; what it
// asked about is done when the answer comes.
func TestAskBesideAChatThatAsks(t *testing.T) {
	t.Parallel()
	h := newAskHome(t, map[string]string{"Home.md": "# Home\nred\n"})
	srv := llmtest.New(t, edit("Home.md", "red", "blue"), llmtest.Reply("It is blue."))
	x := h.run(t, srv, []string{"CHATVAULT_APPROVAL=writes"})
	x.WaitFor("Enter sends", patience)
	x.Type("make it blue")
	x.Press("enter")
	x.WaitFor("› Allow once", patience)

	beside := llmtest.New(t, llmtest.ToolCall("write_file", map[string]any{"path": "New.md", "content": "new\n"}), llmtest.Reply("New is written."))
	cmd := command(t, h.vault, append(provider(beside), "XDG_STATE_HOME="+h.dir+"/s"), "ask", "write New")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "New is written.") || strings.Contains(string(out), "Waiting for another") {
		t.Errorf("%v: %s", err, out)
	}
	if got := h.note(t, "New.md"); got != "new\n" {
		t.Errorf("the note is %q", got)
	}
	x.Press("enter") // the first choice: allow it
	x.WaitFor("It is blue.", patience)
	if got := h.note(t, "Home.md"); got != "# Home\nblue\n" {
		t.Errorf("the note is %q", got)
	}
	x.Press("ctrl+c", "ctrl+c")
	x.Wait(patience)
}
