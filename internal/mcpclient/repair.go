package mcpclient

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// repairing is a transport whose results are repaired. The SDK drops the whole result of a call if one part of it
// cannot be decoded, such as a picture whose base64 is broken.
type repairing struct{ sdk.Transport }

// Connect implements sdk.Transport.
func (t repairing) Connect(ctx context.Context) (sdk.Connection, error) {
	c, err := t.Transport.Connect(ctx)
	return repairingConn{c}, err
}

type repairingConn struct{ sdk.Connection }

// Read implements sdk.Connection.
func (c repairingConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	if r, ok := m.(*jsonrpc.Response); ok {
		r.Result = repaired(r.Result)
	}
	return m, err
}

// repaired is a result in which a text stands for each part that cannot be decoded.
func repaired(result json.RawMessage) json.RawMessage {
	var whole map[string]json.RawMessage
	var parts []json.RawMessage
	if json.Unmarshal(result, &whole) != nil || json.Unmarshal(whole["content"], &parts) != nil {
		return result
	}
	for i, p := range parts {
		if err := json.Unmarshal(fmt.Appendf(nil, `{"content":[%s]}`, p), &sdk.CallToolResult{}); err != nil {
			var is struct{ Type string }
			_ = json.Unmarshal(p, &is) // then it is empty
			parts[i], _ = json.Marshal(&sdk.TextContent{Text: fmt.Sprintf("[left out: part %d of %d, of type %q, is broken: %v]", i+1, len(parts), is.Type, err)})
		}
	}
	whole["content"], _ = json.Marshal(parts) // both were decoded: cannot fail
	result, _ = json.Marshal(whole)
	return result
}
