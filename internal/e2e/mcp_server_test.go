package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// mcpScript has the test's own program be an MCP server: the file that it names is a JSON object of
// results, as the protocol has them, by the names of the tools that give them.
const mcpScript = "CHATVAULT_TEST_MCP"

// serveMCP is that server. It ends with its input.
func serveMCP(file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var results map[string]*sdk.CallToolResult
	if err := json.Unmarshal(data, &results); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	s := sdk.NewServer(&sdk.Implementation{Name: "scripted"}, nil)
	for name, result := range results {
		s.AddTool(&sdk.Tool{Name: name, Description: "Scripted.", InputSchema: json.RawMessage(`{"type":"object"}`)},
			func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return result, nil })
	}
	return s.Run(context.Background(), &sdk.StdioTransport{})
}
