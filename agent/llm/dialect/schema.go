package dialect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"chatvault/agent/llm"
)

// Filler is the argument of tools that have none: an endpoint may refuse a schema without properties.
const Filler = "reason"

const fillerText = "Why you call it, in a few words; optional."

// offered returns tool specs in the form that every endpoint accepts.
func offered(specs []llm.ToolSpec) []object {
	var out []object
	for _, s := range specs {
		function := NewObject("name", llm.PortableName(s.Name), "description", strings.TrimSpace(s.Description), "parameters", Parameters(s.Parameters))
		out = append(out, object{{"type", "function"}, {"function", function}})
	}
	return out
}

// Fills reports whether Parameters adds a dummy argument to a tool.
func Fills(s llm.ToolSpec) bool { return len(*rootOf(s.Parameters).Properties) == 0 }

// Parameters is Schema for endpoints that refuse a tool without arguments.
func Parameters(raw json.RawMessage) json.RawMessage {
	s := rootOf(raw)
	if len(*s.Properties) == 0 {
		s.Properties = &members[schema]{{Filler, schema{Type: "string", Description: fillerText}}}
	}
	return encoded(s)
}

// Schema returns the schema of a tool's arguments in the keywords that every endpoint accepts. It takes bounded time
// for any schema.
func Schema(raw json.RawMessage) json.RawMessage { return encoded(rootOf(raw)) }

func rootOf(raw json.RawMessage) schema {
	r := resolver{root: raw, left: mostSchemas}
	s := r.simple(parsed(raw), 0)
	if s.Type != "object" {
		s = schema{Type: "object", Properties: &members[schema]{}}
	}
	return s
}

func encoded(s schema) json.RawMessage {
	out, _ := json.Marshal(s) // decoded values can be encoded
	return out
}

// schema is a JSON Schema: the keywords that are sent, in output order, and then those that are resolved or expressed by
// others. Other keywords are dropped: some endpoints refuse them, or the description says the same, and tools check their
// arguments anyway.
type schema struct {
	Type        any              `json:"type,omitempty"`
	Description string           `json:"description,omitempty"`
	Enum        []any            `json:"enum,omitempty"`
	Minimum     any              `json:"minimum,omitempty"`
	Maximum     any              `json:"maximum,omitempty"`
	MinItems    any              `json:"minItems,omitempty"`
	MaxItems    any              `json:"maxItems,omitempty"`
	AnyOf       []schema         `json:"anyOf,omitempty"`
	Items       *schema          `json:"items,omitempty"`
	Properties  *members[schema] `json:"properties,omitempty"`
	Required    []string         `json:"required,omitempty"`
	Additional  json.RawMessage  `json:"additionalProperties,omitempty"`
	Ref         string           `json:"$ref,omitempty"`
	Defs        members[schema]  `json:"$defs,omitempty"`

	Definitions members[schema]  `json:"definitions,omitempty"`
	Const       any              `json:"const,omitempty"`
	AllOf       []schema         `json:"allOf,omitempty"`
	OneOf       []schema         `json:"oneOf,omitempty"`
	PrefixItems []schema         `json:"prefixItems,omitempty"`
	Patterns    *members[schema] `json:"patternProperties,omitempty"`
}

// parsed returns the valid part of a schema.
func parsed(raw json.RawMessage) (s schema) {
	_ = s.overlay(raw)
	return s
}

// overlay sets the members of another schema. encoding/json skips members of other types, and returns an error.
func (s *schema) overlay(raw json.RawMessage) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	return d.Decode(s)
}

// Bounds of the work on one schema.
const (
	deepest     = 16
	mostSchemas = 500
)

// resolver simplifies schemas.
type resolver struct {
	root json.RawMessage // where references point into
	left int             // remaining schemas; further ones count as strings
}

// simple returns a schema in a few keywords.
func (r *resolver) simple(s schema, depth int) schema {
	s = r.resolved(s, depth)
	values := s.Enum
	if s.Const != nil {
		values = []any{s.Const}
	}
	kind := typeOf(s, values)
	out := schema{Type: kind, Description: s.Description, Minimum: s.Minimum, Maximum: s.Maximum, MinItems: s.MinItems, MaxItems: s.MaxItems}
	if len(values) > 0 && kind == "string" { // other enumerations are not accepted
		out.Enum = slices.DeleteFunc(slices.Clone(values), func(v any) bool { return v == nil })
		for i, v := range out.Enum {
			out.Enum[i] = fmt.Sprint(v)
		}
	}
	switch kind {
	case "array":
		if s.Items == nil {
			s.Items = &schema{}
		}
		items := r.simple(*s.Items, depth+1)
		out.Items = &items
	case "object":
		properties := members[schema]{}
		if s.Properties != nil {
			for _, p := range *s.Properties {
				properties = append(properties, named[schema]{p.name, r.simple(p.value, depth+1)})
			}
		}
		if len(properties) == 0 && depth > 0 {
			properties = members[schema]{{"value", schema{Type: "string"}}}
		}
		out.Properties = &properties
		for _, name := range s.Required {
			if properties.index(name) >= 0 && !slices.Contains(out.Required, name) {
				out.Required = append(out.Required, name)
			}
		}
	}
	return out
}

// resolved returns a schema without references and unions: alternatives become the first one that is not null, or an
// enumeration of their constants, and the parts of allOf are merged.
func (r *resolver) resolved(s schema, depth int) schema {
	if r.left--; r.left < 0 || depth > deepest {
		return schema{}
	}
	for n := 0; s.Ref != ""; n++ {
		ref := s.Ref
		if s.Ref = ""; n < deepest {
			s = merged(r.at(ref), s)
		}
	}
	for _, part := range s.AllOf {
		s = merged(s, r.resolved(part, depth+1))
	}
	var first *schema
	var values []any
	for _, a := range slices.Concat(s.AnyOf, s.OneOf) {
		a = r.resolved(a, depth+1)
		if a.Type == "null" {
			continue
		}
		if first == nil {
			first = &a
		}
		if a.Const != nil {
			values = append(values, a.Const)
		}
		values = append(values, a.Enum...)
	}
	if first != nil {
		first.Const, first.Enum = nil, values
		s = merged(s, *first)
	}
	return s
}

// at returns the schema at a reference into the root, such as #/$defs/Name.
func (r *resolver) at(ref string) schema {
	at := r.root
	for name := range strings.SplitSeq(strings.TrimPrefix(ref, "#"), "/") {
		if name != "" {
			var members map[string]json.RawMessage
			_ = json.Unmarshal(at, &members) // other JSON has none
			at = members[strings.NewReplacer("~1", "/", "~0", "~").Replace(name)]
		}
	}
	return parsed(at)
}

// merged returns a schema with the members of both. The second has precedence; properties and required are joined.
func merged(a, b schema) schema {
	required := slices.Concat(a.Required, b.Required)
	_ = a.overlay(encoded(b))
	a.Required = required
	return a
}

// typeOf returns the type of a schema: the first named one, or else the type that its keywords imply.
func typeOf(s schema, values []any) string {
	kinds, _ := s.Type.([]any)
	for _, k := range append(kinds, s.Type) {
		if name, ok := k.(string); ok && name != "null" {
			return name
		}
	}
	switch {
	case s.Properties != nil:
		return "object"
	case s.Items != nil:
		return "array"
	case len(values) > 0:
		switch values[0].(type) {
		case json.Number:
			return "number"
		case bool:
			return "boolean"
		}
	}
	return "string"
}
