package tools

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// argumentSchema is the JSON Schema of a tool's arguments: as text for the model, and
// ready to check with.
type argumentSchema struct {
	text     json.RawMessage
	schema   *jsonschema.Schema
	resolved *jsonschema.Resolved
}

// deriveSchema makes the schema of a struct of arguments. The struct is written in
// this package, so what cannot be derived is a mistake here and panics.
func deriveSchema(t reflect.Type) *argumentSchema {
	s, err := jsonschema.ForType(t, nil)
	if err != nil {
		panic(fmt.Sprintf("tools: no schema for %v: %v", t, err))
	}
	bound := boundFields(s, t)
	text, err := json.Marshal(bound)
	if err != nil {
		panic(fmt.Sprintf("tools: schema of %v: %v", t, err))
	}
	resolved, err := bound.Resolve(nil)
	if err != nil {
		panic(fmt.Sprintf("tools: schema of %v: %v", t, err))
	}
	return &argumentSchema{text: text, schema: bound, resolved: resolved}
}

// boundFields adds what the struct's own tags say (min:"1", nonempty:"true", minitems:"2",
// maxitems:"9") and makes
// pointers, which stand for "was it given at all", plain types: a null is dropped
// before the check, and one type a property is what every provider accepts.
func boundFields(s *jsonschema.Schema, t reflect.Type) *jsonschema.Schema {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if len(s.Types) == 2 && s.Types[0] == "null" {
		s.Type, s.Types = s.Types[1], nil
	}
	if t.Kind() == reflect.Slice {
		boundFields(s.Items, t.Elem())
	}
	if t.Kind() != reflect.Struct {
		return s
	}
	for i := range t.NumField() {
		field := t.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		property := s.Properties[name]
		if property == nil {
			panic(fmt.Sprintf("tools: %v.%s has no json name", t, field.Name))
		}
		boundFields(property, field.Type)
		if tag, ok := field.Tag.Lookup("min"); ok {
			least, err := strconv.ParseFloat(tag, 64)
			if err != nil {
				panic(fmt.Sprintf("tools: min tag of %v.%s: %v", t, field.Name, err))
			}
			property.Minimum = &least
		}
		if field.Tag.Get("nonempty") == "true" {
			property.MinLength = jsonschema.Ptr(1)
		}
		property.MinItems = countTag(t, field, "minitems")
		property.MaxItems = countTag(t, field, "maxitems")
	}
	return s
}

// countTag is the number a field's tag holds; nil where it has none.
func countTag(t reflect.Type, field reflect.StructField, name string) *int {
	tag, ok := field.Tag.Lookup(name)
	if !ok {
		return nil
	}
	n, err := strconv.Atoi(tag)
	if err != nil {
		panic(fmt.Sprintf("tools: %s tag of %v.%s: %v", name, t, field.Name, err))
	}
	return &n
}
