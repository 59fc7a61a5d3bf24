package e2e

import (
	"strings"
	"syscall"
	"testing"

	"chatvault/internal/llmtest"
)

// A person who looks elsewhere gets a notification if the terminal supports it, and the window title shows the state.
// Nothing of that remains at the end, even after a signal.
func TestChatNotifications(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t,
		llmtest.Reply("Fine."), llmtest.Reply("Fine too."),
		llmtest.ToolCall("send_message", map[string]any{"message": "Which \u202e bed?", "is_question": true}),
		llmtest.Say(llmtest.Text("Well"), llmtest.Flush(), llmtest.Hang()),
	)
	c := openChat(t, chatOptions{server: srv, env: []string{"TERM_PROGRAM=ghostty", "TERM_PROGRAM_VERSION=1.2.0"}})
	wrote := func(what string) {
		t.Helper()
		c.WaitUntil(what, patience, func(string) bool { return strings.Contains(string(c.Raw()), what) })
	}
	titled := func(want string) {
		t.Helper()
		c.WaitUntil("the title "+want, patience, func(string) bool {
			all := c.Titles()
			return len(all) > 0 && all[len(all)-1] == want
		})
	}
	c.WaitUntil("the request for the focus, after the first frame", patience, func(string) bool { return c.HasMode(1004) })
	titled("Notes · chatvault")
	c.send("one")
	c.WaitFor("Fine.", patience)
	titled("Notes · chatvault")

	c.Send("\x1b[O") // the focus goes
	c.send("two")
	c.WaitFor("Fine too.", patience)
	wrote("\x1b]9;chatvault: Done")
	if n := strings.Count(string(c.Raw()), "\x1b]9;chatvault:"); n != 1 {
		t.Errorf("told %d times: the first time the terminal had not said that the focus is elsewhere", n)
	}
	c.Send("\x1b[I")

	c.send("three")
	c.WaitFor("bed?", patience)
	titled("? Notes · chatvault")

	c.send("four")
	c.WaitFor("Well", patience)
	titled("… Notes · chatvault")
	c.Signal(syscall.SIGTERM)
	c.Wait(patience)
	raw := string(c.Raw())
	if strings.Count(raw, "\x1b[22;0t") != 1 || strings.Count(raw, "\x1b]2;\a\x1b[23;0t") != 1 {
		t.Error("the title is not put back")
	}
	if left := c.LeftBehind(); len(left) > 0 {
		t.Errorf("left behind in the terminal: %v", left)
	}
	if n := strings.Count(string(c.Raw()), "\x1b]9;chatvault:"); n != 1 {
		t.Errorf("told %d times", n)
	}
}
