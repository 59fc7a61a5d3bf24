package session

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"chatvault/agent"
	"chatvault/internal/config"
	"chatvault/internal/mcpclient"
	"chatvault/tools"
)

// How long a turn waits for servers that have neither answered nor failed yet: the first one of a chat,
// whose later steps have their tools, and a request of its own, which has no later.
const (
	serversWait     = 3 * time.Second
	serversWaitOnce = 15 * time.Second
)

// newServers knows of the servers whose tools the agent may use, and starts none; nil: there are none, or
// no socket is to be opened.
func (a *Session) newServers(version string) (*mcpclient.Servers, error) {
	if len(a.config.MCP) == 0 || a.config.Offline.V {
		return nil, nil
	}
	allowed, err := mcpclient.LoadAllowed(config.StateDir())
	if err != nil {
		a.warnings.add(err.Error())
	}
	var list []config.MCPServer
	for _, name := range slices.Sorted(maps.Keys(a.config.MCP)) {
		list = append(list, a.config.MCP[name])
	}
	return mcpclient.New(mcpclient.Options{
		Servers: list, Version: version, Allowed: allowed,
		Tell: func(line string) {
			a.logger().Info("mcp", "told", line)
			if a.processor != nil {
				a.processor.Tell(line)
			}
		},
	}), nil
}

// serversReady gives what a turn waits with for the servers; once says that the process makes one request.
// nil: there are none.
func (a *Session) serversReady(once bool) func(context.Context) {
	if a.mcp == nil {
		return nil
	}
	wait := serversWait
	if once {
		wait = serversWaitOnce
	}
	return func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, wait)
		defer cancel()
		a.mcp.Ready(ctx)
	}
}

// toolbox makes a turn's tools: those of the vault, and those of servers.
func (a *Session) toolbox(registry *tools.Registry) func(tools.Messenger) agent.Toolbox {
	if a.mcp == nil {
		return func(m tools.Messenger) agent.Toolbox { return registry.Turn(m) }
	}
	var mu sync.Mutex
	last := ""
	return func(m tools.Messenger) agent.Toolbox {
		if conv, err := a.manager.Active(); err == nil && conv != nil {
			mu.Lock()
			if conv.ID != last { // whose model was never told of what is gone
				a.mcp.Forget()
			}
			last = conv.ID
			mu.Unlock()
		}
		return a.mcp.Toolbox(registry.Turn(m), m)
	}
}

// Servers is what /mcp acts through; nil: no server is configured.
func (a *Session) Servers() ServerActions {
	if a.mcp == nil {
		return nil
	}
	return a.mcp
}

// mcpServers runs /mcp.
func mcpServers(c Call) Reply {
	word, name, _ := strings.Cut(strings.TrimSpace(c.Words), " ")
	name = strings.TrimSpace(name)
	switch word = strings.ToLower(word); {
	case word == "":
		return Reply{Say: c.Do.Servers.Describe()}
	case name == "":
		return Reply{Err: errors.New("name a server: /mcp " + word + " NAME; /mcp lists them"), Keep: true}
	case word == "log":
		said, err := c.Do.Servers.LogOf(name)
		return Reply{Say: said, Err: err}
	case word == "on" || word == "off":
		return Reply{Act: func(context.Context) Reply {
			said, err := c.Do.Servers.Switch(name, word == "on")
			return Reply{Say: said, Err: err}
		}}
	}
	return Reply{Err: errors.New("/mcp takes on, off or log, and the name of a server"), Keep: true}
}
