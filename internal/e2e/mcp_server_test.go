package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
)

// mcpScript makes the test binary run as an MCP server. The variable names a JSON object with the results of tools by
// name, in the protocol's form. They are sent unchanged, even if invalid.
const mcpScript = "CHATVAULT_TEST_MCP"

// serveMCP runs that server until its input ends. The tool "echo" returns its arguments.
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
