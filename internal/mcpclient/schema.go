package mcpclient

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"chatvault/internal/terminal"
	"chatvault/internal/text"
)

// Bounds of a schema.
const (
	maxDepth      = 8
	maxProperties = 100
	maxEnum       = 100
	maxSchema     = 32 << 10 // bytes
	maxAbout      = 500      // bytes of a description in it
)

// normal brings a server's schema of arguments into the form that ours have, and that every endpoint
// takes: types, descriptions, choices, properties and items. What it cannot say so is left to the server,
// which checks the arguments itself.
func normal(raw json.RawMessage) json.RawMessage {
	var root map[string]any
	empty := json.RawMessage(`{"type":"object","properties":{}}`)
	if json.Unmarshal(raw, &root) != nil {
		return empty
	}
	n := normalizer{root: root}
	out := n.schema(root, 0)
	out["type"] = "object"
	if out["properties"] == nil {
		out["properties"] = map[string]any{}
	}
	data, err := json.Marshal(out)
	if err != nil || len(data) > maxSchema {
		return empty
	}
	return data
}

type normalizer struct {
	root  map[string]any
	total int // properties so far
}

// schema is one in our form.
func (n *normalizer) schema(in map[string]any, depth int) map[string]any {
	out := map[string]any{}
	if depth > maxDepth {
		return map[string]any{"type": "string"}
	}
	in = n.resolved(in)
	switch t := in["type"].(type) {
	case string:
		out["type"] = t
	case []any:
		for _, x := range t {
			if s, ok := x.(string); ok && s != "null" && out["type"] == nil {
				out["type"] = s
			}
		}
	}
	if s, ok := in["description"].(string); ok && s != "" {
		out["description"] = text.Clip(strings.TrimSpace(terminal.Strict(s)), maxAbout)
	}
	if c, ok := in["const"]; ok {
		out["enum"] = []any{c}
	}
	if list, ok := in["enum"].([]any); ok && len(list) > 0 && len(list) <= maxEnum {
		out["enum"] = list
	}
	if p, ok := in["properties"].(map[string]any); ok {
		out["properties"] = n.properties(p, depth)
		if required, ok := in["required"].([]any); ok {
			kept := slices.DeleteFunc(slices.Clone(required), func(x any) bool {
				s, _ := x.(string)
				return out["properties"].(map[string]any)[s] == nil
			})
			if len(kept) > 0 {
				out["required"] = kept
			}
		}
	}
	if items, ok := in["items"].(map[string]any); ok {
		out["items"] = n.schema(items, depth+1)
	} else if out["type"] == "array" {
		out["items"] = map[string]any{"type": "string"}
	}
	if out["type"] == nil {
		out["type"] = guessed(out)
	}
	return out
}

// guessed is the type of a schema that names none.
func guessed(out map[string]any) string {
	switch {
	case out["properties"] != nil:
		return "object"
	case out["items"] != nil:
		return "array"
	}
	if choices, ok := out["enum"].([]any); ok {
		switch choices[0].(type) {
		case float64:
			return "number"
		case bool:
			return "boolean"
		}
	}
	return "string"
}

func (n *normalizer) properties(in map[string]any, depth int) map[string]any {
	out := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(in)) {
		if n.total++; n.total > maxProperties {
			break
		}
		if p, ok := in[name].(map[string]any); ok {
			out[name] = n.schema(p, depth+1)
		} else { // true: anything
			out[name] = map[string]any{"type": "string"}
		}
	}
	return out
}

// resolved follows a reference within the schema, and takes the first of several forms that is no null.
func (n *normalizer) resolved(in map[string]any) map[string]any {
	for range maxDepth {
		if ref, ok := in["$ref"].(string); ok {
			to, ok := n.at(ref)
			if !ok {
				return map[string]any{"description": in["description"]}
			}
			in = over(to, in, "$ref")
			continue
		}
		key := ""
		for _, k := range []string{"anyOf", "oneOf", "allOf"} {
			if in[k] != nil && in["type"] == nil && in["properties"] == nil {
				key = k
			}
		}
		list, ok := in[key].([]any)
		if !ok {
			return in
		}
		var first map[string]any
		for _, x := range list {
			if m, ok := x.(map[string]any); ok && m["type"] != "null" && first == nil {
				first = m
			}
		}
		in = over(first, in, key)
	}
	return map[string]any{}
}

// over is a schema with what another says beside what led to it.
func over(to, from map[string]any, but string) map[string]any {
	out := map[string]any{}
	maps.Copy(out, to)
	for k, v := range from {
		if k != but {
			out[k] = v
		}
	}
	return out
}

// at finds "#/$defs/x".
func (n *normalizer) at(ref string) (map[string]any, bool) {
	rest, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return nil, false
	}
	at := n.root
	for part := range strings.SplitSeq(rest, "/") {
		next, ok := at[strings.NewReplacer("~1", "/", "~0", "~").Replace(part)].(map[string]any)
		if !ok {
			return nil, false
		}
		at = next
	}
	return at, true
}
