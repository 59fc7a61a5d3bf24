// Package argument derives the JSON Schema of a tool's arguments from a struct, and decodes a model's arguments into
// it: strictly, with errors that name the argument.
package argument

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Schema is the JSON Schema of a tool's arguments.
type Schema struct {
	Text  json.RawMessage // for the model: types, descriptions and choices, without constraints
	Bound *jsonschema.Schema

	resolved *jsonschema.Resolved // Bound
}

// Derive returns the schema of a struct of arguments. It panics if the struct cannot be converted, which is a
// programming error.
func Derive(t reflect.Type) *Schema {
	bound := boundFields(must(jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[Scalar](): {Types: []string{"string", "number", "boolean"}},
	}})), t)
	return &Schema{Text: must(json.Marshal(modelSchema(bound))), Bound: bound, resolved: must(bound.Resolve(nil))}
}

// must returns v, or panics on an error, which can only be a mistake in a tool's definition.
func must[T any](v T, err error) T {
	if err != nil {
		panic("argument: " + err.Error())
	}
	return v
}

// modelSchema returns a schema for the model: without constraints, which cost tokens, which some endpoints refuse,
// and which the error of a wrong call states anyway.
func modelSchema(s *jsonschema.Schema) *jsonschema.Schema {
	out := &jsonschema.Schema{Type: s.Type, Description: s.Description, Enum: s.Enum, Required: s.Required, PropertyOrder: s.PropertyOrder}
	if len(s.Types) > 0 { // every endpoint accepts a single type
		out.Type = s.Types[0]
	}
	if s.Items != nil {
		out.Items = modelSchema(s.Items)
	}
	if s.Type == "object" {
		out.Properties = make(map[string]*jsonschema.Schema, len(s.Properties))
		for name, p := range s.Properties {
			out.Properties[name] = modelSchema(p)
		}
	}
	return out
}

// unless is the tag of a text that may be missing if another argument is given. It is empty then.
const unless = "unless"

// boundFields adds constraints from the struct's tags (min:"1", nonempty:"true", minitems:"2", maxitems:"9",
// oneof:"open,done", unless:"template"). It makes pointers, which only mark absence, plain types: null is dropped
// before the check, and every provider accepts a single type.
func boundFields(s *jsonschema.Schema, t reflect.Type) *jsonschema.Schema {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if len(s.Types) > 1 && s.Types[0] == "null" {
		s.Types = s.Types[1:]
	}
	if len(s.Types) == 1 {
		s.Type, s.Types = s.Types[0], nil
	}
	if t.Kind() == reflect.Slice {
		boundFields(s.Items, t.Elem())
	}
	if t.Kind() != reflect.Struct || s.Type != "object" {
		return s
	}
	for field := range t.Fields() {
		if field.Anonymous {
			boundFields(s, field.Type)
			continue
		}
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		property := s.Properties[name]
		if property == nil {
			panic(fmt.Sprintf("argument: %v.%s has no json name", t, field.Name))
		}
		boundFields(property, field.Type)
		if least := countTag(field, "min"); least != nil {
			property.Minimum = new(float64(*least))
		}
		if field.Tag.Get("nonempty") == "true" {
			property.MinLength = new(1)
		}
		if choices, ok := field.Tag.Lookup("oneof"); ok {
			for choice := range strings.SplitSeq(choices, ",") {
				property.Enum = append(property.Enum, choice)
			}
		}
		if other, ok := field.Tag.Lookup(unless); ok {
			property.Extra = map[string]any{unless: other}
		}
		property.MinItems = countTag(field, "minitems")
		property.MaxItems = countTag(field, "maxitems")
	}
	return s
}

// countTag returns the number in a field's tag, or nil.
func countTag(field reflect.StructField, name string) *int {
	tag, ok := field.Tag.Lookup(name)
	if !ok {
		return nil
	}
	return new(must(strconv.Atoi(tag)))
}
