package e2e

import (
	"fmt"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"chatvault/internal/llmtest"
)

// all is the scrollback and the screen.
func (c chat) all() string { return c.Scrollback() + "\n" + c.Screen() }

// Without the alternate screen the conversation ends in the scrollback: each thing once and in
// order, a long answer block by block as it comes, whatever becomes of the window; and a clean
// prompt after it.
func TestChatInline(t *testing.T) {
	t.Parallel()
	var long []string
	for i := range 40 {
		long = append(long, fmt.Sprintf("Paragraph %02d says nothing but its number.", i))
	}
	half := len(long) / 2
	srv := llmtest.New(t,
		llmtest.Say(llmtest.Text(strings.Join(long[:half], "\n\n")+"\n\nand"), llmtest.Flush(), llmtest.Hang()),
		llmtest.Reply(strings.Join(long[half:], "\n\n")),
	)
	c := openChat(t, chatOptions{server: srv, env: []string{"CHATVAULT_ALT_SCREEN=false"}})
	if c.IsAltScreen() {
		t.Error("the alternate screen is shown")
	}
	c.send("tell me all")
	c.WaitFor("Paragraph 19", patience)
	c.WaitUntil("the beginning of the answer in the scrollback while it comes", patience, func(string) bool {
		return strings.Contains(c.Scrollback(), "Paragraph 00")
	})
	for _, size := range [][2]int{{60, 24}, {100, 20}, {80, 24}} {
		c.Resize(size[0], size[1])
		c.WaitUntil("the new size", patience, func(s string) bool {
			return strings.Contains(s, strings.Repeat("─", size[0]-8)) && !strings.Contains(s, strings.Repeat("─", size[0]))
		})
	}
	c.Press("esc")
	c.WaitFor("Stopped", patience)

	c.Press("f1")
	c.WaitFor("take back the last queued", patience)
	c.Press("esc")
	c.WaitGone("take back the last queued", patience)
	c.Press("pgup") // what was printed can be looked at in place
	c.WaitFor("more below", patience)
	c.Press("end")
	c.WaitGone("more below", patience)

	c.send("go on")
	c.WaitFor("Paragraph 39", patience)
	c.WaitFor("Enter sends", patience)
	c.Type("/quit")
	c.Press("enter")
	if code := c.Wait(patience); code != 0 {
		t.Errorf("exit status %d", code)
	}
	all := c.all()
	at := 0
	said := append([]string{"◆ Notes · ", "tell me all"}, long[:half]...)
	said = append(append(said, "Stopped", "go on"), long[half:]...)
	for _, want := range said {
		if n := strings.Count(all, want); n != 1 {
			t.Fatalf("%q stands there %d times:\n%s", want, n, all)
		}
		next := strings.Index(all[at:], want)
		if next < 0 {
			t.Fatalf("%q does not come after what was said before it:\n%s", want, all)
		}
		at += next
	}
	if regexp.MustCompile(`Ask about your notes|Enter sends|Esc stops|─────`).MatchString(all) {
		t.Errorf("something of the live part is left:\n%s", all)
	}
	if column, _, visible := c.Cursor(); column != 0 || !visible {
		t.Errorf("the cursor is left in column %d, visible %v", column, visible)
	}
	if left := c.LeftBehind(); len(left) > 0 {
		t.Errorf("left behind in the terminal: %v", left)
	}
}

// An attempt that fails was printed already: the print says so, and the answer follows. Ctrl+Z
// leaves the shell a clean screen, and a signal what was said.
func TestChatInlineInterrupted(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t,
		llmtest.Say(llmtest.Text("A first try.\n\nMore of it.\n\nAnd"), llmtest.Flush(), llmtest.Cut()),
		llmtest.Say(llmtest.Text("The second try.\n\nOne block. "), llmtest.Flush(), llmtest.Hang()),
	)
	c := openChat(t, chatOptions{server: srv, env: []string{"CHATVAULT_ALT_SCREEN=false"}})
	c.send("hello")
	c.WaitFor("One block.", patience)
	c.Signal(syscall.SIGTERM)
	c.Wait(patience)
	all := c.all()
	void, second := strings.Index(all, "disregard what it wrote"), strings.Index(all, "The second try.")
	if first := strings.Index(all, "A first try."); first >= 0 && (void < first || second < void) || second < 0 || !strings.Contains(all, "One block.") {
		t.Errorf("first try, that it is void, and the second one:\n%s", all)
	}
	if left := c.LeftBehind(); len(left) > 0 {
		t.Errorf("left behind in the terminal: %v", left)
	}
}
