package argument

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"chatvault/internal/base/lazyregexp"
	"chatvault/tools/wording"
)

// Decode checks raw against the schema and decodes it into args, a pointer to the struct that the schema was derived
// from. Its errors are sentences that name what is wrong and the arguments there are.
//
// It first corrects common unambiguous mistakes of models: null for an optional argument means absent; "3" and 3.0
// are the integer 3; "True" is a boolean; "Open" is the choice open; an empty text for an optional choice, list or
// object means absent. A list or an object may be given as a string of its JSON, a single element without its list,
// and a number or boolean as a text.
func (s *Schema) Decode(tool string, raw json.RawMessage, args any) error {
	object, err := parseObject(tool, raw)
	if err != nil {
		return err
	}
	correctObject(s.Bound, object)
	text, err := json.Marshal(object)
	var plain any
	if err = cmp.Or(err, json.Unmarshal(text, &plain)); err == nil {
		err = s.resolved.Validate(plain)
	}
	if err = cmp.Or(err, json.Unmarshal(text, args)); err != nil {
		m := fault().FindStringSubmatch(err.Error())
		at := strings.NewReplacer("root: ", "", "/properties/", ".", "/items", "[]").Replace(m[1])
		why := strings.NewReplacer("unexpected additional properties", "unknown arguments", "required: missing properties", "missing arguments",
			"/1 is less", " is less", ".000000", "", "<invalid reflect.Value>", "null").Replace(m[2])
		known := func(name string) bool { return s.Bound.Properties[name] != nil }
		if unknown := slices.DeleteFunc(slices.Sorted(maps.Keys(object)), known); len(unknown) > 0 {
			why = fmt.Sprintf("unknown arguments %q", unknown) // in order, unlike the library's
		}
		return wording.Sentence("Wrong arguments for %s: %s%s. It takes %s.", tool, strings.TrimPrefix(at, "."), wording.Shorten(why, 200),
			cmp.Or(strings.Join(s.Bound.PropertyOrder, ", "), "no arguments"))
	}
	return nil
}

// fault splits an error of the validation into the place, with a colon, and the reason.
var fault = lazyregexp.New(`(?s)^(?:validating (\S+: ))*(.*)$`)

// Coerce corrects the arguments of another server's tool like Decode, by its JSON Schema. It returns them unchanged
// if either cannot be parsed.
func Coerce(schema, raw json.RawMessage) json.RawMessage {
	var s jsonschema.Schema
	object, err := parseObject("", raw)
	if err != nil || json.Unmarshal(schema, &s) != nil {
		return raw
	}
	correctObject(&s, object)      // the server checks them itself
	out, _ := json.Marshal(object) // it was decoded: cannot fail
	return out
}

// parseContainer returns the list or object that a text encodes as JSON, else the text.
func parseContainer(text string) any {
	object, err := parseObject("", []byte(`{"":`+text+`}`))
	if v, one := object[""]; err == nil && one && len(object) == 1 && (typeOf(v) == "array" || typeOf(v) == "object") {
		return v
	}
	return text
}

// largestInteger is the largest magnitude that no JSON implementation rounds.
const largestInteger = 1 << 53

// integer parses an integral JSON number ("3", "3.0", "3e2") up to largestInteger and returns it in plain digits.
func integer(text string) (json.Number, bool) {
	if len(text) > 32 || !json.Valid([]byte(text)) {
		return "", false
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.Abs(f) > largestInteger || f != math.Trunc(f) || f == 0 && strings.ContainsAny(text, "123456789") {
		return "", false
	}
	return json.Number(strconv.FormatInt(int64(f), 10)), true
}

// Scalar is a JSON text, boolean or number. The model's schema declares it as a text, which can express all of them:
// not every endpoint accepts several types.
type Scalar struct{ value any } // string, bool or json.Number

// UnmarshalJSON keeps a number's digits.
func (s *Scalar) UnmarshalJSON(raw []byte) error {
	if raw[0] != '"' && raw[0] != 't' && raw[0] != 'f' {
		s.value = json.Number(raw)
		return nil
	}
	return json.Unmarshal(raw, &s.value)
}

// Text returns the value as a text.
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

// Typed returns the value for front matter. ok is false for a text, which must still be parsed.
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

// TextScalar returns a text as a Scalar.
func TextScalar(text string) Scalar { return Scalar{text} }
