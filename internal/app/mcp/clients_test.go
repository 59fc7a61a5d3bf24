package mcp

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
)

// TestClientEntries: each entry is valid in its file's format, and contains the command with its arguments.
func TestClientEntries(t *testing.T) {
	for _, c := range clients {
		entry, err := c.Entry("/opt/chat & vault", []string{"mcp", "--vault", "/n \"q\""})
		var got map[string]any
		switch {
		case err != nil:
		case strings.HasSuffix(c.File(), ".toml"):
			err = toml.Unmarshal([]byte(entry), &got)
		default:
			err = json.Unmarshal([]byte(entry), &got)
		}
		again, _ := json.Marshal(got)
		want := `"/opt/chat \u0026 vault"`
		if err != nil || !strings.Contains(string(again), want) || !strings.Contains(string(again), `"chatvault":{`) || !strings.Contains(string(again), `"/n \"q\""]`) {
			t.Errorf("%s: %s, %v", c.Name, entry, err)
		}
	}
	claude, _ := FindClient("claude-code")
	if entry, _ := claude.Entry("/c&v", []string{"mcp"}); entry != "{\n  \"mcpServers\": {\n    \"chatvault\": {\n      \"type\": \"stdio\",\n      \"command\": \"/c&v\",\n      \"args\": [\n        \"mcp\"\n      ]\n    }\n  }\n}\n" {
		t.Errorf("%s", entry)
	}
}

// TestEntryForms: each entry has the form that the program reads. bench/clients starts six of them with it; the forms of the
// others are from their documentation.
func TestEntryForms(t *testing.T) {
	const stdio, plain = `{"args":["mcp"],"command":"cv","type":"stdio"}`, `{"args":["mcp"],"command":"cv"}`
	forms := map[string]string{
		"claude-code":    `{"mcpServers":{"chatvault":` + stdio + `}}`,
		"claude-desktop": `{"mcpServers":{"chatvault":` + plain + `}}`,
		"codex":          `{"mcp_servers":{"chatvault":` + plain + `}}`,
		"crush":          `{"mcp":{"chatvault":` + stdio + `}}`,
		"cursor":         `{"mcpServers":{"chatvault":` + plain + `}}`,
		"gemini-cli":     `{"mcpServers":{"chatvault":` + plain + `}}`,
		"opencode":       `{"mcp":{"chatvault":{"command":["cv","mcp"],"enabled":true,"type":"local"}}}`,
		"qwen-code":      `{"mcpServers":{"chatvault":` + plain + `}}`,
		"vscode":         `{"servers":{"chatvault":` + stdio + `}}`,
		"zed":            `{"context_servers":{"chatvault":` + plain + `}}`,
	}
	for _, c := range clients {
		entry, err := c.Entry("cv", []string{"mcp"})
		var got map[string]any
		if err == nil && c.key == "" {
			err = toml.Unmarshal([]byte(entry), &got)
		} else if err == nil {
			err = json.Unmarshal([]byte(entry), &got)
		}
		if data, _ := json.Marshal(got); err != nil || string(data) != forms[c.Name] {
			t.Errorf("%s: %s, %v", c.Name, data, err)
		}
	}
	if len(clients) != len(forms) {
		t.Errorf("%d clients, %d forms", len(clients), len(forms))
	}
}

func TestCodexEntry(t *testing.T) {
	c, err := FindClient("codex")
	if err != nil {
		t.Fatal(err)
	}
	entry, err := c.Entry(`C:\x "y"`, []string{"mcp", "é\x7f"})
	var got struct {
		Servers map[string]struct {
			Command string
			Args    []string
		} `toml:"mcp_servers"`
	}
	if err == nil {
		err = toml.Unmarshal([]byte(entry), &got)
	}
	if s := got.Servers["chatvault"]; err != nil || s.Command != `C:\x "y"` || s.Args[1] != "é\x7f" {
		t.Errorf("%s: %v", entry, err)
	}
	if _, err := FindClient("gemini"); err == nil || !strings.Contains(err.Error(), "gemini-cli") {
		t.Errorf("%v", err)
	}
}
