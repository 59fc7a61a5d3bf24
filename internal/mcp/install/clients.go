// Package install knows how programs are told of an MCP server: what stands in which of their files. It
// writes to files of the user's own alone, keeps every byte that is not its entry, and what was there
// before beside it.
package install

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"chatvault/internal/text"
)

// Server is what a program starts.
type Server struct {
	Name    string // what the program calls it
	Command string // an absolute path
	Args    []string
}

// Env is what is known of the user's machine.
type Env struct {
	Home   string
	Config string // where programs keep their configuration: ~/.config, or what stands for it
	System string // GOOS
	Getenv func(string) string
}

// Client is a program that can be told of a server.
type Client struct {
	Name   string // as it is typed
	Title  string
	Writes bool // Write was seen to work with it

	file  func(Env) string
	path  []string // of the entry in the file, before the server's name; nil: the file is no JSON
	entry func(Server) any
	text  func(Server) string // of a file that is no JSON
	also  func(Server) string // what does the same; may be nil
}

// plain is the entry of most programs.
func plain(s Server) any {
	return struct {
		Command string   `json:"command"`
		Args    []string `json:"args"`
	}{s.Command, s.Args}
}

// typed is one that says by its type that the server is started.
func typed(s Server) any {
	return struct {
		Type    string   `json:"type"`
		Command string   `json:"command"`
		Args    []string `json:"args"`
	}{"stdio", s.Command, s.Args}
}

// applications is where programs for the desktop keep their files.
func applications(e Env) string {
	switch e.System {
	case "darwin":
		return filepath.Join(e.Home, "Library", "Application Support")
	case "windows":
		return e.Getenv("APPDATA")
	}
	return e.Config
}

// Clients are the programs, by name.
func Clients() []Client {
	under := func(folder func(Env) string, parts ...string) func(Env) string {
		return func(e Env) string { return filepath.Join(append([]string{folder(e)}, parts...)...) }
	}
	home := func(e Env) string { return e.Home }
	config := func(e Env) string { return e.Config }
	return []Client{
		{
			Name: "claude-code", Title: "Claude Code", Writes: true, path: []string{"mcpServers"}, entry: typed,
			file: func(e Env) string {
				if dir := e.Getenv("CLAUDE_CONFIG_DIR"); dir != "" {
					return filepath.Join(dir, ".claude.json")
				}
				return filepath.Join(e.Home, ".claude.json")
			},
			also: func(s Server) string {
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
			also: func(s Server) string { return "codex mcp add " + s.Name + " -- " + shellLine(s) },
		},
		{Name: "crush", Title: "Crush", file: under(config, "crush", "crush.json"), path: []string{"mcp"}, entry: typed},
		{Name: "cursor", Title: "Cursor", file: under(home, ".cursor", "mcp.json"), path: []string{"mcpServers"}, entry: plain},
		{
			Name: "gemini-cli", Title: "Gemini CLI", Writes: true, file: under(home, ".gemini", "settings.json"), path: []string{"mcpServers"}, entry: plain,
			also: func(s Server) string { return "gemini mcp add --scope user " + s.Name + " " + shellLine(s) },
		},
		{
			Name: "opencode", Title: "opencode", Writes: true, file: under(config, "opencode", "opencode.json"), path: []string{"mcp"},
			entry: func(s Server) any {
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

// Names are the names of the programs.
func Names() []string {
	var names []string
	for _, c := range Clients() {
		names = append(names, c.Name)
	}
	return names
}

// Find finds a program by its name or title.
func Find(name string) (Client, error) {
	for _, c := range Clients() {
		if strings.EqualFold(name, c.Name) || strings.EqualFold(name, c.Title) {
			return c, nil
		}
	}
	near := ""
	if n := text.Near(name, Names()); n != "" {
		near = fmt.Sprintf(" (did you mean %s?)", n)
	}
	return Client{}, fmt.Errorf("the entry for %q is not known%s; known are: %s", name, near, strings.Join(Names(), ", "))
}

// File is where the program reads its entry from.
func (c Client) File(e Env) string { return c.file(e) }

// Entry is what must stand in the file.
func (c Client) Entry(s Server) (string, error) {
	if c.path == nil {
		return c.text(s), nil
	}
	doc, err := Set(nil, append(slices.Clone(c.path), s.Name), c.entry(s))
	return string(doc), err
}

// Also is a command that does the same; "": there is none.
func (c Client) Also(s Server) string {
	if c.also == nil {
		return ""
	}
	return c.also(s)
}

// tomlEntry is the table of a server.
func tomlEntry(s Server) string {
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

// tomlString is a basic string: what JSON escapes, TOML does in the same way.
func tomlString(s string) string {
	data, _ := json.Marshal(s) // a string can always be written
	return strings.NewReplacer("\x7f", `\u007f`).Replace(string(data))
}

// shellLine is the command as it is typed.
func shellLine(s Server) string {
	words := []string{s.Command}
	words = append(words, s.Args...)
	for i, w := range words {
		if strings.Trim(w, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,@%+") != "" || w == "" {
			words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}
