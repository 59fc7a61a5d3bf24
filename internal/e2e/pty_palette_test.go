package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chatvault/internal/llmtest"
)

// The palette finds and runs commands. A command of the vault asks for its arguments and sends its text. A changed file
// applies without a restart. Rebound keys work. /export and /cost print their results.
func TestPalette(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t,
		llmtest.Reply("Plums it is.", llmtest.Expect(`user contains "What of plums?"`)),
		llmtest.Reply("Jam it is.", llmtest.Expect(`user contains "How is jam made?"`)),
	)
	o := chatOptions{server: srv}
	c := openChat(t, chatOptions{server: srv, notes: map[string]string{
		"Home.md":                       "# Home\n",
		".smarthole/commands/weekly.md": "---\ndescription: Sum up the week\narguments: [topic]\n---\nWhat of {{topic}}?\n",
		".smarthole/commands/broken.md": "---\nno: such key\n---\nHello\n",
		"../c/chatvault/config.toml":    "[keys]\npalette = \"f5\"\nsearch = \"ctrl+p\"\n",
	}})
	// Commands that came with the vault do not exist before consent.
	c.WaitFor("is not used until you agree", patience)
	c.agreeToAll()
	c = c.restart(t, o)
	c.WaitFor("broken.md is not a command", patience)
	c.Press("f5")
	c.WaitFor("/help", patience)
	c.Type("wkly")
	c.WaitUntil("the palette narrowed", patience, func(s string) bool {
		return strings.Contains(s, "/weekly TOPIC") && strings.Contains(s, "Sum up the week") && !strings.Contains(s, "/help")
	})
	c.Press("enter")
	c.WaitFor("› /weekly", patience)
	c.Type("plums")
	c.Press("enter")
	c.WaitFor("Plums it is.", patience)
	c.WaitFor("What of plums?", patience)
	c.WaitFor("Enter sends", patience)

	// The file changes.
	file := filepath.Join(c.vault, ".smarthole", "commands", "weekly.md")
	if err := os.WriteFile(file, []byte("How is $ARGUMENTS made?\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c.agreeToAll()
	c.Type("/weekly jam ") // the space closes what is offered
	c.Press("enter")
	c.WaitFor("Jam it is.", patience)
	c.WaitFor("Enter sends", patience)

	c.Press("f5")
	c.WaitFor("Commands", patience)
	c.Type("cost")
	c.WaitUntil("the palette narrowed", patience, func(s string) bool { return !strings.Contains(s, "/help") })
	c.Press("enter")
	c.WaitFor("Tokens sent", patience)
	c.Press("esc")
	c.WaitGone("Tokens sent", patience)

	c.Type("/export talk.json ")
	c.Press("enter")
	c.WaitFor("talk.json", patience)
	c.WaitFor("The conversation is in", patience)
	data, err := os.ReadFile(filepath.Join(filepath.Dir(c.vault), "talk.json"))
	if err != nil || !strings.Contains(string(data), "How is jam made?") {
		t.Errorf("exported %q, %v", data, err)
	}
	c.Type("/export talk.json ")
	c.Press("enter")
	c.WaitFor("already exists", patience)
	c.quit(t)
}
