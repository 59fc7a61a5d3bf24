package typed

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"go.yaml.in/yaml/v4"

	"chatvault/internal/base/lazyregexp"
)

// Keywords that hold schemas by name, and those whose object or list is no schema.
var (
	holdsMap = []string{"$defs", "definitions", "dependentSchemas", "patternProperties", "properties"}
	plain    = []string{"$vocabulary", "const", "default", "dependencies", "dependentRequired", "enum", "examples", "required", "type"}
	kinds    = []string{"array", "boolean", "integer", "null", "number", "object", "string"}
)

// noYAML matches what JSON may have and YAML may not: tabs, and the halves of characters.
var noYAML = lazyregexp.New(`(?i)\t|\\ud[89a-f][0-9a-f]{2}`)

// Parse parses a schema. The error begins with the line of the fault, if it is known.
func Parse(data []byte) (*Form, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	var s jsonschema.Schema
	err := json.Unmarshal(data, &s)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return nil, fmt.Errorf("line %d: it is not JSON: %w", 1+bytes.Count(data[:syntax.Offset], []byte("\n")), err)
	}
	p := parser{refs: map[string]*yaml.Node{}, form: &Form{Schema: compact(data), required: map[string]bool{}}}
	var doc yaml.Node // JSON is YAML, and that parser reports lines
	if yaml.Unmarshal(noYAML().ReplaceAll(data, []byte(" ")), &doc) == nil {
		err = cmp.Or(p.schema(doc.Content[0]), err)
	}
	if err != nil {
		return nil, err
	}
	p.form.resolved, err = s.Resolve(nil)
	for ref, at := range p.refs {
		if err != nil && strings.Contains(err.Error(), strings.TrimPrefix(ref, "#")) {
			err = fault(at, "%s is not in this file", ref)
		}
	}
	return p.form, err
}

// parser looks for faults in a schema, to report their lines.
type parser struct {
	refs map[string]*yaml.Node
	form *Form
}

func fault(at *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("line %d: %s", at.Line, fmt.Sprintf(format, args...))
}

// schema checks a schema and those in it.
func (p *parser) schema(n *yaml.Node) error {
	if n.Kind != yaml.MappingNode && n.Tag != "!!bool" {
		return fault(n, "a schema must be an object, or true or false")
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, v := n.Content[i].Value, n.Content[i+1]
		parts := []*yaml.Node{v}
		switch {
		case slices.Contains(plain, name) || v.Kind == yaml.ScalarNode:
			parts = nil
		case v.Kind == yaml.SequenceNode:
			parts = v.Content
		case slices.Contains(holdsMap, name):
			parts = nil
			for j := 1; j < len(v.Content); j += 2 {
				parts = append(parts, v.Content[j])
			}
		}
		for _, part := range parts {
			if err := p.schema(part); err != nil {
				return err
			}
		}
		if err := p.keyword(name, v); err != nil {
			return err
		}
	}
	return nil
}

// keyword checks the value of a keyword apart from the schemas in it.
func (p *parser) keyword(name string, n *yaml.Node) error {
	values := n.Content
	if n.Kind == yaml.ScalarNode {
		values = []*yaml.Node{n}
	}
	for _, v := range values {
		switch {
		case name == "type" && !slices.Contains(kinds, v.Value):
			return fault(v, "%q is not a type; types are %s", v.Value, strings.Join(kinds, ", "))
		case name == "$schema" && !strings.Contains(v.Value, "/draft-07/") && !strings.Contains(v.Value, "/2020-12/"):
			return fault(v, "%q is another version of JSON Schema than 2020-12 or draft-07", v.Value)
		case name == "$ref":
			p.refs[v.Value] = v
		case name == "required":
			p.form.required[v.Value] = true
		}
	}
	var v any
	var alone jsonschema.Schema
	_ = n.Decode(&v) // it was parsed
	raw, _ := json.Marshal(map[string]any{name: v})
	err := json.Unmarshal(raw, &alone)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fault(n, "%s must not be of type %s", name, wrong.Value)
	}
	if _, bad := regexp.Compile(alone.Pattern); err != nil || bad != nil {
		return fault(n, "%s: %v", name, cmp.Or(err, bad))
	}
	return nil
}
