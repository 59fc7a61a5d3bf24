package typed

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Parse parses a schema.
func Parse(data []byte) (*Form, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	var doc any
	if err := json.Unmarshal(data, &doc); err != nil {
		return nil, fmt.Errorf("it is not JSON: %w", err)
	}
	f := &Form{Schema: compact(data), required: map[string]bool{}}
	if top, ok := doc.(map[string]any); ok {
		delete(top, "$id")
	}
	if err := f.look(doc, doc); err != nil {
		return nil, err
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, err
	}
	old := strings.Contains(s.Schema, "/draft-07/") // in all of its spellings
	if s.Schema != "" && !old && !strings.Contains(s.Schema, "/2020-12/") {
		return nil, fmt.Errorf("%q is another version of JSON Schema than 2020-12 or draft-07", s.Schema)
	}
	if s.Schema = ""; old {
		s.Schema = "http://json-schema.org/draft-07/schema#"
	}
	var err error
	f.resolved, err = s.Resolve(nil)
	return f, err
}

// look returns the first fault in a part of a schema that the library does not find, and notes the required members. A
// member with the name of a keyword is no keyword if its value is an object.
func (f *Form) look(doc, part any) error {
	list, _ := part.([]any)
	object, _ := part.(map[string]any)
	if _, ok := object["$id"].(string); ok {
		return errors.New("$id can stand only at the top")
	}
	names, _ := object["required"].([]any)
	for _, name := range names {
		f.required[fmt.Sprint(name)] = true
	}
	if err := ends(doc, part, nil); err != nil {
		return err
	}
	for name, v := range object {
		if !slices.Contains([]string{"const", "default", "enum", "example", "examples"}, name) {
			list = append(list, v)
		}
	}
	for _, v := range list {
		if err := f.look(doc, v); err != nil {
			return err
		}
	}
	return nil
}

// ends returns an error if a schema refers to itself for the same value, since checking that would not end. open are the
// references that led to it.
func ends(doc, schema any, open []string) error {
	object, ok := schema.(map[string]any)
	if !ok {
		return nil
	}
	for _, name := range []string{"$ref", "$dynamicRef"} {
		ref, ok := object[name].(string)
		switch {
		case !ok:
			continue
		case ref != "#" && !strings.HasPrefix(ref, "#/"):
			return fmt.Errorf("%q: only references within the schema can be used, such as #/$defs/NAME", ref)
		case slices.Contains(open, ref):
			return fmt.Errorf("%s refers to itself for the same value, without end", ref)
		}
		if err := ends(doc, at(doc, ref), append(slices.Clip(open), ref)); err != nil {
			return err
		}
	}
	var same []any // schemas for the same value
	for _, name := range []string{"allOf", "anyOf", "else", "if", "not", "oneOf", "then"} {
		list, _ := object[name].([]any)
		same = append(append(same, object[name]), list...)
	}
	for _, name := range []string{"dependencies", "dependentSchemas"} {
		byName, _ := object[name].(map[string]any)
		same = slices.AppendSeq(same, maps.Values(byName))
	}
	for _, inner := range same {
		if err := ends(doc, inner, open); err != nil {
			return err
		}
	}
	return nil
}

// at returns the part of a document to which a reference leads; nil if there is none.
func at(doc any, ref string) any {
	pointer, _ := url.PathUnescape(strings.TrimPrefix(ref, "#")) // resolving it reports a fault
	for _, name := range strings.Split(pointer, "/")[1:] {
		switch v := doc.(type) {
		case map[string]any:
			doc = v[strings.NewReplacer("~1", "/", "~0", "~").Replace(name)]
		case []any:
			n, err := strconv.Atoi(name)
			if err != nil || n < 0 || n >= len(v) {
				return nil
			}
			doc = v[n]
		}
	}
	return doc
}
