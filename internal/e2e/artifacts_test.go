package e2e

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chatvault/internal/llmtest"
)

// oak is a picture, and oakLink its data: URL.
var (
	oak     = "\x89PNG\r\n\x1a\n" + strings.Repeat("oak ", 100)
	oakLink = "![oak](data:image/png;base64," + base64.StdEncoding.EncodeToString([]byte(oak)) + ")"
)

// The chat shows the files that an answer comes with, also after a restart.
func TestChatArtifacts(t *testing.T) {
	t.Parallel()
	o := chatOptions{server: llmtest.New(t, llmtest.Reply("Here it is: "+oakLink+"\n\nThat is all.")), notes: map[string]string{"Home.md": "# Home\n"}}
	c := openChat(t, o)
	c.send("draw a tree")
	c.WaitFor("Artifact: picture.png (image/png, ", patience)
	c = c.restart(t, o)
	c.WaitFor("Artifact: picture.png (image/png, ", patience)
	files, err := filepath.Glob(filepath.Join(c.state(), "artifacts", "*", "*", "picture.png"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if data, err := os.ReadFile(files[0]); string(data) != oak {
		t.Errorf("%q, %v", data, err)
	}
	c.quit(t)
}

// An editor gets links to the files that an answer comes with.
func TestACPArtifacts(t *testing.T) {
	t.Parallel()
	h := newAskHome(t, map[string]string{"Home.md": "# Home\n"})
	e := h.editor(t, editorWith{srv: llmtest.New(t, llmtest.Reply("Here it is: "+oakLink))})
	session := e.open(h.vault)
	e.prompt(session, "draw a tree")
	e.hears("Artifact: picture.png (image/png, ")
	e.until("the link", func() bool {
		for _, u := range e.updates {
			content, _ := u["content"].(map[string]any)
			if uri, _ := content["uri"].(string); content["type"] == "resource_link" && content["name"] == "picture.png" && strings.HasPrefix(uri, "file:///") {
				return true
			}
		}
		return false
	})
	e.leave()
}
