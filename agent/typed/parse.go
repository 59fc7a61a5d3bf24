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

// Keywords that hold schemas by name, and those whose object or list is no schema.
var (
	holdsMap = []string{"$defs", "definitions", "dependentSchemas", "patternProperties", "properties"}
	plain    = []string{"$vocabulary", "const", "default", "dependencies", "dependentRequired", "enum", "examples", "required", "type"}
	kinds    = []string{"array", "boolean", "integer", "null", "number", "object", "string"}
)

// Parse parses a schema. The error begins with the line of the fault, if it is known.
func Parse(data []byte) (*Form, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	switch {
	case len(data) > MaxSchema:
		return nil, fmt.Errorf("it is larger than %d KiB", MaxSchema>>10)
	case len(bytes.TrimSpace(data)) == 0:
		return nil, errors.New("it is empty")
	}
	var root any
	p := parser{data: data, refs: map[string][]string{}, form: &Form{required: map[string]bool{}}}
	err := json.Unmarshal(data, &root)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return nil, fmt.Errorf("line %d: it is not JSON: %w", p.line(int(syntax.Offset)), err)
	}
	var s jsonschema.Schema
	if err = p.schema(root, nil); err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err != nil {
		return nil, err
	}
	p.form.Schema = compact(data)
	p.form.resolved, err = s.Resolve(nil)
	for ref, path := range p.refs {
		if err != nil && strings.Contains(err.Error(), strings.TrimPrefix(ref, "#")) {
			err = p.fault(path, "%s is not in this file: %v", ref, err)
		}
	}
	return p.form, err
}

// parser looks for faults in a schema, to report their lines.
type parser struct {
	data []byte
	refs map[string][]string // paths of references
	form *Form
}

// schema checks the schema at a path of names and indexes.
func (p *parser) schema(v any, path []string) error {
	s, ok := v.(map[string]any)
	if _, isBool := v.(bool); !ok && !isBool {
		return p.fault(path, "a schema must be an object, or true or false")
	}
	for _, name := range slices.Sorted(maps.Keys(s)) {
		at := append(slices.Clone(path), name)
		inner, isMap := s[name].(map[string]any)
		list, _ := s[name].([]any)
		switch {
		case slices.Contains(plain, name):
			inner, list = nil, nil
		case isMap && !slices.Contains(holdsMap, name):
			if err := p.schema(inner, at); err != nil {
				return err
			}
			inner = nil
		}
		for i, v := range list {
			if err := p.schema(v, append(at, strconv.Itoa(i))); err != nil {
				return err
			}
		}
		for _, key := range slices.Sorted(maps.Keys(inner)) {
			if err := p.schema(inner[key], append(at, key)); err != nil {
				return err
			}
		}
		if err := p.keyword(name, s[name], at); err != nil {
			return err
		}
	}
	return nil
}

// keyword checks the value of a keyword apart from the schemas in it.
func (p *parser) keyword(name string, v any, at []string) error {
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
			return p.fault(at, "%q is another version of JSON Schema than 2020-12 or draft-07", s)
		case name == "$ref":
			p.refs[s] = at
		case name == "required":
			p.form.required[s] = true
		}
	}
	raw, _ := json.Marshal(map[string]any{name: v}) // it was decoded
	var alone jsonschema.Schema
	err := json.Unmarshal(raw, &alone)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		err = fmt.Errorf("it must not be a %s", wrong.Value)
	} else if err == nil {
		_, err = regexp.Compile(alone.Pattern)
	}
	if err != nil {
		return p.fault(at, "%s: %v", name, err)
	}
	return nil
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
			name := any(strconv.Itoa(i))
			if open == json.Delim('{') {
				name, _ = d.Token()
			}
			var skipped json.RawMessage
			if name == step || d.Decode(&skipped) != nil {
				break
			}
		}
	}
	rest := p.data[d.InputOffset():]
	return p.line(len(p.data) - len(bytes.TrimLeft(rest, " \t\r\n,:")))
}

// line returns the line of an offset in bytes.
func (p *parser) line(offset int) int { return 1 + bytes.Count(p.data[:offset], []byte("\n")) }
