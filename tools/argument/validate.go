package argument

import (
	"encoding/json"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"chatvault/tools/wording"
)

// Decode checks raw against the schema and fills args, a pointer to the struct the
// schema was derived from. Its errors name the argument; they are whole sentences.
//
// What models get wrong all the time and what can mean one thing only is put right
// first: a null for an optional argument counts as not given, "3" and 3.0 are the
// integer 3, "true" is the boolean, "Open" is the choice open, and an empty text is none of an
// optional one's choices. Nothing else is guessed.
func (s *Schema) Decode(tool string, raw json.RawMessage, args any) error {
	object, err := parseObject(tool, raw)
	if err != nil {
		return err
	}
	coerceObject(s.Bound, object)
	c := checker{tool: tool}
	c.object(s.Bound, object, "")
	if err := c.err(); err != nil {
		return err
	}
	text, err := json.Marshal(object)
	if err == nil {
		err = json.Unmarshal(text, args)
	}
	if err != nil {
		return wording.Sentence("The arguments of %s cannot be read: %v.", tool, err)
	}
	return nil
}

// coerceObject puts right, in place, what decode documents.
func coerceObject(s *jsonschema.Schema, object map[string]any) {
	for name, v := range object {
		property := s.Properties[name]
		if property == nil {
			continue
		}
		v = coerce(property, v)
		if (v == nil || v == "" && property.Enum != nil) && !slices.Contains(s.Required, name) {
			delete(object, name)
			continue
		}
		object[name] = v
	}
}

func coerce(s *jsonschema.Schema, v any) any {
	switch v := v.(type) {
	case map[string]any:
		if s.Type == "object" {
			coerceObject(s, v)
		}
	case []any:
		if s.Type == "array" {
			for i, element := range v {
				v[i] = coerce(s.Items, element)
			}
		}
	case json.Number:
		if n, ok := integer(v.String()); ok && s.Type == "integer" {
			return n
		}
	case string:
		text := strings.TrimSpace(v)
		switch s.Type {
		case "string":
			if s.Enum != nil {
				return strings.ToLower(text)
			}
		case "integer":
			if n, ok := integer(text); ok {
				return n
			}
		case "boolean":
			if text == "true" || text == "false" {
				return text == "true"
			}
		}
	}
	return v
}

// largestInteger is the largest magnitude that no program on the way rounds.
const largestInteger = 1 << 53

// integer reads a JSON number that is integral ("3", "3.0", "3e2") and at most
// largestInteger; it is returned in plain digits.
func integer(text string) (json.Number, bool) {
	if len(text) > 32 || !json.Valid([]byte(text)) {
		return "", false
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.Abs(f) > largestInteger {
		return "", false
	}
	// A tiny fraction is no integer, and expanding 1e-99999 exactly would be work.
	if f == 0 && strings.ContainsAny(text, "123456789") || f != 0 && math.Abs(f) < 0.5 {
		return "", false
	}
	if f == 0 {
		return "0", true
	}
	exact, ok := new(big.Rat).SetString(text)
	if !ok || !exact.IsInt() {
		return "", false
	}
	return json.Number(exact.Num().String()), true
}

// Scalar is a value as JSON has it: a text, true or false, or a number in its digits. In a schema
// it is told as a text, which says them all: not every endpoint takes several types.
type Scalar struct{ value any } // string, bool or json.Number

// UnmarshalJSON keeps a number's digits.
func (s *Scalar) UnmarshalJSON(raw []byte) error {
	if raw[0] != '"' && raw[0] != 't' && raw[0] != 'f' {
		s.value = json.Number(raw)
		return nil
	}
	return json.Unmarshal(raw, &s.value)
}

// Text is the value as a text.
func (s Scalar) Text() string {
	switch v := s.value.(type) {
	case bool:
		return strconv.FormatBool(v)
	case json.Number:
		return v.String()
	}
	text, _ := s.value.(string)
	return text
}

// Typed is the value as front matter has it; ok: it is no text, whose meaning is open.
func (s Scalar) Typed() (v any, ok bool, err error) {
	number, is := s.value.(json.Number)
	if !is {
		_, ok = s.value.(bool)
		return s.value, ok, nil
	}
	if n, err := strconv.ParseInt(number.String(), 10, 64); err == nil {
		return n, true, nil
	}
	f, err := number.Float64()
	if whole := !strings.ContainsAny(number.String(), ".eE"); err != nil || whole {
		return nil, false, wording.Sentence(`%s is too large for a number, which would lose digits: set it as text, with "as_text": true.`, wording.Shorten(number.String(), 40))
	}
	return f, true, nil
}

// TextScalar is a text as a Scalar.
func TextScalar(text string) Scalar { return Scalar{text} }
