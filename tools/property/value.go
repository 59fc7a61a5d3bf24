// Package property computes the new value of a note's property from a call: a single value, a whole list, or elements
// to add and remove.
package property

import (
	"slices"
	"strings"

	"chatvault/tools/argument"
	"chatvault/tools/wording"
	"chatvault/vault/note"
)

// listKeys are the properties that Obsidian always treats as lists.
var listKeys = []string{"tags", "tag", "aliases", "alias", "cssclasses", "cssclass"}

// isList reports whether Obsidian treats a property as a list of texts.
func isList(key string) bool { return slices.Contains(listKeys, strings.ToLower(key)) }

// splitTags splits a text of tags at commas and spaces.
func splitTags(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}

// Wanted is the requested value of a property, as one of Value, Values, or Add and Remove.
type Wanted struct {
	Key    string            `json:"key" nonempty:"true"`
	Value  *argument.Scalar  `json:"value,omitempty" jsonschema:"text, number, true, false, date or [[Note]]; empty: no value"`
	Text   bool              `json:"as_text,omitempty" jsonschema:"value is text, whatever it looks like"`
	Values []argument.Scalar `json:"values,omitempty" jsonschema:"the whole list"`
	Add    []argument.Scalar `json:"add,omitempty" jsonschema:"to a list; tags without #"`
	Remove []argument.Scalar `json:"remove,omitempty" jsonschema:"from a list"`
}

// New returns the property's new value. old is its current value, number the digits if that is a number with a
// spelling of its own. Lists are []any.
func (w Wanted) New(old any, number string) (any, error) {
	if _, nested := old.([]note.Property); nested && len(w.Add)+len(w.Remove) == 0 {
		return nil, wording.Sentence("%s has nested properties, which would be lost; change it with edit_file, or delete it first.", wording.Quote(w.Key))
	}
	switch {
	case w.Value != nil:
		return w.single(old)
	case len(w.Add)+len(w.Remove) > 0:
		return w.changedList(old, number)
	}
	return elements(w.Key, w.Values)
}

// single returns the property with one value. List properties get a list.
func (w Wanted) single(old any) (any, error) {
	text := strings.TrimSpace(w.Value.Text())
	switch {
	case text == "" && !w.Text:
		return nil, nil
	case note.IsTags(w.Key):
		var tags []argument.Scalar
		for _, tag := range splitTags(text) {
			tags = append(tags, argument.TextScalar(tag))
		}
		return elements(w.Key, tags)
	case isList(w.Key):
		return elements(w.Key, []argument.Scalar{*w.Value})
	case w.Text:
		return w.Value.Text(), nil
	}
	if v, ok, err := w.Value.Typed(); ok || err != nil {
		return v, err
	}
	return typed(text, old), nil
}

// typed parses a text as a value. It becomes a number, boolean or null only if that is written with the same
// characters, so that 0770123, 1.10 and +4930 are kept. If the old value was a text that needed quotes, the new one
// stays a text; if it was a boolean, any spelling of one is.
func typed(text string, old any) any {
	if was, ok := old.(string); ok {
		if _, plain := note.Scalar(was).(string); !plain {
			return text
		}
	}
	meant := note.Scalar(text)
	if _, is := meant.(bool); is {
		if _, was := old.(bool); was {
			return meant
		}
	}
	if note.ValueText(meant) != text {
		return text
	}
	return meant
}

// elements returns values as a list without duplicates and empty ones; tags without "#". Texts are not parsed.
func elements(key string, values []argument.Scalar) ([]any, error) {
	list := []any{}
	for _, value := range values {
		v, ok, err := value.Typed()
		if err != nil {
			return nil, err
		}
		if !ok || isList(key) {
			v = strings.TrimSpace(value.Text())
		}
		if note.IsTags(key) {
			tag := strings.Trim(v.(string), "#/")
			if !note.IsTag(tag) {
				return nil, wording.Sentence("%s cannot be a tag: a tag has letters, digits, - and _, no spaces, and not only digits; / nests it. Use one such as project/alpha.",
					wording.Quote(wording.Shorten(v.(string), 40)))
			}
			v = tag
		}
		if v != "" && !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list, nil
}

// changedList returns the property with elements added and removed. Any other value becomes a list if something
// changes.
func (w Wanted) changedList(old any, number string) (any, error) {
	switch _, nested := old.([]note.Property); {
	case nested:
		return nil, wording.Sentence("%s has nested properties and is not a list; change it with edit_file.", wording.Quote(w.Key))
	case old == nil && len(w.Add) == 0:
		return nil, wording.Sentence("The note has no property %s to remove anything from. What stands in its text is changed with edit_file.", wording.Quote(w.Key))
	}
	_, isList := old.([]any)
	was := listOf(w.Key, old)
	switch {
	case was != nil || old == nil:
	case number != "":
		was = []any{number}
	default:
		was = []any{old}
	}
	add, err := elements(w.Key, w.Add)
	if err != nil {
		return nil, err
	}
	same := func(v any, text string) bool { return sameElement(v, text, note.IsTags(w.Key)) }
	list := []any{}
	for _, v := range was {
		if !slices.ContainsFunc(w.Remove, func(r argument.Scalar) bool { return same(v, strings.TrimSpace(r.Text())) }) {
			list = append(list, v)
		}
	}
	changed := len(list) < len(was)
	for _, v := range add {
		if !slices.ContainsFunc(list, func(has any) bool { return same(has, elementText(v)) }) {
			list = append(list, v)
			changed = true
		}
	}
	if !changed && !isList {
		return old, nil
	}
	return list, nil
}

// listOf returns the value of a property as a list if it is one or Obsidian treats it as one, else nil.
func listOf(key string, value any) (list []any) {
	text, isText := value.(string)
	switch {
	case isText && note.IsTags(key):
		list = []any{}
		for _, tag := range splitTags(text) {
			list = append(list, tag)
		}
	case isText && isList(key):
		list = []any{text}
	case !isText:
		list, _ = value.([]any)
	}
	return list
}

// Joined returns the list of a property with the elements of another value for it. more is false if there are none to
// add or one of the two is not a list.
func Joined(key string, value, other any) (list []any, more bool) {
	if list = listOf(key, value); list == nil {
		return nil, false
	}
	for _, v := range listOf(key, other) {
		if !slices.ContainsFunc(list, func(has any) bool { return sameElement(has, elementText(v), note.IsTags(key)) }) {
			list, more = append(list, v), true
		}
	}
	return list, more
}

// sameElement reports whether a list element equals a text. For tags, case and "#" are ignored.
func sameElement(v any, text string, tags bool) bool {
	has := elementText(v)
	if tags {
		return strings.EqualFold(strings.Trim(has, "#/"), strings.Trim(text, "#/"))
	}
	return has == text
}

func elementText(v any) string {
	if text, ok := v.(string); ok {
		return text
	}
	return note.ValueText(v)
}
