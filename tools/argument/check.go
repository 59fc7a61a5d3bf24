package argument

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"chatvault/tools/wording"
)

// checker checks arguments against the part of JSON Schema that the tools use. Its errors name the argument and what
// was expected.
type checker struct {
	tool     string
	problems []string
	unknown  []string // for unknown arguments
}

// object checks an object. prefix is the argument it belongs to: "delete_lines.".
func (c *checker) object(s *jsonschema.Schema, object map[string]any, prefix string) {
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if property := s.Properties[name]; property != nil {
			c.value(property, object[name], prefix+name)
		} else {
			c.unknown = append(c.unknown, fmt.Sprintf("Unknown argument %s for %s; it takes %s.",
				wording.Quote(prefix+wording.Shorten(name, 80)), c.tool, strings.Join(s.PropertyOrder, ", ")))
		}
	}
	for _, name := range s.Required {
		if _, given := object[name]; !given {
			c.problems = append(c.problems, fmt.Sprintf("Missing argument %q for %s.", prefix+name, c.tool))
		}
	}
}

func (c *checker) value(s *jsonschema.Schema, v any, name string) {
	if len(s.Types) > 0 && !slices.Contains(s.Types, typeOf(v)) {
		c.wrong(name, "must be text, a number, true or false, not %s", kindOf(v))
	}
	switch s.Type {
	case "string":
		if text, ok := v.(string); !ok {
			c.wrong(name, "must be a string, not %s", kindOf(v))
		} else if s.Enum != nil && !slices.Contains(s.Enum, v) {
			c.wrong(name, "must be %s, not %s", alternatives(s.Enum), wording.Quote(wording.Shorten(text, 40)))
		} else if s.MinLength != nil && utf8.RuneCountInString(text) < *s.MinLength {
			c.wrong(name, "must not be empty")
		}
	case "boolean":
		if _, ok := v.(bool); !ok {
			c.wrong(name, "must be true or false, not %s", kindOf(v))
		}
	case "integer":
		number, ok := v.(json.Number)
		if ok {
			number, ok = integer(number.String())
		}
		if !ok {
			c.wrong(name, "must be an integer, not %s", kindOf(v))
			return
		}
		if n, err := number.Float64(); err != nil || s.Minimum != nil && n < *s.Minimum {
			c.wrong(name, "must be at least %v, not %s", *s.Minimum, number)
		}
	case "object":
		if object, ok := v.(map[string]any); ok {
			c.object(s, object, name+".")
		} else {
			c.wrong(name, "must be an object, not %s", kindOf(v))
		}
	case "array":
		if list, ok := v.([]any); ok {
			c.array(s, list, name)
		} else {
			c.wrong(name, "must be an array, not %s", kindOf(v))
		}
	}
}

// array checks a list and its elements, which are named by index: "items[2].text".
func (c *checker) array(s *jsonschema.Schema, list []any, name string) {
	switch {
	case s.MinItems != nil && len(list) < *s.MinItems:
		c.wrong(name, "must have at least %d, not %d", *s.MinItems, len(list))
	case s.MaxItems != nil && len(list) > *s.MaxItems:
		c.wrong(name, "may have at most %d, not %d", *s.MaxItems, len(list))
	default:
		for i, v := range list {
			c.value(s.Items, v, fmt.Sprintf("%s[%d]", name, i))
		}
	}
}

// alternatives lists choices in a sentence: path, read or append.
func alternatives(choices []any) string {
	words := make([]string, len(choices))
	for i, choice := range choices {
		words[i] = fmt.Sprint(choice)
	}
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
