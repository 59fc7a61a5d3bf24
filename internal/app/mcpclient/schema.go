package mcpclient

import (
	"encoding/json"
	"strings"

	"chatvault/agent/llm/dialect"
	"chatvault/internal/base/terminal"
	"chatvault/internal/base/text"
)

// Bounds of a schema, in bytes.
const (
	maxSchema = 32 << 10
	maxAbout  = 500 // of a description in it
)

// normalize converts a server's schema of arguments to the form that all endpoints accept, with sanitized descriptions. A
// schema that is too large is dropped: the server checks the arguments anyway.
func normalize(raw json.RawMessage) json.RawMessage {
	var root any
	_ = json.Unmarshal(raw, &root) // invalid JSON means no arguments
	clipDescriptions(root)
	raw, _ = json.Marshal(root)
	if out := dialect.Schema(raw); len(out) <= maxSchema {
		return out
	}
	return dialect.Schema(nil)
}

func clipDescriptions(v any) {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			clipDescriptions(x)
		}
	case map[string]any:
		for name, x := range v {
			if s, ok := x.(string); ok && name == "description" {
				v[name] = text.Clip(strings.TrimSpace(terminal.Strict(s)), maxAbout)
			}
			clipDescriptions(x)
		}
	}
}
