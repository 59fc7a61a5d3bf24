package e2e

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chatvault/internal/llmtest"
)

// Leaving the chat waits for a running background call, which costs the same if canceled, and says so. Titles that
// `ask` left are made when the chat opens.
func TestChatFinishesModelCalls(t *testing.T) {
	title := llmtest.When(`system contains "TITLE:"`)
	srv := llmtest.New(t,
		llmtest.Say(title, llmtest.Delay(3*time.Second), llmtest.Text("TITLE: The long ladder\nSUMMARY: It is in the shed.")),
		llmtest.Reply("In the shed."),
	)
	o := chatOptions{server: srv}
	c := openChat(t, o)
	c.send("Where is the ladder?")
	c.WaitFor("In the shed.", patience)
	c.send("/new")
	if !srv.AwaitRequests(2, patience) {
		t.Fatal("no title was asked for")
	}
	c.send("/quit")
	c.WaitFor("Finishing the title or review", patience)
	if code := c.Wait(patience); code != 0 {
		t.Errorf("exit status %d", code)
	}
	for _, r := range srv.AllRequests() {
		if !r.Gone.IsZero() {
			t.Error("a model call was cut by the end of the chat")
		}
	}
	c = reopenChat(t, o, filepath.Dir(c.vault), c.vault)
	c.send("/conversations")
	c.WaitUntil("the title", patience, func(s string) bool { return strings.Contains(s, "The long ladder") })
	c.Press("esc")
	c.quit(t)
}
