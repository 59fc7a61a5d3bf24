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

	"chatvault/internal/text"
	"chatvault/tools/wording"
)

// checker checks arguments against the part of JSON Schema that the tools use. Its errors name the argument and what
// was expected.
type checker struct {
	tool     string
	problems []problem
	unknown  []problem // for unknown arguments
}

// problem is a fault of the arguments.
type problem struct {
	text    string
	meant   string // for an unknown argument: what was probably meant
	missing string // name of a missing argument
}

// object checks an object. prefix is the argument it belongs to: "delete_lines.".
func (c *checker) object(s *jsonschema.Schema, object map[string]any, prefix string) {
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if property := s.Properties[name]; property != nil {
			c.value(property, object[name], prefix+name)
		} else {
			c.unknownArgument(s, object, prefix, name)
		}
	}
	for _, name := range s.Required {
		if _, given := object[name]; !given {
			c.problems = append(c.problems, problem{
				text:    fmt.Sprintf("Missing argument %q for %s.", prefix+name, c.tool),
				missing: prefix + name,
			})
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
	text := fmt.Sprintf("Argument %q of %s %s.", name, c.tool, fmt.Sprintf(format, a...))
	c.problems = append(c.problems, problem{text: text})
}

func (c *checker) unknownArgument(s *jsonschema.Schema, object map[string]any, prefix, name string) {
	var free []string
	for _, candidate := range s.PropertyOrder {
		if _, given := object[candidate]; !given {
			free = append(free, candidate)
		}
	}
	meant := likelyArgument(name, free)
	text := fmt.Sprintf("Unknown argument %s for %s", wording.Quote(prefix+wording.Shorten(name, 80)), c.tool)
	if meant != "" {
		meant = prefix + meant
		text += fmt.Sprintf("; did you mean %q?", meant)
	} else {
		text += "; it takes " + strings.Join(s.PropertyOrder, ", ") + "."
	}
	c.unknown = append(c.unknown, problem{text: text, meant: meant})
}

// maxProblems is the maximum number of problems in an error.
const maxProblems = 4

// err combines the problems into one error, unknown arguments first. If an unknown argument was probably meant as a
// missing one, the latter is not reported.
func (c *checker) err() error {
	meant := make(map[string]bool)
	var texts []string
	for _, p := range slices.Concat(c.unknown, c.problems) {
		if p.missing != "" && meant[p.missing] {
			continue
		}
		if p.meant != "" {
			meant[p.meant] = true
		}
		if len(texts) < maxProblems {
			texts = append(texts, p.text)
		}
	}
	if len(texts) == 0 {
		return nil
	}
	return errors.New(strings.Join(texts, " "))
}

// argumentSynonyms are other programs' names for our arguments, folded, with ours in order of preference.
var argumentSynonyms = map[string][]string{
	"file":        {"path", "source"},
	"filename":    {"path"},
	"filepath":    {"path"},
	"name":        {"path"},
	"note":        {"path"},
	"folder":      {"path"},
	"dir":         {"path"},
	"directory":   {"path"},
	"target":      {"path", "destination"},
	"query":       {"pattern"},
	"regex":       {"pattern"},
	"regexp":      {"pattern"},
	"search":      {"pattern", "old_text"},
	"glob":        {"file_pattern", "pattern"},
	"include":     {"file_pattern"},
	"path":        {"source", "file_pattern"},
	"from":        {"source", "start_line", "start"},
	"src":         {"source"},
	"oldpath":     {"source"},
	"to":          {"destination", "end_line", "end"},
	"dest":        {"destination"},
	"newpath":     {"destination"},
	"text":        {"content", "message", "question", "task"},
	"body":        {"content", "message"},
	"data":        {"content"},
	"old":         {"old_text"},
	"oldstring":   {"old_text"},
	"oldstr":      {"old_text"},
	"find":        {"old_text"},
	"new":         {"new_text"},
	"newstring":   {"new_text"},
	"newstr":      {"new_text"},
	"replace":     {"new_text"},
	"replacement": {"new_text"},
	"insertline":  {"insert_after_line"},
	"line":        {"insert_after_line", "start_line"},
	"limit":       {"max_results", "end_line"},
	"count":       {"max_results"},
	"offset":      {"start_line"},
	"start":       {"start_line"},
	"end":         {"end_line"},
	"force":       {"recursive"},
	"choices":     {"options"},
	"answers":     {"options"},
	"tasks":       {"items"},
	"todos":       {"items"},
	"steps":       {"items"},
	"prompt":      {"task", "question", "message"},
	"description": {"task"},
	"completed":   {"done"},
}

// likelyArgument returns which free argument an unknown name probably means, or "": by meaning first ("file" is not a
// misspelt "path"), then by spelling.
func likelyArgument(name string, free []string) string {
	for _, ours := range argumentSynonyms[text.Unseparated(name)] {
		if slices.Contains(free, ours) {
			return ours
		}
	}
	return text.Near(name, free)
}
