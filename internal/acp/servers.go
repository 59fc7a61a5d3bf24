package acp

import (
	"strings"

	protocol "github.com/coder/acp-go-sdk"
)

// otherServers says what becomes of the MCP servers that an editor names for a session: they are not
// used. Empty: it names none.
func otherServers(servers []protocol.McpServer) string {
	var names []string
	for _, s := range servers {
		switch {
		case s.Stdio != nil:
			names = append(names, s.Stdio.Name)
		case s.Http != nil:
			names = append(names, s.Http.Name)
		case s.Sse != nil:
			names = append(names, s.Sse.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "The editor names MCP servers for this session (" + strings.Join(names, ", ") + "). They are not used: chatvault works with your notes alone here."
}
