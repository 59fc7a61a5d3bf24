package dialect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"chatvault/agent/llm"
	"chatvault/internal/text"
)

// Filler is the argument of tools that have none: an endpoint may refuse a schema without properties.
const Filler = "reason"

const fillerText = "Why you call it, in a few words; optional."

// offered are specs in the form that every endpoint accepts.
func offered(specs []llm.ToolSpec) []object {
	var out []object
	for _, s := range specs {
		function := object{{"name", Name(s.Name)}}
		if about := strings.TrimSpace(s.Description); about != "" {
			function = append(function, member{"description", about})
		}
		out = append(out, object{{"type", "function"}, {"function", append(function, member{"parameters", Parameters(s.Parameters)})}})
	}
	return out
}

// Fills says whether Parameters gives the tool of a spec an argument that it does not have.
func Fills(s llm.ToolSpec) bool {
	properties, _ := rootOf(s.Parameters).get("properties").(object)
	return len(properties) == 0
}

// Name is a tool's name as every endpoint accepts it, also where a model invented it.
func Name(name string) string {
	if name == "" {
		return "unknown"
	}
	name = llm.PortableName(name)
	if c := name[0]; c == '-' || c >= '0' && c <= '9' {
		name = "_" + name
	}
	return name[:min(len(name), llm.MaxToolName)]
}

// Parameters is Schema for endpoints that refuse a tool without arguments.
func Parameters(schema json.RawMessage) json.RawMessage {
	s := rootOf(schema)
	if properties, _ := s.get("properties").(object); len(properties) == 0 {
		s = s.set("properties", object{{Filler, object{{"type", "string"}, {"description", fillerText}}}})
	}
	return encoded(s)
}

// Schema is the schema of a tool's arguments in the keywords that every endpoint knows.
func Schema(schema json.RawMessage) json.RawMessage { return encoded(rootOf(schema)) }

func rootOf(schema json.RawMessage) object {
	root, err := decode(schema)
	if err != nil {
		root = nil
	}
	o, _ := root.(object)
	s := simple(o, o, 0)
	if s.get("type") != "object" {
		s = object{{"type", "object"}, {"properties", object{}}}
	}
	return s
}

func encoded(s object) json.RawMessage {
	out, _ := json.Marshal(s) // it holds what was decoded: cannot fail
	return out
}

// plain are the keywords that are taken over as they are. Every other one is refused somewhere, or
// says what the description does; the tool checks its arguments itself.
var plain = []string{"minimum", "maximum", "minItems", "maxItems"}

const deepest = 16

// simple is a schema in a few keywords. The root is where its references point into.
func simple(s, root object, depth int) object {
	if depth > deepest {
		return object{{"type", "string"}}
	}
	s = resolved(s, root, depth)
	kind := typeOf(s)
	out := object{{"type", kind}}
	description, _ := s.get("description").(string)
	enum, _ := s.get("enum").([]any)
	if c := s.get("const"); c != nil {
		enum = []any{c}
	}
	if len(enum) > 0 && kind != "string" { // refused but of strings
		description = strings.TrimSpace(description + " One of: " + list(enum) + ".")
		enum = nil
	}
	if description != "" {
		out = append(out, member{"description", description})
	}
	if len(enum) > 0 {
		out = append(out, member{"enum", words(enum)})
	}
	for _, name := range plain {
		if v := s.get(name); v != nil {
			out = append(out, member{name, v})
		}
	}
	switch kind {
	case "array":
		items, _ := s.get("items").(object)
		out = append(out, member{"items", simple(items, root, depth+1)})
	case "object":
		var properties object
		given, _ := s.get("properties").(object)
		for _, p := range given {
			value, _ := p.value.(object)
			properties = append(properties, member{p.name, simple(value, root, depth+1)})
		}
		if len(properties) == 0 && depth > 0 {
			properties = object{{"value", object{{"type", "string"}}}}
		}
		out = append(out, member{"properties", properties})
		if required := among(properties, s.get("required")); len(required) > 0 {
			out = append(out, member{"required", required})
		}
	}
	return out
}

