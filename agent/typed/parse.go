package typed

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// MaxSchema is the largest schema in bytes.
const MaxSchema = 128 << 10

// Keywords whose values hold schemas: one, a list of them, or one for each name.
var (
	holdsOne  = []string{"additionalItems", "additionalProperties", "contains", "contentSchema", "else", "if", "items", "not", "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties"}
	holdsList = []string{"allOf", "anyOf", "oneOf", "prefixItems"}
	holdsMap  = []string{"$defs", "definitions", "dependentSchemas", "patternProperties", "properties"}
)

var kinds = []string{"array", "boolean", "integer", "null", "number", "object", "string"}

// Parse parses a schema. The error begins with the line of the fault, if it is known.
func Parse(data []byte) (*Form, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	switch {
	case len(data) > MaxSchema:
		return nil, fmt.Errorf("it is larger than %d KiB", MaxSchema>>10)
	case len(bytes.TrimSpace(data)) == 0:
		return nil, errors.New("it is empty")
	}
	p := parser{data: data, required: map[string]bool{}}
	if err := json.Unmarshal(data, &p.root); err != nil {
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			return nil, fmt.Errorf("line %d: it is not JSON: %w", lineAt(data, int(syntax.Offset)), err)
		}
		return nil, err
	}
	if err := p.schema(p.root); err != nil {
		return nil, err
	}
	var s jsonschema.Schema
	err := json.Unmarshal(data, &s)
	f := &Form{Schema: data, required: p.required}
	if err == nil {
		f.resolved, err = s.Resolve(nil)
	}
	return f, err
}

// parser looks for faults in a schema, to report their lines.
type parser struct {
	data     []byte
	root     any
	required map[string]bool
}

// schema checks the schema at a path of names and indexes.
func (p *parser) schema(v any, path ...string) error {
	s, ok := v.(map[string]any)
	if !ok {
		if _, ok = v.(bool); !ok {
			return p.fault(path, "a schema must be an object, or true or false")
		}
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(s)) {
		at := append(slices.Clone(path), name)
		if err := p.keyword(s[name], name, at); err != nil {
			return err
		}
	}
	return nil
}

func (p *parser) keyword(v any, name string, at []string) error {
	list, isList := v.([]any)
	members, isMap := v.(map[string]any)
	switch {
	case slices.Contains(holdsList, name) || name == "items" && isList: // a list in draft-07
		if !isList {
			return p.fault(at, "%s must be a list of schemas", name)
		}
		for i, inner := range list {
			if err := p.schema(inner, append(at, strconv.Itoa(i))...); err != nil {
				return err
			}
		}
	case slices.Contains(holdsOne, name):
		return p.schema(v, at...)
	case slices.Contains(holdsMap, name):
		if !isMap {
			return p.fault(at, "%s must be an object with a schema for each name", name)
		}
		for _, key := range slices.Sorted(maps.Keys(members)) {
			if err := p.schema(members[key], append(at, key)...); err != nil {
				return err
			}
		}
	default:
		return p.plain(v, name, at)
	}
	return nil
}

// plain checks a keyword without schemas in it.
func (p *parser) plain(v any, name string, at []string) error {
	values, isList := v.([]any)
	if !isList {
		values = []any{v}
	}
	for _, value := range values {
		s, _ := value.(string)
		switch {
		case name == "type" && !slices.Contains(kinds, s):
			return p.fault(at, "%q is not a type; types are %s", fmt.Sprint(value), strings.Join(kinds, ", "))
		case name == "$schema" && !strings.Contains(s, "/draft-07/") && !strings.Contains(s, "/2020-12/"):
			return p.fault(at, "%q is another version of JSON Schema than 2020-12 or draft-07", fmt.Sprint(value))
		case name == "$ref" && strings.HasPrefix(s, "#/") && !p.has(s):
			return p.fault(at, "there is no %s in the schema", s)
		case name == "$ref" && strings.Contains(s, "://") && !bytes.Contains(p.data, []byte(`"$id"`)):
			return p.fault(at, "%s is at another address, and chatvault reads only this file", s)
		case name == "required":
			p.required[s] = true
		}
	}
	raw, _ := json.Marshal(map[string]any{name: v}) // it was decoded
	var alone jsonschema.Schema
	err := json.Unmarshal(raw, &alone)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return p.fault(at, "%s must not be a %s", name, wrong.Value)
	}
	if err == nil && name == "pattern" {
		_, err = regexp.Compile(alone.Pattern)
	}
	if err != nil {
		return p.fault(at, "%s: %v", name, err)
	}
	return nil
}

// has reports whether a reference such as #/$defs/Name leads to something.
func (p *parser) has(ref string) bool {
	at := p.root
	for name := range strings.SplitSeq(ref[2:], "/") {
		members, _ := at.(map[string]any)
		var found bool
		if at, found = members[strings.NewReplacer("~1", "/", "~0", "~").Replace(name)]; !found {
			return false
		}
	}
	return true
}

func (p *parser) fault(path []string, format string, args ...any) error {
	return fmt.Errorf("line %d: %s", p.lineOf(path), fmt.Sprintf(format, args...))
}

// lineOf returns the line of the value at a path.
func (p *parser) lineOf(path []string) int {
	d := json.NewDecoder(bytes.NewReader(p.data))
	for _, step := range path {
		open, _ := d.Token()
		for i := 0; d.More(); i++ {
			name := strconv.Itoa(i)
			if open == json.Delim('{') {
				key, _ := d.Token()
				name = fmt.Sprint(key)
			}
			var skipped json.RawMessage
			if name == step || d.Decode(&skipped) != nil {
				break
			}
		}
	}
	at := int(d.InputOffset())
	return lineAt(p.data, at+len(p.data[at:])-len(bytes.TrimLeft(p.data[at:], " \t\r\n,:")))
}

// lineAt returns the line of an offset in bytes.
func lineAt(data []byte, offset int) int { return 1 + bytes.Count(data[:offset], []byte("\n")) }
