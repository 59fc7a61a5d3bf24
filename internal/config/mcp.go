package config

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// mcpTable is the table of the servers whose tools the agent may use.
const mcpTable = "mcp"

// mcpKeys are the keys of a [mcp.NAME] table; beside them stand NAME_command in env and headers.
var mcpKeys = map[string]tableKey[MCPServer]{
	"command": into(func(s *MCPServer) *string { return &s.Command }, parseName),
	"args":    into(func(s *MCPServer) *[]string { return &s.Args }, parseTexts),
	"env":     wantTexts[MCPServer],
	"url":     into(func(s *MCPServer) *string { return &s.URL }, parseURL),
	"headers": wantTexts[MCPServer],
	"bearer_command": func(s *MCPServer, raw any, o Origin) (err error) {
		s.Bearer, err = commandSource(raw, o)
		return err
	},
	"allow_insecure": into(func(s *MCPServer) *bool { return &s.AllowInsecure }, parseBool),
	"tools": func(s *MCPServer, raw any, _ Origin) (err error) {
		if s.Tools, err = parseTexts(raw); err == nil && s.Tools == nil {
			s.Tools = []string{}
		}
		return err
	},
	"timeout_seconds": into(func(s *MCPServer) *int { return &s.TimeoutSeconds }, parseInt(1, mcpMostTimeout)),
	"enabled":         into(func(s *MCPServer) *bool { return &s.Enabled }, parseBool),
}

// wantTexts refuses what is no table of texts; its entries come one by one.
func wantTexts[T any](_ *T, raw any, _ Origin) error {
	if _, ok := raw.(map[string]any); !ok {
		return fmt.Errorf("must be a table, not %s", typeName(raw))
	}
	return nil
}

// Defaults of a server.
const (
	mcpTimeout     = 60
	mcpMostTimeout = 3600
)

// MCPServer is another program whose tools the agent may use: one that is started, or one at an address.
type MCPServer struct {
	Name    string
	Command string   // empty: URL
	Args    []string // of the command
	URL     string

	Env     map[string]Value[string] // of the process; a name that ends in _command is a command line that prints the value of what stands before
	Headers map[string]Value[string] // of each request, likewise
	Bearer  KeySource                // the token of each request
	Tools   []string                 // only these; nil: all

	Plain          bool // no name in Env and Headers stands for a command line
	AllowInsecure  bool
	TimeoutSeconds int // of a call
	Enabled        bool
	Origin         Origin
}

// Identity is what a consent to the server's tools is bound to: another program is another server.
func (s MCPServer) Identity() string {
	if s.URL != "" {
		return "url\x00" + s.URL
	}
	return strings.Join(append([]string{"command", s.Command}, s.Args...), "\x00")
}

// mcpServer takes one entry of `mcp`.
func (l *loader) mcpServer(e entry, o Origin) {
	name := strings.ToLower(e.name())
	if s, ok := l.cfg.MCP[name]; ok && len(e.path) == 4 {
		if values, ok := map[string]map[string]Value[string]{"env": s.Env, "headers": s.Headers}[e.path[2]]; ok {
			text, err := parseText(e.raw)
			if err != nil {
				l.errs.add(o, e.key(), "%s", err)
				return
			}
			values[e.path[3]] = Value[string]{text, o}
		}
		return
	}
	begin := func() (MCPServer, bool) { return l.mcpTable(e, o, name) }
	below(l, e, o, l.cfg.MCP, name, begin, mcpKeys, func() string { return "; a server's name has no dot" })
}

// mcpTable is the table of a server as it begins; false: it is refused.
func (l *loader) mcpTable(e entry, o Origin, name string) (MCPServer, bool) {
	switch table, ok := e.raw.(map[string]any); {
	case !validServer(name):
		l.errs.add(o, e.key(), "a server's name is made of letters, digits and '-', 32 at most")
	case !ok:
		l.errs.add(o, e.key(), "must be a table, like [mcp.%s] with command = \"…\", not %s", name, typeName(e.raw))
	case (table["command"] == nil) == (table["url"] == nil):
		l.errs.add(o, e.key(), "needs either command, for a program that is started, or url")
	case table["oauth"] != nil:
		l.errs.add(o, e.key()+".oauth", "chatvault does not support OAuth: name a token with bearer_command, or start a program such as mcp-remote that signs in")
	default:
		return MCPServer{Name: name, TimeoutSeconds: mcpTimeout, Enabled: true, Origin: o, Env: map[string]Value[string]{}, Headers: map[string]Value[string]{}}, true
	}
	return MCPServer{}, false
}

