package mcp

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
)

// TestClientEntries: each entry is valid in its file's form, and has the command with its arguments.
func TestClientEntries(t *testing.T) {
	env := Env{Home: "/home/u", Config: "/home/u/.config", System: "linux", Getenv: func(string) string { return "" }}
	start := Start{Name: "my <notes>", Command: "/opt/chat & vault", Args: []string{"mcp", "--vault", "/n \"q\""}}
	for _, c := range clients {
		entry, err := c.Entry(start)
		var got map[string]any
		switch {
		case err != nil:
		case strings.HasSuffix(c.File(env), ".toml"):
			err = toml.Unmarshal([]byte(entry), &got)
		default:
			err = json.Unmarshal([]byte(entry), &got)
		}
		again, _ := json.Marshal(got)
		want := `"/opt/chat \u0026 vault"`
		if err != nil || !strings.Contains(string(again), want) || !strings.Contains(string(again), `"my \u003cnotes\u003e":{`) || !strings.Contains(string(again), `"/n \"q\""]`) {
			t.Errorf("%s: %s, %v", c.Name, entry, err)
		}
		if !strings.HasPrefix(c.File(env), "/home/u/") {
			t.Errorf("%s: %s", c.Name, c.File(env))
		}
	}
	claude, _ := FindClient("Claude Code")
	if entry, _ := claude.Entry(Start{Name: "chatvault", Command: "/c&v", Args: []string{"mcp"}}); entry != "{\n  \"mcpServers\": {\n    \"chatvault\": {\n      \"type\": \"stdio\",\n      \"command\": \"/c&v\",\n      \"args\": [\n        \"mcp\"\n      ]\n    }\n  }\n}\n" {
		t.Errorf("%s", entry)
	}
}

func TestCodexEntry(t *testing.T) {
	c, err := FindClient("codex")
	if err != nil {
		t.Fatal(err)
	}
	entry, err := c.Entry(Start{Name: "my vault", Command: `C:\x "y"`, Args: []string{"mcp", "é\x7f"}})
	var got struct {
		Servers map[string]struct {
			Command string
			Args    []string
		} `toml:"mcp_servers"`
	}
	if err == nil {
		err = toml.Unmarshal([]byte(entry), &got)
	}
	if s := got.Servers["my vault"]; err != nil || s.Command != `C:\x "y"` || s.Args[1] != "é\x7f" {
		t.Errorf("%s: %v", entry, err)
	}
	if _, err := FindClient("gemini"); err == nil || !strings.Contains(err.Error(), "gemini-cli") {
		t.Errorf("%v", err)
	}
}
