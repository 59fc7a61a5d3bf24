package mcp

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

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

	file  func(Env) string
	path  []string // of the entry in the file, before the server's name; nil: the file is no JSON
	entry func(Start) any
	text  func(Start) string // of a file that is no JSON
	also  func(Start) string // a command with the same effect; may be nil
}

// plain returns the entry of most clients.
func plain(s Start) any {
	return struct {
		Command string   `json:"command"`
		Args    []string `json:"args"`
	}{s.Command, s.Args}
}

// typed returns an entry with a type.
func typed(s Start) any {
	return struct {
		Type    string   `json:"type"`
		Command string   `json:"command"`
		Args    []string `json:"args"`
	}{"stdio", s.Command, s.Args}
}

// applications returns the folder in which desktop programs keep their files.
func applications(e Env) string {
	switch e.System {
	case "darwin":
		return filepath.Join(e.Home, "Library", "Application Support")
	case "windows":
		return e.Getenv("APPDATA")
	}
	return e.Config
}

// Clients returns the known clients, by name.
func Clients() []Client {
	under := func(folder func(Env) string, parts ...string) func(Env) string {
		return func(e Env) string { return filepath.Join(append([]string{folder(e)}, parts...)...) }
	}
	home := func(e Env) string { return e.Home }
	config := func(e Env) string { return e.Config }
	return []Client{
		{
			Name: "claude-code", Title: "Claude Code", path: []string{"mcpServers"}, entry: typed,
			file: func(e Env) string {
				if dir := e.Getenv("CLAUDE_CONFIG_DIR"); dir != "" {
					return filepath.Join(dir, ".claude.json")
				}
				return filepath.Join(e.Home, ".claude.json")
			},
			also: func(s Start) string {
				return "claude mcp add --scope user " + s.Name + " -- " + shellLine(s)
			},
		},
		{Name: "claude-desktop", Title: "Claude Desktop", file: under(applications, "Claude", "claude_desktop_config.json"), path: []string{"mcpServers"}, entry: plain},
		{
			Name: "codex", Title: "Codex", text: tomlEntry,
			file: func(e Env) string {
				if dir := e.Getenv("CODEX_HOME"); dir != "" {
					return filepath.Join(dir, "config.toml")
				}
				return filepath.Join(e.Home, ".codex", "config.toml")
			},
			also: func(s Start) string { return "codex mcp add " + s.Name + " -- " + shellLine(s) },
		},
		{Name: "crush", Title: "Crush", file: under(config, "crush", "crush.json"), path: []string{"mcp"}, entry: typed},
		{Name: "cursor", Title: "Cursor", file: under(home, ".cursor", "mcp.json"), path: []string{"mcpServers"}, entry: plain},
		{
			Name: "gemini-cli", Title: "Gemini CLI", file: under(home, ".gemini", "settings.json"), path: []string{"mcpServers"}, entry: plain,
			also: func(s Start) string { return "gemini mcp add --scope user " + s.Name + " " + shellLine(s) },
		},
		{
			Name: "opencode", Title: "opencode", file: under(config, "opencode", "opencode.json"), path: []string{"mcp"},
			entry: func(s Start) any {
				return struct {
					Type    string   `json:"type"`
					Command []string `json:"command"`
					Enabled bool     `json:"enabled"`
				}{"local", append([]string{s.Command}, s.Args...), true}
			},
		},
		{Name: "vscode", Title: "VS Code", file: under(applications, "Code", "User", "mcp.json"), path: []string{"servers"}, entry: typed},
		{Name: "zed", Title: "Zed", file: under(config, "zed", "settings.json"), path: []string{"context_servers"}, entry: plain},
	}
}

// ClientNames returns the names of the clients.
func ClientNames() []string {
	var names []string
	for _, c := range Clients() {
		names = append(names, c.Name)
	}
	return names
}

// FindClient returns the client of a name or title.
func FindClient(name string) (Client, error) {
	for _, c := range Clients() {
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
func (c Client) File(e Env) string { return c.file(e) }

// Entry returns the text to put into the file.
func (c Client) Entry(s Start) (string, error) {
	if c.path == nil {
		return c.text(s), nil
	}
	value := any(map[string]any{s.Name: c.entry(s)})
	for _, key := range slices.Backward(c.path) {
		value = map[string]any{key: value}
	}
	var b strings.Builder
	enc := text.Encoder(&b)
	enc.SetIndent("", "  ")
	err := enc.Encode(value)
	return b.String(), err
}

// Also returns a command with the same effect; empty if there is none.
func (c Client) Also(s Start) string {
	if c.also == nil {
		return ""
	}
	return c.also(s)
}

// tomlEntry returns the table of a server.
func tomlEntry(s Start) string {
	name := s.Name
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != "" {
		name = tomlString(name)
	}
	args := make([]string, len(s.Args))
	for i, a := range s.Args {
		args[i] = tomlString(a)
	}
	return fmt.Sprintf("[mcp_servers.%s]\ncommand = %s\nargs = [%s]\n", name, tomlString(s.Command), strings.Join(args, ", "))
}

// tomlString returns a basic string; TOML has JSON's escapes.
func tomlString(s string) string {
	data, _ := json.Marshal(s) // a string can always be written
	return strings.NewReplacer("\x7f", `\u007f`).Replace(string(data))
}

// shellLine returns the command as typed in a shell.
func shellLine(s Start) string {
	words := []string{s.Command}
	words = append(words, s.Args...)
	for i, w := range words {
		if strings.Trim(w, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,@%+") != "" || w == "" {
			words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}
