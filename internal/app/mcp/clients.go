package mcp

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"chatvault/internal/base/text"
)

// Client is a program that can start a server.
type Client struct {
	Name  string // as typed
	Title string

	file string // with its settings; a first part APPS is the system's folder of applications' settings
	win  string // the file on Windows, if it is another
	key  string // of the servers in a JSON file; empty if the file is TOML
	kind string // the type in an entry; empty if it has none
}

// clients are the known clients, by name.
var clients = []Client{
	{Name: "claude-code", Title: "Claude Code", file: "~/.claude.json", key: "mcpServers", kind: "stdio"},
	{Name: "claude-desktop", Title: "Claude Desktop", file: "APPS/Claude/claude_desktop_config.json", key: "mcpServers"},
	{Name: "codex", Title: "Codex", file: "~/.codex/config.toml"},
	{Name: "crush", Title: "Crush", file: "~/.config/crush/crush.json", key: "mcp", kind: "stdio"},
	{Name: "cursor", Title: "Cursor", file: "~/.cursor/mcp.json", key: "mcpServers"},
	{Name: "gemini-cli", Title: "Gemini CLI", file: "~/.gemini/settings.json", key: "mcpServers"},
	{Name: "opencode", Title: "opencode", file: "~/.config/opencode/opencode.json", key: "mcp", kind: "local"},
	{Name: "qwen-code", Title: "Qwen Code", file: "~/.qwen/settings.json", key: "mcpServers"},
	{Name: "vscode", Title: "VS Code", file: "APPS/Code/User/mcp.json", key: "servers", kind: "stdio"},
	{Name: "zed", Title: "Zed", file: "~/.config/zed/settings.json", win: "APPS/Zed/settings.json", key: "context_servers"},
}

// ClientNames returns the names of the clients.
func ClientNames() []string {
	return text.Of(clients, func(c Client) string { return c.Name })
}

// FindClient returns the client with a name.
func FindClient(name string) (Client, error) {
	i := slices.IndexFunc(clients, func(c Client) bool { return strings.EqualFold(name, c.Name) })
	if i < 0 {
		return Client{}, fmt.Errorf("the entry for %q is not known; known are: %s", name, strings.Join(ClientNames(), ", "))
	}
	return clients[i], nil
}

// File returns, for a person, the file from which the program reads its entry.
func (c Client) File() string {
	file := c.file
	if runtime.GOOS == "windows" {
		file = cmp.Or(c.win, file)
	}
	if name, apps := strings.CutPrefix(file, "APPS/"); apps {
		folder, _ := os.UserConfigDir() // unknown without a home folder; then the rest of the path has to do
		return filepath.Join(folder, name)
	}
	return file
}

// entry is a server in a client's file.
type entry struct {
	Type    string   `json:"type,omitempty" toml:"-"`
	Command any      `json:"command" toml:"command"`
	Args    []string `json:"args,omitempty" toml:"args"`
	Enabled bool     `json:"enabled,omitempty" toml:"-"`
}

// Entry returns the text to put into the file, by which the program starts a server.
func (c Client) Entry(command string, args []string) (string, error) {
	const name = "chatvault"
	var b strings.Builder
	value := entry{Type: c.kind, Command: command, Args: args}
	if c.key == "" {
		b.WriteString("[mcp_servers." + name + "]\n")
		err := toml.NewEncoder(&b).Encode(value)
		return b.String(), err
	}
	if c.kind == "local" { // opencode's
		value = entry{Type: c.kind, Command: append([]string{command}, args...), Enabled: true}
	}
	enc := text.Encoder(&b)
	enc.SetIndent("", "  ")
	err := enc.Encode(map[string]map[string]entry{c.key: {name: value}})
	return b.String(), err
}
