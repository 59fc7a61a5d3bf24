package e2e

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"chatvault/internal/llmtest"
)

// The mode, the model and the effort are options. A model that is not listed can be used, and after the first message the
// provider's models are offered.
func TestACPOptions(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewWith(t, llmtest.Options{Models: []string{"test-model", "other-model"}}, llmtest.Reply("One."), llmtest.Reply("Two."))
	h := newAskHome(t, map[string]string{"Home.md": "# Home\n"})
	e := h.editor(t, editorWith{srv: srv})
	opened := e.call("session/new", map[string]any{"cwd": h.vault, "mcpServers": []any{}})
	session := fmt.Sprint(opened["sessionId"])
	first, _ := json.Marshal(opened["configOptions"])
	if !strings.Contains(string(first), `/test-model"`) || !strings.Contains(fmt.Sprint(opened["models"]), "test-model") {
		t.Errorf("options: %s, models: %v", first, opened["models"])
	}
	e.prompt(session, "one")
	e.until("the provider's models", func() bool {
		for _, u := range e.updates {
			if line, _ := json.Marshal(u); u["sessionUpdate"] == "config_option_update" && strings.Contains(string(line), "/other-model") {
				return true
			}
		}
		return false
	})
	e.call("session/set_model", map[string]any{"sessionId": session, "modelId": "unlisted-model"})
	e.prompt(session, "two")
	if got := string(srv.Requests()[1].Body); !strings.Contains(got, `"model":"unlisted-model"`) {
		t.Errorf("it asked %s", got)
	}
	if got := e.refused("session/set_config_option", map[string]any{"sessionId": session, "configId": "mode", "value": "sudo"}); got != "Mode can be ask, destructive, auto, plan, and not “sudo”" {
		t.Errorf("an unknown mode: %q", got)
	}
}

// A deleted session is gone, with its unfinished messages, also when it is open in this connection.
func TestACPDelete(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t, llmtest.Reply("One."), llmtest.Fail(401, "no"))
	h := newAskHome(t, map[string]string{"Home.md": "# Home\n"})
	e := h.editor(t, editorWith{srv: srv})
	session := e.open(h.vault)
	e.prompt(session, "one")
	_ = e.refused("session/prompt", said(session, "two"))
	e.call("session/delete", map[string]any{"sessionId": session})
	e.call("session/delete", map[string]any{"sessionId": session})
	if list := e.call("session/list", map[string]any{"cwd": h.vault})["sessions"].([]any); len(list) != 0 {
		t.Errorf("there is %v", list)
	}
	for _, pattern := range []string{"inbox/*.json", "conversations/" + session + "*"} {
		if left, err := filepath.Glob(filepath.Join(h.state(), filepath.FromSlash(pattern))); err != nil || len(left) != 0 {
			t.Errorf("left: %v, %v", left, err)
		}
	}
}

// A private note is private in every spelling of its URI: nothing of it is sent, not even its name.
func TestACPPrivateURIs(t *testing.T) {
	t.Parallel()
	h := newAskHome(t, map[string]string{"Home.md": "# Home\n", "Diary/Über.md": "my secret\n"})
	config := filepath.Join(h.dir, "c", "chatvault")
	if err := os.MkdirAll(config, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(config, "config.toml"), []byte("private = [\"Diary/**\"]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	note, link := filepath.Join(h.vault, "Diary", "Über.md"), filepath.Join(h.dir, "link.md")
	if err := os.Symlink(note, link); err != nil {
		t.Fatal(err)
	}
	var blocks []any
	uris := []string{
		"file://" + note, "file://" + norm.NFD.String(note), "FILE:" + note, note, "Diary/Über.md", "./diary/../DIARY/über.md", "file://" + link, "file://" + strings.ToUpper(h.vault) + "/diary/Über.md",
		"file://" + url.PathEscape(url.PathEscape(note)), "file://" + note + "%", "file://" + note + "?symbol=x#L1:2", "zed:///agent/file?path=" + url.QueryEscape(note), "zed:///agent/selection?path=Diary/Über.md#L1:2",
		"vscode://file" + note, "obsidian://open?vault=notes&file=Diary%2FÜber",
	}
	for _, uri := range uris {
		blocks = append(blocks, map[string]any{"type": "resource", "resource": map[string]any{"uri": uri, "text": "my secret"}}, map[string]any{"type": "resource_link", "name": "Über.md", "uri": uri})
	}
	blocks = append(blocks, map[string]any{"type": "resource_link", "name": "Home.md", "uri": "zed:///agent/file?path=" + url.QueryEscape(filepath.Join(h.vault, "Home.md"))})
	srv := llmtest.New(t, llmtest.Reply("Nothing.", llmtest.Expect(`all messages not contains "my secret"`), llmtest.Expect(`all messages not contains "ber.md"`), llmtest.Expect(`all messages contains "1: # Home"`)))
	e := h.editor(t, editorWith{srv: srv})
	if got := e.call("session/prompt", map[string]any{"sessionId": e.open(h.vault), "prompt": blocks}); got["stopReason"] != "end_turn" {
		t.Errorf("it stopped for %v", got)
	}
	if n := strings.Count(e.texts("agent_message_chunk"), "was not attached"); n != 2*len(uris) {
		t.Errorf("%d of %d were noticed:\n%s", n, 2*len(uris), e.texts("agent_message_chunk"))
	}
}
