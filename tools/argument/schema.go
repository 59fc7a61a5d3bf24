// Package argument derives the JSON Schema of a tool's arguments from their struct, and reads what a model
// sends as that struct: strictly, with errors that name the argument.
package argument

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Schema is the JSON Schema of a tool's arguments: as text for the model, and
// ready to check with.
type Schema struct {
	Text  json.RawMessage // types, descriptions and choices: the bounds are for the check alone
	Bound *jsonschema.Schema
}

// Derive makes the schema of a struct of arguments. The struct is written in
// this package, so what cannot be derived is a mistake here and panics.
func Derive(t reflect.Type) *Schema {
	bound := boundFields(must(jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[Scalar](): {Types: []string{"string", "number", "boolean"}},
	}})), t)
	return &Schema{Text: must(json.Marshal(told(bound))), Bound: bound}
}

// Shape is the JSON Schema of the data in a tool's results, as text; t is written in the program, too.
func Shape(t reflect.Type) json.RawMessage {
	return must(json.Marshal(must(jsonschema.ForType(t, &jsonschema.ForOptions{}))))
}

// must is a value whose error can only be a mistake in a tool's definition.
func must[T any](v T, err error) T {
	if err != nil {
		panic("argument: " + err.Error())
	}
	return v
}

// told is a schema as a model is given it: without the bounds, which cost tokens with every call,
// which some endpoints refuse, and which a wrong call is told of anyway.
func told(s *jsonschema.Schema) *jsonschema.Schema {
	out := &jsonschema.Schema{Type: s.Type, Description: s.Description, Enum: s.Enum, Required: s.Required, PropertyOrder: s.PropertyOrder}
	if len(s.Types) > 0 { // one type a property is what every endpoint accepts
		out.Type = s.Types[0]
	}
	if s.Items != nil {
		out.Items = told(s.Items)
	}
	if s.Type == "object" {
		out.Properties = make(map[string]*jsonschema.Schema, len(s.Properties))
		for name, p := range s.Properties {
			out.Properties[name] = told(p)
		}
	}
	return out
}

// unless is the tag of a text that may be missing where another argument is given: it is empty then.
const unless = "unless"

// boundFields adds what the struct's own tags say (min:"1", nonempty:"true", minitems:"2",
// maxitems:"9", oneof:"open,done", unless:"template") and makes
// pointers, which stand for "was it given at all", plain types: a null is dropped
// before the check, and one type a property is what every provider accepts.
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

// countTag is the number a field's tag holds; nil where it has none.
func countTag(field reflect.StructField, name string) *int {
	tag, ok := field.Tag.Lookup(name)
	if !ok {
		return nil
	}
	return new(must(strconv.Atoi(tag)))
}
