//go:build linux

package stress

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"chatvault/internal/llmtest"
)

// TestStalledTerminal: where the terminal takes no more output, keys still count, Esc stops the turn,
// and SIGTERM ends the chat although the terminal cannot be told; what was written is back at the next
// start.
func TestStalledTerminal(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t, llmtest.Say(llmtest.Text("I have begun"), llmtest.Flush(), llmtest.Hang(), llmtest.Forever()))
	h := newHome(t, scratch(t), binary(t), srv, map[string]string{"Home.md": "# Home\n"})
	c := h.open(t)
	c.send("the first message")
	c.WaitFor("I have begun", patience)
	goOn := c.Stall()
	for range 40 { // more than the terminal's buffer takes
		c.Press("ctrl+l")
		time.Sleep(20 * time.Millisecond)
	}
	c.Press("ctrl+y", "esc") // the first has something to tell the terminal
	if !srv.AwaitGone(0, patience) {
		t.Error("the turn was not stopped")
	}
	c.Type("half a thought")
	h.saved(t, "half a thought")
	c.Signal(syscall.SIGTERM)
	for begun := time.Now(); !over(c.PID()); time.Sleep(50 * time.Millisecond) {
		if time.Since(begun) > patience {
			t.Fatal("SIGTERM does not end it")
		}
	}
	goOn()
	c.Wait(patience)
	c = h.start(t)
	c.WaitFor("half a thought", patience)
}

// over says whether a process has ended, though nobody has asked for its status.
func over(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return true
	}
	_, after, _ := bytes.Cut(stat, []byte(") "))
	return strings.HasPrefix(string(after), "Z")
}
