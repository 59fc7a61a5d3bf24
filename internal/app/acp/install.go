package acp

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Editors returns the names that Install knows.
func Editors() []string { return []string{"zed", "obsidian"} }

// Install returns the configuration with which an editor starts the chat, and where it goes. ok is false for an
// unknown editor. program is the absolute path of chatvault. An empty vault means that of the editor's folder.
func Install(editor, program, vault string) (entry string, ok bool) {
	args := []string{"acp"}
	if vault != "" {
		args = append(args, "--vault", vault)
	}
	switch strings.ToLower(editor) {
	case "zed":
		return zed(program, args), true
	case "obsidian", "agent-client", "agent client":
		return obsidian(program, args), true
	}
	return "", false
}

func zed(program string, args []string) string {
	entry, _ := json.MarshalIndent(map[string]any{"agent_servers": map[string]any{ // texts can always be encoded
		"chatvault": map[string]any{"type": "custom", "command": program, "args": args, "env": map[string]string{}},
	}}, "", "  ")
	return "Add this to Zed's settings.json (command palette: zed: open settings file), then start a new chatvault thread in the agent panel:\n\n" + string(entry)
}

func obsidian(program string, args []string) string {
	return fmt.Sprintf(`In Obsidian, install the community plugin "Agent Client". In its settings, under Custom agents, add one:

Agent ID:      chatvault
Display name:  chatvault
Path:          %s
Arguments:     (one a line)
%s

Environment variables: none are needed; a provider's key may stand there.`, program, "  "+strings.Join(args, "\n  "))
}
