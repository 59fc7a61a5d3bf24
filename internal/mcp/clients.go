package mcp

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/BurntSushi/toml"

	"chatvault/internal/text"
)

// Start is the command by which a client starts a server.
type Start struct {
	Name    string // what the client calls the server
	Command string // an absolute path
	Args    []string
}

// Env is what is known of the user's computer.
type Env struct {
	Home   string
	Config string // the folder of configuration files, ~/.config or its equivalent
	System string // GOOS
	Getenv func(string) string
}

// Client is a program that can start a server.
type Client struct {
	Name  string // as it is typed
	Title string

	folder, file string // of its settings; folder is below $HOME, $CONFIG or $APPS
	variable     string // the environment variable that replaces folder; may be empty
	key          string // of the servers in a JSON file; empty: the file is TOML
	kind         string // the type in an entry; empty: there is none
	add          string // the command that adds an entry, up to the server's name; may be empty
	end          string // of its options
}

// clients are the known clients, by name.
var clients = []Client{
	{Name: "claude-code", Title: "Claude Code", folder: "$HOME", file: ".claude.json", variable: "CLAUDE_CONFIG_DIR", key: "mcpServers", kind: "stdio", add: "claude mcp add --scope user", end: " --"},
	{Name: "claude-desktop", Title: "Claude Desktop", folder: "$APPS/Claude", file: "claude_desktop_config.json", key: "mcpServers"},
	{Name: "codex", Title: "Codex", folder: "$HOME/.codex", file: "config.toml", variable: "CODEX_HOME", add: "codex mcp add", end: " --"},
	{Name: "crush", Title: "Crush", folder: "$CONFIG/crush", file: "crush.json", key: "mcp", kind: "stdio"},
	{Name: "cursor", Title: "Cursor", folder: "$HOME/.cursor", file: "mcp.json", key: "mcpServers"},
	{Name: "gemini-cli", Title: "Gemini CLI", folder: "$HOME/.gemini", file: "settings.json", key: "mcpServers", add: "gemini mcp add --scope user"},
	{Name: "opencode", Title: "opencode", folder: "$CONFIG/opencode", file: "opencode.json", key: "mcp", kind: "local"},
	{Name: "vscode", Title: "VS Code", folder: "$APPS/Code/User", file: "mcp.json", key: "servers", kind: "stdio"},
	{Name: "zed", Title: "Zed", folder: "$CONFIG/zed", file: "settings.json", key: "context_servers"},
}

// ClientNames returns the names of the clients.
func ClientNames() []string {
	return text.Of(clients, func(c Client) string { return c.Name })
}

// FindClient returns the client of a name or title.
func FindClient(name string) (Client, error) {
	for _, c := range clients {
		if strings.EqualFold(name, c.Name) || strings.EqualFold(name, c.Title) {
			return c, nil
		}
	}
	near := ""
	if n := text.Near(name, ClientNames()); n != "" {
		near = fmt.Sprintf(" (did you mean %s?)", n)
	}
	return Client{}, fmt.Errorf("the entry for %q is not known%s; known are: %s", name, near, strings.Join(ClientNames(), ", "))
}

// File returns the file from which the program reads its entry.
func (c Client) File(e Env) string {
	places := map[string]string{"HOME": e.Home, "CONFIG": e.Config, "APPS": e.Config}
	switch e.System {
	case "darwin":
		places["APPS"] = filepath.Join(e.Home, "Library", "Application Support")
	case "windows":
		places["APPS"] = e.Getenv("APPDATA")
	}
	folder := os.Expand(c.folder, func(name string) string { return places[name] })
	return filepath.Join(cmp.Or(e.Getenv(c.variable), folder), c.file)
}

// entry is a server in a client's file.
type entry struct {
	Type    string   `json:"type,omitempty" toml:"-"`
	Command any      `json:"command" toml:"command"`
	Args    []string `json:"args,omitempty" toml:"args"`
	Enabled bool     `json:"enabled,omitempty" toml:"-"`
}

// Entry returns the text to put into the file.
func (c Client) Entry(s Start) (string, error) {
	var b strings.Builder
	value := entry{Type: c.kind, Command: s.Command, Args: s.Args}
	if c.key == "" {
		fmt.Fprintf(&b, "[%s]\n", toml.Key{"mcp_servers", s.Name})
		err := toml.NewEncoder(&b).Encode(value)
		return b.String(), err
	}
	if c.kind == "local" { // opencode's
		value = entry{Type: c.kind, Command: append([]string{s.Command}, s.Args...), Enabled: true}
	}
	enc := text.Encoder(&b)
	enc.SetIndent("", "  ")
	err := enc.Encode(map[string]map[string]entry{c.key: {s.Name: value}})
	return b.String(), err
}

// Also returns a command with the same effect; empty if there is none.
func (c Client) Also(s Start) string {
	if c.add == "" {
		return ""
	}
	return c.add + " " + s.Name + c.end + " " + shellLine(s)
}

// shellLine returns the command as typed in a shell.
func shellLine(s Start) string {
	words := append([]string{s.Command}, s.Args...)
	for i, w := range words {
		if strings.Trim(w, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,@%+") != "" || w == "" {
			words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}
