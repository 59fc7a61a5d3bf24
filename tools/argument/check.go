package argument

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"chatvault/internal/base/text"
	"chatvault/tools/wording"
)

// checker checks arguments against the part of JSON Schema that the tools use, and corrects what Decode documents. Its
// errors name the argument and what was expected.
type checker struct {
	tool     string
	problems []string
	unknown  []string // for unknown arguments
}

// object checks an object in place. prefix is the argument it belongs to: "delete_lines.".
func (c *checker) object(s *jsonschema.Schema, object map[string]any, prefix string) {
	for name, property := range s.Properties {
		if other, ok := property.Extra[unless].(string); ok && object[name] == nil && object[other] != nil {
			object[name] = ""
		}
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		switch property := s.Properties[name]; {
		case property == nil:
			c.unknown = append(c.unknown, fmt.Sprintf("Unknown argument %s for %s; it takes %s.",
				wording.Quote(prefix+wording.Shorten(name, 80)), c.tool, cmp.Or(strings.Join(s.PropertyOrder, ", "), "no arguments")))
		case isAbsent(property, object[name]) && !slices.Contains(s.Required, name):
			delete(object, name)
		default:
			object[name] = c.value(property, object[name], prefix+name)
		}
	}
	for _, name := range s.Required {
		if _, given := object[name]; !given {
			c.problems = append(c.problems, fmt.Sprintf("Missing argument %q for %s.", prefix+name, c.tool))
		}
	}
}

// isAbsent reports whether a value means that an optional argument was not given.
func isAbsent(s *jsonschema.Schema, v any) bool {
	text, isText := v.(string)
	return v == nil && !slices.Contains(s.Types, "null") ||
		isText && strings.TrimSpace(text) == "" && (s.Enum != nil || s.Type == "array" || s.Type == "object")
}

// value checks a value and returns it corrected.
func (c *checker) value(s *jsonschema.Schema, v any, name string) any {
	v = corrected(s, v)
	if !hasType(s, v) {
		c.wrong(name, "must be %s, not %s", cmp.Or(typeNames[s.Type], "text, a number, true or false"), kindOf(v))
		return v
	}
	switch v := v.(type) {
	case string:
		if s.Enum != nil && !slices.Contains(s.Enum, any(v)) {
			c.wrong(name, "must be %s, not %s", alternatives(s.Enum), wording.Quote(wording.Shorten(v, 40)))
		} else if s.MinLength != nil && utf8.RuneCountInString(v) < *s.MinLength {
			c.wrong(name, "must not be empty")
		}
	case json.Number:
		if f, _ := v.Float64(); s.Minimum != nil && f < *s.Minimum {
			c.wrong(name, "must be at least %v, not %s", *s.Minimum, v)
		}
	case map[string]any:
		c.object(s, v, name+".")
	case []any:
		switch {
		case s.MinItems != nil && len(v) < *s.MinItems:
			c.wrong(name, "must have at least %d, not %d", *s.MinItems, len(v))
		case s.MaxItems != nil && len(v) > *s.MaxItems:
			c.wrong(name, "may have at most %d, not %d", *s.MaxItems, len(v))
		case s.Items != nil:
			for i, element := range v {
				v[i] = c.value(s.Items, element, fmt.Sprintf("%s[%d]", name, i)) // "items[2].text"
			}
		}
	}
	return v
}

// typeNames are the types in a sentence.
var typeNames = map[string]string{
	"string": "a string", "boolean": "true or false", "integer": "an integer", "object": "an object", "array": "an array",
}

// hasType reports whether a value has the type of its schema.
func hasType(s *jsonschema.Schema, v any) bool {
	if number, ok := v.(json.Number); ok && s.Type == "integer" {
		_, ok = integer(number.String())
		return ok
	}
	is := typeOf(v)
	return is != "" && (is == s.Type || slices.Contains(s.Types, is))
}

// corrected returns a value in the type of its schema, if it is an unambiguous spelling of one.
func corrected(s *jsonschema.Schema, v any) any {
	if text, ok := v.(string); ok && (s.Type == "array" || s.Type == "object") {
		v = parseContainer(text)
	}
	if s.Type == "array" && s.Items != nil && v != nil && v != "" && typeOf(v) != "array" {
		if is := typeOf(corrected(s.Items, v)); is != "array" && (is == s.Items.Type || slices.Contains(s.Items.Types, is)) {
			return []any{v}
		}
	}
	isText := s.Type == "string" && s.Enum == nil
	switch v := v.(type) {
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

// alternatives lists choices in a sentence: path, read or append.
func alternatives(choices []any) string {
	words := text.Of(choices, func(choice any) string { return fmt.Sprint(choice) })
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
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

func (c *checker) wrong(name, format string, a ...any) {
	c.problems = append(c.problems, fmt.Sprintf("Argument %q of %s %s.", name, c.tool, fmt.Sprintf(format, a...)))
}

// maxProblems is the maximum number of problems in an error.
const maxProblems = 4

// err combines the problems into one error, unknown arguments first.
func (c *checker) err() error {
	all := slices.Concat(c.unknown, c.problems)
	if len(all) == 0 {
		return nil
	}
	return errors.New(strings.Join(all[:min(len(all), maxProblems)], " "))
}
