package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
)

// mcpScript has the test's own program be an MCP server: the file that it names is a JSON object of
// results, as the protocol has them, by the names of the tools that give them. They are sent as they stand
// there, broken ones too.
const mcpScript = "CHATVAULT_TEST_MCP"

// serveMCP is that server. It ends with its input. The result of the tool "echo" is what it was called with.
func serveMCP(file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var results map[string]json.RawMessage
	if err := json.Unmarshal(data, &results); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	tools := []map[string]any{{"name": "echo", "description": "Scripted.", "inputSchema": json.RawMessage(
		`{"type":"object","properties":{"list":{"type":"array","items":{"type":"string"}},"n":{"type":"integer"},"note":{"type":"string"}},"required":["n"]}`)}}
	for name := range results {
		tools = append(tools, map[string]any{"name": name, "description": "Scripted.", "inputSchema": json.RawMessage(`{"type":"object"}`)})
	}
	in, out := json.NewDecoder(bufio.NewReader(os.Stdin)), json.NewEncoder(os.Stdout)
	for {
		var r struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params struct {
				ProtocolVersion string          `json:"protocolVersion"`
				Name            string          `json:"name"`
				Arguments       json.RawMessage `json:"arguments"`
			} `json:"params"`
		}
		if err := in.Decode(&r); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		var result any = map[string]any{}
		switch r.Method {
		case "initialize":
			result = map[string]any{
				"protocolVersion": r.Params.ProtocolVersion, "capabilities": map[string]any{"tools": map[string]any{}},
				"serverInfo": map[string]any{"name": "scripted", "version": "1"},
			}
		case "tools/list":
			result = map[string]any{"tools": tools}
		case "tools/call":
			if result = results[r.Params.Name]; r.Params.Name == "echo" {
				result = map[string]any{"content": []any{map[string]any{"type": "text", "text": string(r.Params.Arguments)}}}
			}
		}
		if r.ID == nil {
			continue
		}
		if err := out.Encode(map[string]any{"jsonrpc": "2.0", "id": r.ID, "result": result}); err != nil {
			return err
		}
	}
}
