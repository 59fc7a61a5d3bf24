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

	"chatvault/internal/base/lazyregexp"
)

// mcpTable holds the MCP servers whose tools the agent may use.
const mcpTable = "mcp"

// Default and maximum timeout of a call to a server, in seconds.
const (
	mcpTimeout     = 60
	mcpMostTimeout = 3600
)

// commandSuffix marks a name whose value is a command line that prints the actual value.
const commandSuffix = "_command"

// MCPServer is an MCP server whose tools the agent may use: a command, or a URL.
type MCPServer struct {
	Name    string
	Command string   // empty if URL is set
	Args    []string // of the command
	URL     string

	Env     Texts     // of the process
	Headers Texts     // of each request
	Bearer  KeySource // token of each request
	Tools   []string  // allowed tools; nil means all

	Plain          bool // names in Env and Headers are literal, without _env and _command
	AllowInsecure  bool
	TimeoutSeconds int // per call
	Enabled        bool
	Origin         Origin
}

var parseTexts = parseList(`a list of texts, like ["a", "b"]`, parseText)

// mcpServers reads [mcp].
func (l *loader) mcpServers(n node) {
	open := func(n node) (map[string]setter, func(), error) {
		name := strings.ToLower(n.name())
		s := MCPServer{Name: name, TimeoutSeconds: mcpTimeout, Enabled: true, Origin: n.at, Env: Texts{}, Headers: Texts{}}
		switch table, _ := n.raw.(map[string]any); {
		case !serverName().MatchString(name):
			return nil, nil, errors.New("a server's name is made of letters, digits and '-', 32 at most")
		case (table["command"] == nil) == (table["url"] == nil):
			return nil, nil, errors.New("needs either command, for a program that is started, or url")
		}
		return map[string]setter{
			"command":         into(&s.Command, parseName),
			"args":            into(&s.Args, parseTexts),
			"env":             s.Env.read,
			"url":             into(&s.URL, parseURL),
			"headers":         s.Headers.read,
			"bearer_command":  keyInto(&s.Bearer, keyCommand),
			"allow_insecure":  into(&s.AllowInsecure, parseBool),
			"tools":           into(&s.Tools, parseTexts),
			"timeout_seconds": into(&s.TimeoutSeconds, parseInt(1, mcpMostTimeout)),
			"enabled":         into(&s.Enabled, parseBool),
		}, func() { l.cfg.MCP[name] = s }, nil
	}
	l.tables(n, `[mcp.NAME] with command = "…"`, open)
}

// settleMCP checks what depends on several keys of a server.
func (l *loader) settleMCP() {
	for _, name := range sortedKeys(l.cfg.MCP) {
		s := l.cfg.MCP[name]
		s.Command = ExpandHome(s.Command, l.in.Home)
		l.cfg.MCP[name] = s
		if why := s.unusable(); why != "" {
			l.fault(s.Origin, "mcp."+name, "%s", why)
		}
	}
}

// unusable returns why a server cannot be used, or "".
func (s MCPServer) unusable() string {
	switch {
	case strings.ContainsRune(s.Command, filepath.Separator) && !filepath.IsAbs(s.Command):
		return fmt.Sprintf("its command must be a full path, or the name of a program in PATH, not %q", s.Command)
	case IsInsecure(s.URL) && !s.AllowInsecure:
		return "its address would send what the agent asks unencrypted over the network; use https://, or 127.0.0.1 or localhost where it runs on this computer, or set allow_insecure = true in its table of config.toml"
	}
	return ""
}

// Named returns the server as used when another program, such as an editor, names it: with the limits of a configured
// one, and literal values. It returns an error if the server cannot be used.
func (s MCPServer) Named() (MCPServer, error) {
	joined := strings.Trim(notInName().ReplaceAllString(strings.ToLower(s.Name), "-"), "-")
	s.Name = strings.TrimRight(joined[:min(len(joined), 32)], "-")
	s.Plain, s.Enabled, s.TimeoutSeconds = true, true, mcpTimeout
	switch {
	case s.Name == "":
		return s, errors.New("its name has neither letters nor digits")
	case s.URL != "":
		url, err := parseURL(s.URL)
		if err != nil {
			return s, fmt.Errorf("its address %w", err)
		}
		s.URL = url
	}
	if why := s.unusable(); why != "" {
		return s, errors.New(why)
	}
	return s, nil
}

// Print returns the fingerprint to which consent for the server and its tools is bound: everything that is run or sent.
func (s MCPServer) Print() string {
	data, _ := json.Marshal([]any{"server", s.Command, s.Args, s.URL, s.Env, s.Headers})
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// serverName matches a name that can precede "__" in the name of a tool, notInName what cannot be in one.
var (
	serverName = lazyregexp.New(`^[a-z0-9-]{1,32}$`)
	notInName  = lazyregexp.New(`[^a-z0-9-]+`)
)

// Resolved returns the values of Env or Headers by name.
func (s MCPServer) Resolved(ctx context.Context, values Texts) (map[string]string, error) {
	if s.Plain {
		return values, nil
	}
	return values.Resolve(ctx, os.LookupEnv)
}
