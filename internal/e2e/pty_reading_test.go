package e2e

import (
	"strings"
	"testing"
	"time"

	"chatvault/internal/llmtest"
)

// While llama.cpp reads the prompt, the status line shows its progress, and Esc stops it.
func TestChatShowsPromptProgress(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewWith(t, llmtest.Options{Endpoint: llmtest.EndpointOf("llama.cpp")},
		llmtest.Say(llmtest.Progress(0, 2900), llmtest.Delay(300*time.Millisecond), llmtest.Progress(1240, 2900), llmtest.Hang()),
		llmtest.Reply("Going on.", llmtest.Progress(2900, 2900)),
	)
	c := openChat(t, chatOptions{server: srv, notes: map[string]string{"Home.md": "# Home\nred\n"}})
	c.send("what colour is it?")
	c.WaitFor("Reading 0 of 2,900 tokens…", patience)
	c.WaitUntil("how far it is, and the way out", patience, func(s string) bool {
		return strings.Contains(s, "Reading 1,240 of 2,900 tokens…") && strings.Contains(s, "Esc stops")
	})
	c.Press("esc")
	c.WaitFor("Stopped", patience)
	c.WaitUntil("nothing is read", patience, func(s string) bool { return !strings.Contains(s, "Reading ") })
	if r := srv.Requests()[0]; r.Gone.IsZero() {
		t.Error("the request was not ended")
	}
	c.Press("ctrl+c")
	c.send("and now?")
	c.WaitFor("Going on.", patience)
	c.quit(t)
}
