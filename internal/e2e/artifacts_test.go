package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chatvault/internal/llmtest"
)

// trees is a table that is large enough to be a thing of its own.
var trees = "| tree | age |\n|---|---|\n" + strings.Repeat("| oak | 90 |\n", 20)

// TestChatArtifacts: what an answer brings is told of with its file, also after a new start.
func TestChatArtifacts(t *testing.T) {
	t.Parallel()
	o := chatOptions{server: llmtest.New(t, llmtest.Reply("# Trees\n\n"+trees+"\nThat is all.")), notes: map[string]string{"Home.md": "# Home\n"}}
	c := openChat(t, o)
	c.send("list the trees")
	c.WaitFor("Artifact: Trees.md (text/plain, ", patience)
	c = c.restart(t, o)
	c.WaitFor("Artifact: Trees.md (text/plain, ", patience)
	files, err := filepath.Glob(filepath.Join(c.state(), "artifacts", "*", "*", "Trees.md"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if data, err := os.ReadFile(files[0]); string(data) != trees {
		t.Errorf("%q, %v", data, err)
	}
	c.quit(t)
}

// TestACPArtifacts: an editor gets what an answer brings as a resource.
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
	e.leave()
}
