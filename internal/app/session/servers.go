package session

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"chatvault/agent"
	"chatvault/internal/app/config"
	"chatvault/internal/app/mcpclient"
	"chatvault/tools"
)

// Timeouts for servers that are still starting: the first turn of a chat, whose later steps have their
// tools, and a single request, which has no later turn.
const (
	serversWait     = 3 * time.Second
	serversWaitOnce = 15 * time.Second
)

// newServers returns the configured MCP servers without starting them; none if no socket may be opened. With more, the
// front-end may add some.
func (a *Session) newServers(version string, more bool) *mcpclient.Servers {
	if len(a.config.MCP) == 0 && !more || a.config.Offline.V {
		return mcpclient.New(mcpclient.Options{})
	}
	if err := mcpclient.CheckAllowed(); err != nil {
		a.warnings.add(err.Error())
	}
	var list []config.MCPServer
	for _, name := range slices.Sorted(maps.Keys(a.config.MCP)) {
		list = append(list, a.config.MCP[name])
	}
	return mcpclient.New(mcpclient.Options{
		Servers: list, Version: version,
		Tell: func(line string) {
			a.Log().Info("mcp", "told", line)
			if a.processor != nil {
				a.Tell(line)
			}
		},
	})
}

// UsesServers returns an error if the agent cannot use a server that the front-end names.
func (a *Session) UsesServers(name string) error {
	switch _, has := a.config.MCP[name]; {
	case a.config.Offline.V:
		return errors.New("chatvault is offline")
	case has:
		return errors.New("your configuration has one called " + name)
	}
	return nil
}

// AllowsServer reports whether the user has given permanent consent to a server outside the configuration.
func (a *Session) AllowsServer(s config.MCPServer) bool { return mcpclient.Allowed(s.Print()) }

// AllowServer records permanent consent to a server.
func (a *Session) AllowServer(s config.MCPServer) error { return mcpclient.Allow(s.Print(), s.Name) }

// serversReady returns the function with which a turn waits for its servers. once means the process makes a single
// request; more returns additional servers.
func (a *Session) serversReady(once bool, more func(turn context.Context) []config.MCPServer) func(context.Context) {
	wait := serversWait
	if once {
		wait = serversWaitOnce
	}
	return func(ctx context.Context) {
		if more != nil {
			a.mcp.Add(more(ctx))
		}
		ctx, cancel := context.WithTimeout(ctx, wait)
		defer cancel()
		a.mcp.Ready(ctx)
	}
}

// toolbox returns the function that creates a turn's tools: the vault's and the servers'.
func (a *Session) toolbox(registry *tools.Registry) func(tools.Messenger) agent.Toolbox {
	return func(m tools.Messenger) agent.Toolbox { return a.mcp.Toolbox(registry.Turn(m), m) }
}

// KillServers kills all MCP server processes, for a program that exits without closing its sessions.
func KillServers() { mcpclient.KillAll() }

// Servers returns the actions of /mcp. It works without configured servers.
func (a *Session) Servers() ServerActions { return a.mcp }

// mcpServers runs /mcp.
func mcpServers(c Call) Reply {
	word, name, _ := strings.Cut(strings.TrimSpace(c.Words), " ")
	name = strings.TrimSpace(name)
	switch word = strings.ToLower(word); {
	case word == "":
		return Reply{Say: c.Do.Servers.Describe()}
	case word == "log" && name != "":
		said, err := c.Do.Servers.LogOf(name)
		return Reply{Say: said, Err: err}
	case (word == "on" || word == "off") && name != "":
		return Reply{Act: func(context.Context) Reply {
			said, err := c.Do.Servers.Switch(name, word == "on")
			return Reply{Say: said, Err: err}
		}}
	}
	return Reply{Err: errors.New("/mcp takes on, off or log, and the name of a server; /mcp lists them"), Keep: true}
}
