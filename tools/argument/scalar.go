package argument

import (
	"encoding/json"
	"strconv"
	"strings"

	"chatvault/tools/wording"
)

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
