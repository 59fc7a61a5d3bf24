package main

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// changing is an MCP server that gets another tool when it is told to.
type changing struct {
	http.Handler
	server *mcp.Server
}

func newChanging() *changing {
	c := &changing{server: mcp.NewServer(&mcp.Implementation{Name: "bench"}, nil)}
	c.add("forecast", "The weather of the next days at a place.")
	c.Handler = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return c.server }, nil)
	return c
}

func (c *changing) add(name, about string) {
	schema := json.RawMessage(`{"type":"object","properties":{"place":{"type":"string","description":"a town"}},"required":["place"]}`)
	c.server.AddTool(&mcp.Tool{Name: name, Description: about, InputSchema: schema},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{}, nil
		})
}

// grows gives it one tool more, which is told to who listens.
func (c *changing) grows() { c.add("tides", "High and low water of the next days at a place.") }
