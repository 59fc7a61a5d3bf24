package typed

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"go.yaml.in/yaml/v4"

	"chatvault/internal/base/lazyregexp"
)

// Keywords that hold a schema or a list of them, those that hold schemas by name, and those of either kind whose schemas
// apply to the same value as the schema around them.
var (
	holds    = []string{"additionalItems", "additionalProperties", "allOf", "anyOf", "contains", "contentSchema", "else", "if", "items", "not", "oneOf", "prefixItems", "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties"}
	holdsMap = []string{"$defs", "definitions", "dependentSchemas", "patternProperties", "properties"}
	inPlace  = []string{"allOf", "anyOf", "dependentSchemas", "else", "if", "not", "oneOf", "then"}
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
	old := strings.Contains(s.Schema, "/draft-07/") // in all of its spellings
	if s.Schema = ""; old {
		s.Schema = "http://json-schema.org/draft-07/schema#"
	}
	p := parser{refs: map[string]*yaml.Node{}, at: map[string]*yaml.Node{}, ended: map[*yaml.Node]bool{}, form: &Form{Schema: compact(data), required: map[string]bool{}}}
	var doc yaml.Node // JSON is YAML, and that parser reports lines
	if yaml.Unmarshal(noYAML().ReplaceAll(data, []byte(" ")), &doc) == nil {
		err = cmp.Or(p.schema(doc.Content[0], "#"), err)
		for _, ref := range slices.Sorted(maps.Keys(p.at)) {
			err = cmp.Or(err, p.ends(p.at[ref]))
		}
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
	refs  map[string]*yaml.Node
	at    map[string]*yaml.Node // schemas by the references to them
	ended map[*yaml.Node]bool   // schemas known to end; false while that is being found out
	form  *Form
}

func fault(at *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("line %d: %s", at.Line, fmt.Sprintf(format, args...))
}

// escape writes a name as in references.
var escape = strings.NewReplacer("~", "~0", "/", "~1")

// each calls do with the schemas that a keyword holds and the end of the reference to each, until it returns an error.
func each(name string, v *yaml.Node, do func(part *yaml.Node, end string) error) (err error) {
	byName, held := slices.Contains(holdsMap, name), slices.Contains(holds, name)
	if held && v.Kind != yaml.SequenceNode {
		return do(v, "/"+name)
	}
	for i, part := range v.Content {
		switch {
		case err != nil:
		case held:
			err = do(part, fmt.Sprintf("/%s/%d", name, i))
		case byName && i%2 == 1:
			err = do(part, "/"+name+"/"+escape.Replace(v.Content[i-1].Value))
		}
	}
	return err
}

// schema checks a schema and those in it. ref is the reference to it.
func (p *parser) schema(n *yaml.Node, ref string) error {
	if n.Kind != yaml.MappingNode && n.Tag != "!!bool" {
		return fault(n, "a schema must be an object, or true or false")
	}
	p.at[ref] = n
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, v := n.Content[i].Value, n.Content[i+1]
		if name == "$id" || name == "$anchor" || name == "$dynamicAnchor" {
			p.at[v.Value], p.at["#"+v.Value] = n, n
		}
		err := each(name, v, func(part *yaml.Node, end string) error { return p.schema(part, ref+end) })
		if err = cmp.Or(err, p.keyword(name, v)); err != nil {
			return err
		}
	}
	return nil
}

// ends returns an error if a schema refers to itself for the same value: checking that would not end.
func (p *parser) ends(n *yaml.Node) error {
	if ended, seen := p.ended[n]; seen && !ended {
		return fault(n, "this schema refers to itself for the same value, without end")
	} else if seen || n == nil {
		return nil
	}
	p.ended[n] = false
	for i := 0; i+1 < len(n.Content); i += 2 {
		var err error
		switch name, v := n.Content[i].Value, n.Content[i+1]; {
		case name == "$ref" || name == "$dynamicRef":
			ref, _ := url.PathUnescape(v.Value) // resolving it reports a fault
			err = p.ends(p.at[ref])
		case slices.Contains(inPlace, name):
			err = each(name, v, func(part *yaml.Node, _ string) error { return p.ends(part) })
		}
		if err != nil {
			return err
		}
	}
	p.ended[n] = true
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
