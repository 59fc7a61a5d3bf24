package e2e

import (
	"strings"
	"testing"

	"chatvault/internal/llmtest"
)

// With the keys of vi a message is written, edited with commands and sent; Esc stops a turn from insert mode.
func TestChatVi(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t, llmtest.Reply("The first answer."), llmtest.Say(llmtest.Hang()))
	c := openChat(t, chatOptions{server: srv, notes: recipes(), env: []string{"CHATVAULT_KEYS=vi"}})

	c.Type("what about the the tart and plums")
	c.WaitFor("insert", patience)
	c.Press("esc")
	c.WaitFor("normal", patience)
	c.Type("0wwdw")
	c.WaitFor("› what about the tart and plums", patience)
	c.Type("$bcwfigs")
	c.Press("esc")
	c.Type("0~")
	c.WaitFor("› What about the tart and figs", patience)
	c.Press("enter")
	c.idle(t, "The first answer.")
	if body := string(srv.Requests()[0].Body); !strings.Contains(body, "What about the tart and figs") {
		t.Errorf("sent: %.500s", body)
	}

	c.Type("/figs")
	c.WaitFor("Find › figs", patience)
	c.Press("enter", "esc")
	c.Type("imore")
	c.Press("enter")
	c.WaitFor("Esc stops", patience)
	c.Press("esc")
	c.WaitFor("Stopped", patience)
	c.WaitFor("normal", patience)
}
