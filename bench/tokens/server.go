package main

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// growingServer is an MCP server with one tool, and a second one after a call of addSecondTool.
type growingServer struct {
	http.Handler
	server *mcp.Server
}

func newGrowingServer() *growingServer {
	c := &growingServer{server: mcp.NewServer(&mcp.Implementation{Name: "bench"}, nil)}
	c.add("forecast", "The weather of the next days at a place.")
	c.Handler = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return c.server }, nil)
	return c
}

func (c *growingServer) add(name, about string) {
	schema := json.RawMessage(`{"type":"object","properties":{"place":{"type":"string","description":"a town"}},"required":["place"]}`)
	c.server.AddTool(&mcp.Tool{Name: name, Description: about, InputSchema: schema},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{}, nil
		})
}

// addSecondTool adds a second tool and notifies the connected clients.
func (c *growingServer) addSecondTool() {
	c.add("tides", "High and low water of the next days at a place.")
}
