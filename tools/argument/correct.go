package argument

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// correctObject corrects an object in place as Decode documents.
func correctObject(s *jsonschema.Schema, object map[string]any) {
	for name, property := range s.Properties {
		if other, ok := property.Extra[unless].(string); ok && object[name] == nil && object[other] != nil {
			object[name] = ""
		}
		switch v, given := object[name]; {
		case !given:
		case isAbsent(property, v) && !slices.Contains(s.Required, name):
			delete(object, name)
		default:
			object[name] = corrected(property, v)
		}
	}
}

// isAbsent reports whether a value means that an optional argument was not given.
func isAbsent(s *jsonschema.Schema, v any) bool {
	text, isText := v.(string)
	return v == nil && !slices.Contains(s.Types, "null") ||
		isText && strings.TrimSpace(text) == "" && (s.Enum != nil || s.Type == "array" || s.Type == "object")
}

// corrected returns a value in the type of its schema, if it is an unambiguous spelling of one.
func corrected(s *jsonschema.Schema, v any) any {
	if text, ok := v.(string); ok && (s.Type == "array" || s.Type == "object") {
		v = parseContainer(text)
	}
	if s.Type == "array" && s.Items != nil && v != nil && v != "" && typeOf(v) != "array" {
		if is := typeOf(corrected(s.Items, v)); is != "array" && (is == s.Items.Type || slices.Contains(s.Items.Types, is)) {
			v = []any{v}
		}
	}
	isText := s.Type == "string" && s.Enum == nil
	switch v := v.(type) {
	case map[string]any:
		correctObject(s, v)
	case []any:
		for i := range v {
			if s.Items != nil {
				v[i] = corrected(s.Items, v[i])
			}
		}
	case bool:
		if isText {
			return strconv.FormatBool(v)
		}
	case json.Number:
		if n, ok := integer(v.String()); ok && s.Type == "integer" {
			return n
		}
		if isText {
			return v.String()
		}
	case string:
		return correctedText(s, v)
	}
	return v
}

func correctedText(s *jsonschema.Schema, v string) any {
	text := strings.TrimSpace(v)
	switch n, isInteger := integer(text); {
	case s.Type == "string" && s.Enum != nil:
		return strings.ToLower(text)
	case s.Type == "integer" && isInteger:
		return n
	case s.Type == "boolean" && (strings.EqualFold(text, "true") || strings.EqualFold(text, "false")):
		return strings.EqualFold(text, "true")
	}
	return v
}

// typeOf returns the JSON Schema type of an argument, or "" for null.
func typeOf(v any) string {
	switch v.(type) {
	case string:
		return "string"
	case bool:
		return "boolean"
	case json.Number:
		return "number"
	case map[string]any:
		return "object"
	case []any:
		return "array"
	}
	return ""
}
