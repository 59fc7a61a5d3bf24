package argument

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"strconv"
	"unicode/utf8"

	"chatvault/tools/wording"
)

// maxArgumentBytes limits the arguments of a call.
const maxArgumentBytes = 2 << 20

// parseObject parses arguments strictly: one JSON object of bounded size, valid UTF-8, without duplicate keys or trailing
// data. So the arguments shown are the ones used; a lenient parser would let a second "path" hide behind the first.
// Numbers stay json.Number. Empty input and null are an empty object.
func parseObject(tool string, raw []byte) (object map[string]any, err error) {
	if len(raw) > maxArgumentBytes {
		return nil, wording.Sentence("The arguments of %s are too large: %s, at most %s. Write long content in parts.",
			tool, wording.SizeText(int64(len(raw))), wording.SizeText(maxArgumentBytes))
	}
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || string(raw) == "null" {
		return map[string]any{}, nil
	}
	if err = json.Unmarshal(raw, new(json.RawMessage)); err == nil && !utf8.Valid(raw) {
		err = errors.New("they are not UTF-8")
	}
	if err != nil {
		return nil, wording.Sentence("The arguments of %s are not valid JSON: %v.", tool, err)
	}
	if key := repeatedKey(json.NewDecoder(bytes.NewReader(raw))); key != "" {
		return nil, wording.Sentence("Argument %s of %s is given twice. Give each argument once.", wording.Shorten(key, 80), tool)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if dec.Decode(&object) != nil {
		return nil, wording.Sentence("The arguments of %s must be a JSON object.", tool)
	}
	return object, nil
}

// repeatedKey returns a key that an object in valid JSON has twice, quoted, or "".
func repeatedKey(dec *json.Decoder) (twice string) {
	opening, _ := dec.Token()
	if _, container := opening.(json.Delim); !container {
		return ""
	}
	keys := map[json.Token]bool{}
	for dec.More() {
		if opening == json.Delim('{') {
			key, _ := dec.Token()
			if name, _ := key.(string); keys[key] {
				twice = strconv.Quote(name)
			}
			keys[key] = true
		}
		twice = cmp.Or(repeatedKey(dec), twice)
	}
	_, _ = dec.Token()
	return twice
}
