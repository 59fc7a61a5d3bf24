package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chatvault/internal/llmtest"
)

// trees is a table that is large enough to be a thing of its own.
var trees = "| tree | age |\n|---|---|\n" + strings.Repeat("| oak | 90 |\n", 20)

// TestChatArtifacts: what an answer brings is told of and listed, also after a new start; Enter twice saves it
// into the vault, and /undo removes it again.
func TestChatArtifacts(t *testing.T) {
	t.Parallel()
	o := chatOptions{server: llmtest.New(t, llmtest.Reply("# Trees\n\n"+trees+"\nThat is all.")), notes: map[string]string{
		"Home.md": "# Home\n", ".obsidian/app.json": `{"newFileLocation":"folder","newFileFolderPath":"Lists"}`,
	}}
	c := openChat(t, o)
	c.send("list the trees")
	c.WaitFor("Artifact: Trees.md (text/plain, ", patience)
	c = c.restart(t, o)
	c.WaitFor("Artifact: Trees.md (text/plain, ", patience)
	c.send("/artifacts")
	c.WaitFor("Enter to look at it", patience)
	c.Press("enter")
	c.WaitFor("› Save it into the vault", patience)
	c.Press("enter")
	c.WaitFor("Saved as Lists/Trees.md · /undo removes it again", patience)
	saved := filepath.Join(c.vault, "Lists", "Trees.md")
	if data, err := os.ReadFile(saved); string(data) != trees {
		t.Errorf("%q, %v", data, err)
	}
	c.send("/undo")
	c.WaitFor("Removed Lists/Trees.md", patience)
	for limit := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(saved); err != nil {
			break
		} else if time.Now().After(limit) {
			t.Fatal("it is still there")
		}
	}
	c.quit(t)
}

// TestACPArtifacts: an editor gets what an answer brings as a resource, and has the command.
func TestACPArtifacts(t *testing.T) {
	t.Parallel()
	h := newAskHome(t, map[string]string{"Home.md": "# Home\n"})
	e := h.editor(t, editorWith{srv: llmtest.New(t, llmtest.Reply("# Trees\n\n"+trees))})
	session := e.open(h.vault)
	e.prompt(session, "list the trees")
	e.hears("Artifact: Trees.md (text/plain, ")
	e.until("the resource", func() bool {
		for _, u := range e.updates {
			content, _ := u["content"].(map[string]any)
			if r, _ := content["resource"].(map[string]any); content["type"] == "resource" && r["text"] == trees && r["mimeType"] == "text/plain" {
				return true
			}
		}
		return false
	})
	e.prompt(session, "/artifacts save 1")
	e.hears("Saved as Trees.md. /undo removes it again.")
	if data, err := os.ReadFile(filepath.Join(h.vault, "Trees.md")); string(data) != trees {
		t.Errorf("%q, %v", data, err)
	}
	e.leave()
}
