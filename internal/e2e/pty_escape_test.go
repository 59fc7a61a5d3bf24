package e2e

import (
	"strings"
	"testing"

	"chatvault/internal/llmtest"
)

// Esc closes the innermost thing, one at a time, and stops the turn last. Queued messages stay.
func TestChatEscInnermostFirst(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t,
		llmtest.Say(llmtest.Text("Three things "), llmtest.Flush(), llmtest.Hang()),
		llmtest.Reply("Then the queued one."),
	)
	c := openChat(t, chatOptions{server: srv, notes: map[string]string{"Plum jam.md": "# Plum jam\n"}})
	c.send("what matters?")
	c.WaitFor("Three things", patience)
	c.Type("and the queued one")
	c.Press("tab")
	c.WaitFor("next turn", patience)

	c.Press("ctrl+up")
	c.WaitFor("Esc back", patience)
	c.Press("ctrl+f")
	c.WaitFor("Find", patience)
	c.Press("f1")
	c.WaitFor("While you write", patience)
	c.Press("esc")
	c.WaitGone("While you write", patience)
	c.WaitFor("Find", patience)
	c.Press("esc")
	c.WaitGone("Find", patience)
	c.WaitFor("Esc back", patience)
	c.Press("esc")
	c.WaitGone("Esc back", patience)
	c.Type("see [[Plu")
	c.WaitUntil("what is offered", patience, func(s string) bool { return strings.Count(s, "Plum jam") > 0 })
	c.Press("esc")
	c.WaitGone("Plum jam", patience)
	if s := c.Screen(); !strings.Contains(s, "see [[Plu") || strings.Contains(s, "Stopp") {
		t.Errorf("more than the completion was closed:\n%s", s)
	}
	c.Press("esc")
	c.WaitFor("Stopped", patience)
	c.WaitFor("Then the queued one.", patience)
	if n := len(srv.Requests()); n != 2 {
		t.Errorf("%d model calls: the turn was stopped more than once, or earlier", n)
	}
	c.WaitFor("see [[Plu", patience)
	c.Press("ctrl+c")
	c.WaitGone("see [[Plu", patience)
	c.send("/edit")
	c.WaitFor("Edit an earlier message", patience)
	c.Press("enter")
	c.WaitFor("Editing", patience)
	c.Press("esc")
	c.WaitGone("Editing", patience)
	c.quit(t)
}
