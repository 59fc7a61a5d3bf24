package argument

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"chatvault/tools/wording"
)

// maxArgumentBytes is the maximum size of arguments.
const maxArgumentBytes = 2 << 20

// parseObject parses arguments: one JSON object of bounded size, valid UTF-8, without trailing data. Of two values for
// a key, the last counts, as everywhere. Numbers stay json.Number. Empty input and null are an empty object.
func parseObject(tool string, raw []byte) (map[string]any, error) {
	if len(raw) > maxArgumentBytes {
		return nil, wording.Sentence("The arguments of %s are too large: %s, at most %s. Write long content in parts.",
			tool, wording.SizeText(int64(len(raw))), wording.SizeText(maxArgumentBytes))
	}
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return map[string]any{}, nil
	}
	if !utf8.Valid(raw) {
		return nil, wording.Sentence("The arguments of %s are not valid UTF-8.", tool)
	}
	var valid json.RawMessage
	if err := json.Unmarshal(raw, &valid); err != nil {
		return nil, wording.Sentence("The arguments of %s are not valid JSON: %v.", tool, err)
	}
	var v any
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	_ = dec.Decode(&v) // it is valid
	object, ok := v.(map[string]any)
	if !ok {
		return nil, wording.Sentence("The arguments of %s must be a JSON object, not %s.", tool, kindOf(v))
	}
	return object, nil
}

// kindOf describes a JSON value's type in a sentence.
func kindOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "the boolean " + strconv.FormatBool(v)
	case json.Number:
		return "the number " + wording.Shorten(v.String(), 40)
	case string:
		return "the string " + strconv.Quote(wording.Shorten(v, 40))
	case []any:
		return "an array"
	default:
		return "an object"
	}
}