// settleMCP checks what single entries do not show.
func (l *loader) settleMCP() {
	for _, name := range sortedKeys(l.cfg.MCP) {
		s := l.cfg.MCP[name]
		s.Command = ExpandHome(s.Command, l.in.Home)
		l.cfg.MCP[name] = s
		if s.bare() {
			l.errs.add(s.Origin, "mcp."+name+".url", bareURL+", or set allow_insecure = true in its table")
		}
		if s.misplaced() {
			l.errs.add(s.Origin, "mcp."+name+".command", strayCommand, s.Command)
		}
	}
}

// What is wrong with a server whose key is right by itself.
const (
	bareURL      = "would send what the agent asks unencrypted over the network; use https://, or 127.0.0.1 or localhost where it runs on this computer"
	strayCommand = "must be a full path, or the name of a program in PATH, not %q"
)

func (s MCPServer) bare() bool { return IsInsecure(s.URL) && !s.AllowInsecure }

func (s MCPServer) misplaced() bool {
	return strings.ContainsRune(s.Command, filepath.Separator) && !filepath.IsAbs(s.Command)
}

// Named is a server that another program names, such as an editor, with the bounds of one that the user
// configured; its values are taken as they are. The error says why it cannot be used.
func (s MCPServer) Named() (MCPServer, error) {
	var err error
	s.Name = serverName(s.Name)
	s.Plain, s.Enabled, s.TimeoutSeconds = true, true, mcpTimeout
	switch {
	case s.Name == "":
		return s, errors.New("its name has neither letters nor digits")
	case s.Command == "" && s.URL == "":
		return s, errors.New("it has neither a command nor an address")
	case s.misplaced():
		return s, fmt.Errorf("its command "+strayCommand, s.Command)
	case s.URL != "":
		if s.URL, err = parseURL(s.URL); err != nil {
			return s, fmt.Errorf("its address %w", err)
		}
	}
	if s.bare() {
		return s, errors.New("its address " + bareURL)
	}
	return s, nil
}

// serverName is a name as one that can stand before "__" in the name of a tool.
func serverName(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !validServer(string(r)) })
	joined := strings.Join(words, "-")
	return strings.TrimRight(joined[:min(len(joined), 32)], "-")
}

// Print is what a consent to start or reach the server is bound to: all that is done for it.
func (s MCPServer) Print() string {
	bare := func(values map[string]Value[string]) map[string]string {
		out := map[string]string{}
		for name, v := range values {
			out[name] = v.V
		}
		return out
	}
	data, err := json.Marshal([]any{"server", s.Command, s.Args, s.URL, bare(s.Env), bare(s.Headers)})
	if err != nil {
		panic(err) // texts alone
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// validServer says whether a name can stand before "__" in the name of a tool.
func validServer(name string) bool {
	return name != "" && len(name) <= 32 && !strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-'
	})
}

// parseTexts reads a list of texts.
func parseTexts(raw any) ([]string, error) {
	list, ok := raw.([]any)
	if !ok {
		return nil, fmt.Errorf("must be a list of texts, like [\"a\", \"b\"], not %s", typeName(raw))
	}
	var out []string
	for _, x := range list {
		text, ok := x.(string)
		if !ok {
			return nil, fmt.Errorf("must be a list of texts, and holds %s", typeName(x))
		}
		out = append(out, text)
	}
	return out, nil
}

// commandSuffix marks a value that a command line prints.
const commandSuffix = "_command"

// Resolved are values of Env or Headers by their names: those of a name with _command are what the command prints.
func (s MCPServer) Resolved(ctx context.Context, values map[string]Value[string]) (map[string]string, error) {
	out := map[string]string{}
	for _, name := range sortedKeys(values) {
		v := values[name]
		bare, command := strings.CutSuffix(name, commandSuffix)
		if s.Plain || !command {
			out[name] = v.V
			continue
		}
		secret, err := CommandKey(v.V, v.Origin).Resolve(ctx, os.LookupEnv)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out[bare] = secret.Reveal()
	}
	return out, nil
}