// resolved is a schema without references and unions: of alternatives the first that is not null, of
// alternatives that are single strings their enumeration, of parts that all hold their sum.
func resolved(s, root object, depth int) object {
	if depth > deepest {
		return nil
	}
	for range deepest {
		ref, ok := s.get("$ref").(string)
		if !ok {
			break
		}
		s = merged(within(root, ref), s.without("$ref"))
	}
	all, _ := s.get("allOf").([]any)
	for _, part := range all {
		if o, ok := part.(object); ok {
			s = merged(s, resolved(o, root, depth+1))
		}
	}
	for _, union := range []string{"anyOf", "oneOf"} {
		alternatives, _ := s.get(union).([]any)
		if len(alternatives) == 0 {
			continue
		}
		s = s.without(union)
		var values []any
		var first object
		for _, a := range alternatives {
			o, _ := a.(object)
			o = resolved(o, root, depth+1)
			if o.get("type") == "null" {
				continue
			}
			if first == nil {
				first = o
			}
			if c := o.get("const"); c != nil {
				values = append(values, c)
			}
			enum, _ := o.get("enum").([]any)
			values = append(values, enum...)
		}
		if len(values) > 0 {
			first = first.without("const").set("enum", values)
		}
		s = merged(s, first)
	}
	return s
}

// within is what a reference into a schema names: #/$defs/Name.
func within(root object, ref string) object {
	at := root
	for name := range strings.SplitSeq(strings.TrimPrefix(ref, "#"), "/") {
		if name == "" {
			continue
		}
		at, _ = at.get(strings.NewReplacer("~1", "/", "~0", "~").Replace(name)).(object)
	}
	return at
}

// merged are two schemas that hold together; where both say something, the second counts, but that
// properties and required are those of both.
func merged(a, b object) object {
	out := slices.Clone(a)
	for _, m := range b {
		switch old := out.get(m.name).(type) {
		case object:
			if add, ok := m.value.(object); ok && m.name == "properties" {
				m.value = merged(old, add)
			}
		case []any:
			if add, ok := m.value.([]any); ok && m.name == "required" {
				m.value = append(slices.Clone(old), add...)
			}
		}
		out = out.set(m.name, m.value)
	}
	return out
}

// typeOf is the one type of a schema; where it names none, that of what it says.
func typeOf(s object) string {
	kinds := []any{s.get("type")}
	if list, ok := s.get("type").([]any); ok {
		kinds = list
	}
	for _, k := range kinds {
		if name, ok := k.(string); ok && name != "null" {
			return name
		}
	}
	switch {
	case s.get("properties") != nil:
		return "object"
	case s.get("items") != nil:
		return "array"
	}
	return "string"
}

// among are the names in a list of required ones that properties have, each once.
func among(properties object, required any) []string {
	var out []string
	names, _ := required.([]any)
	for _, n := range names {
		if name, ok := n.(string); ok && properties.get(name) != nil && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// words are the values of an enumeration of strings.
func words(values []any) []string {
	out := make([]string, 0, len(values))
	for _, v := range values {
		if v != nil {
			out = append(out, fmt.Sprint(v))
		}
	}
	return out
}

func list(values []any) string {
	return strings.Join(text.Of(values, func(v any) string {
		if v == nil {
			return "null"
		}
		return fmt.Sprint(v)
	}), ", ")
}

func (o object) set(name string, value any) object {
	out := slices.Clone(o)
	for i := range out {
		if out[i].name == name {
			out[i].value = value
			return out
		}
	}
	return append(out, member{name, value})
}

func (o object) without(name string) object {
	return slices.DeleteFunc(slices.Clone(o), func(m member) bool { return m.name == name })
}

// decode reads JSON with the members of objects in their order.
func decode(b []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	return decodeValue(d)
}

func decodeValue(d *json.Decoder) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		o := object{}
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return nil, err
			}
			value, err := decodeValue(d)
			if err != nil {
				return nil, err
			}
			o = append(o, member{fmt.Sprint(name), value})
		}
		_, err = d.Token()
		return o, err
	case json.Delim('['):
		list := []any{}
		for d.More() {
			value, err := decodeValue(d)
			if err != nil {
				return nil, err
			}
			list = append(list, value)
		}
		_, err = d.Token()
		return list, err
	}
	return token, nil
}
