package acp

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	protocol "github.com/coder/acp-go-sdk"

	"chatvault/internal/app/config"
	"chatvault/internal/app/session"
	"chatvault/internal/base/terminal"
	"chatvault/internal/base/text"
)

// serversOf returns the usable MCP servers that an editor names for a session. remark describes the others.
func serversOf(a *session.Session, named []protocol.McpServer) (servers []config.MCPServer, remark string) {
	var remarks []string
	for _, n := range named {
		s, title, why := serverOf(a, n)
		if why == "" && slices.ContainsFunc(servers, func(o config.MCPServer) bool { return o.Name == s.Name }) {
			why = "the editor names another one called " + s.Name
		}
		if why != "" {
			remarks = append(remarks, "The editor's MCP server "+strconv.Quote(title)+" is not used: "+why+".")
			continue
		}
		servers = append(servers, s)
	}
	return servers, strings.Join(remarks, "\n")
}

// serverOf converts an MCP server named by an editor. why is the reason if it cannot be used.
func serverOf(a *session.Session, n protocol.McpServer) (s config.MCPServer, title, why string) {
	switch {
	case n.Stdio != nil:
		s = config.MCPServer{Name: n.Stdio.Name, Command: n.Stdio.Command, Args: n.Stdio.Args, Env: map[string]string{}}
		for _, v := range n.Stdio.Env {
			s.Env[v.Name] = v.Value
		}
	case n.Http != nil:
		s = config.MCPServer{Name: n.Http.Name, URL: n.Http.Url, Headers: map[string]string{}}
		for _, v := range n.Http.Headers {
			s.Headers[v.Name] = v.Value
		}
	case n.Sse != nil:
		return s, n.Sse.Name, "it speaks SSE, which MCP gave up; name its address for streamable HTTP (type http), or a program"
	}
	title = s.Name
	s, err := s.Named()
	if err == nil {
		err = a.UsesServers(s.Name)
	}
	if err != nil {
		why = err.Error()
	}
	return s, title, why
}

// agreed requests consent for the servers named by the editor that are still undecided, one by one, and returns the
// allowed ones. The turn with the context turn waits for it; a cancel leaves the rest to the next turn.
func (c *chat) agreed(turn context.Context) (use []config.MCPServer) {
	c.serving.Lock()
	defer c.serving.Unlock()
	for len(c.servers) > 0 {
		s := c.servers[0]
		allowed := c.AllowsServer(s)
		if !allowed {
			var decided bool
			if allowed, decided = c.askServer(turn, s); !decided {
				return use
			}
		}
		if c.servers = c.servers[1:]; allowed {
			use = append(use, s)
		}
	}
	return use
}

// askServer requests consent for a server. decided is false if the turn ended meanwhile.
func (c *chat) askServer(turn context.Context, s config.MCPServer) (allowed, decided bool) {
	chosen, err := c.permit(turn, c.serverRequest(s))
	if !c.server.connected() {
		<-turn.Done() // closing the session ends the turn and keeps its message
	}
	if err == nil && chosen == cancelled { // and with it the prompt
		c.Stop()
		return false, false
	}
	if turn.Err() != nil {
		return false, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch chosen {
	case allowAlways:
		if err := c.AllowServer(s); err != nil {
			c.aside("The MCP server " + s.Name + " is used now; you will be asked about it again: " + err.Error())
		}
		return true, true
	case allowOnce:
		return true, true
	}
	c.aside("The MCP server " + s.Name + " is not used in this session.")
	return false, true
}

// serverRequest returns the request, with exactly what would be started or contacted. Values that may be secret are
// hidden.
func (c *chat) serverRequest(s config.MCPServer) protocol.RequestPermissionRequest {
	title, shown, values := "Start the MCP server "+s.Name, quoted(append([]string{s.Command}, s.Args...)), s.Env
	if s.URL != "" {
		title, shown, values = "Connect to the MCP server "+s.Name, s.URL, s.Headers
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		value := strconv.Quote(values[name])
		if secretive(name) {
			value = "(not shown)"
		}
		shown += "\n" + strings.Trim(strconv.Quote(name), `"`) + "=" + value
	}
	shown = fenced(terminal.Strict(shown)) + "\n\nThe editor names it for this session. Each of its tools is asked about at its first call."
	return protocol.RequestPermissionRequest{
		SessionId: c.id,
		ToolCall: protocol.ToolCallUpdate{
			ToolCallId: protocol.ToolCallId("mcp-" + s.Name), Title: &title, Kind: new(protocol.ToolKindExecute), Status: new(protocol.ToolCallStatusPending),
			Content: []protocol.ToolCallContent{protocol.ToolContent(protocol.TextBlock(shown))},
		},
		Options: []protocol.PermissionOption{
			{OptionId: allowOnce, Kind: protocol.PermissionOptionKindAllowOnce, Name: "Use it in this session"},
			{OptionId: allowAlways, Kind: protocol.PermissionOptionKindAllowAlways, Name: "Always use it, until it changes"},
			{OptionId: rejectOnce, Kind: protocol.PermissionOptionKindRejectOnce, Name: "Do not use it"},
		},
	}
}

// secretive reports whether a value of this name may be secret. It must not hide names that make a program load or
// run something.
func secretive(name string) bool {
	return slices.ContainsFunc([]string{"key", "token", "secret", "password", "authorization", "cookie"}, func(part string) bool {
		return strings.HasSuffix(strings.ToLower(name), part)
	})
}

// quoted returns the words of a command in quotation marks, so that their ends are visible.
func quoted(words []string) string { return strings.Join(text.Of(words, strconv.Quote), " ") }
