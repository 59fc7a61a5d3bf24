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
// no socket is to be opened. more says that the front-end may name some.
func (a *Session) newServers(version string, more bool) *mcpclient.Servers {
	if len(a.config.MCP) == 0 && !more || a.config.Offline.V {
		return nil
	}
	var err error
	if a.allowed, err = mcpclient.LoadAllowed(config.StateDir()); err != nil {
		a.warnings.add(err.Error())
	}
	var list []config.MCPServer
	for _, name := range slices.Sorted(maps.Keys(a.config.MCP)) {
		list = append(list, a.config.MCP[name])
	}
	return mcpclient.New(mcpclient.Options{
		Servers: list, Version: version, Allowed: a.allowed,
		Tell: func(line string) {
			a.Log().Info("mcp", "told", line)
			if a.processor != nil {
				a.processor.Tell(line)
			}
		},
	})
}

// UsesServers says why the agent cannot use the tools of a server that the front-end names; nil: it can.
func (a *Session) UsesServers(name string) error {
	switch _, has := a.config.MCP[name]; {
	case a.config.Offline.V:
		return errors.New("chatvault is offline")
	case has:
		return errors.New("your configuration has one called " + name)
	}
	return nil
}

// ServerAllowed says whether the user agreed for good to a server that is none of their configuration.
func (a *Session) ServerAllowed(s config.MCPServer) bool { return a.allowed.Has(s.Print()) }

// AllowServer keeps that the user agreed to it for good.
func (a *Session) AllowServer(s config.MCPServer) error { return a.allowed.Add(s.Print(), s.Name) }

// serversReady gives what a turn waits with for the servers; once says that the process makes one request.
// more are further ones. nil: there are none.
func (a *Session) serversReady(once bool, more func() []config.MCPServer) func(context.Context) {
	if a.mcp == nil {
		return nil
	}
	wait := serversWait
	if once {
		wait = serversWaitOnce
	}
	return func(ctx context.Context) {
		if more != nil {
			a.mcp.Add(more())
		}
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

// KillServers kills the processes of all MCP servers, for a program that ends without closing its sessions.
func KillServers() { mcpclient.KillAll() }

// Servers is what /mcp acts through, also where no server is configured.
func (a *Session) Servers() ServerActions { return a.mcp }

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
