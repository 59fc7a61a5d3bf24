package e2e

import (
	"strings"
	"testing"
	"time"

	"chatvault/internal/llmtest"
)

// If a key is asked for while a message is being typed, letters go into the message until the person moves into the
// field.
func TestKeyPromptDoesNotTakeADraftsLetters(t *testing.T) {
	t.Parallel()
	open := make(chan struct{})
	c := openChat(t, chatOptions{server: llmtest.New(t,
		llmtest.ToolCall("read_file", map[string]any{"path": "Home.md"}, llmtest.Gate(open)),
		llmtest.Fail(401, `{"error":{"message":"Incorrect API key provided"}}`),
		llmtest.Reply("Your home note."),
	)})
	c.send("what is in my home note?")
	c.Type("and the ")
	c.WaitFor("› and the", patience)
	close(open)
	c.WaitFor("A key is needed", patience)
	time.Sleep(settled)
	c.Type("plums 12")
	if screen := c.WaitFor("› and the plums 12", patience); strings.Contains(screen, "•") {
		t.Errorf("the field took a letter:\n%s", screen)
	}
	c.Press("tab")
	c.Type("sk-1234567")
	c.WaitFor(strings.Repeat("•", 10), patience)
	c.Press("enter")
	c.WaitFor("Your home note.", patience)
	c.WaitFor("› and the plums 12", patience)
	c.Kill()
}

// The letters of a message neither allow nor deny. The approval shows its letters once they are accepted.
func TestApprovalDoesNotTakeADraftsLetters(t *testing.T) {
	t.Parallel()
	open := make(chan struct{})
	c := openChat(t, chatOptions{
		server: llmtest.New(t, edit("Home.md", "Home", "House", llmtest.Gate(open)), llmtest.Reply("It is a house.")),
		env:    []string{"CHATVAULT_APPROVAL=writes"},
	})
	c.send("rename it")
	c.Type("ma")
	c.WaitFor("› ma", patience)
	close(open)
	c.WaitFor("Allow once", patience)
	time.Sleep(settled)
	c.Type("yan 1")
	if screen := c.WaitFor("› mayan 1", patience); strings.Contains(screen, "(y)") || !strings.Contains(screen, "Allow once") {
		t.Errorf("it shows\n%s", screen)
	}
	c.Press("up")
	c.WaitFor("Allow once (y)", patience)
	c.Type("y")
	c.WaitFor("It is a house.", patience)
	c.WaitFor("› mayan 1", patience)
	c.Kill()
}
