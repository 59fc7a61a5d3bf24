package argument

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"chatvault/tools/wording"
)

// Limits of arguments.
const (
	maxArgumentBytes = 2 << 20
	maxArgumentDepth = 64
)

// parseObject parses arguments strictly: one JSON object of bounded size and depth, valid UTF-8, without duplicate
// keys or trailing data. So the arguments shown are the ones used; a lenient parser would let a second "path" hide
// behind the first. Numbers stay json.Number. Empty input and null are an empty object.
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
		return nil, syntaxError(tool, raw, err)
	}
	r := objectReader{tool: tool, dec: json.NewDecoder(bytes.NewReader(raw))}
	r.replaced = bytes.ContainsRune(raw, utf8.RuneError) || bytes.Contains(bytes.ToLower(raw), []byte(`\ufffd`))
	r.dec.UseNumber()
	v, err := r.value(0)
	if err != nil {
		return nil, err
	}
	object, ok := v.(map[string]any)
	if !ok {
		return nil, wording.Sentence("The arguments of %s must be a JSON object, not %s.", tool, kindOf(v))
	}
	return object, nil
}

// syntaxError describes where the JSON is invalid.
func syntaxError(tool string, raw []byte, err error) error {
	var wrong *json.SyntaxError
	if !errors.As(err, &wrong) {
		return wording.Sentence("The arguments of %s are not valid JSON: %v.", tool, err)
	}
	at := int(wrong.Offset) - 1 // the offset is after the offending byte
	if strings.HasPrefix(wrong.Error(), "unexpected end") || at < 0 || at >= len(raw) {
		return wording.Sentence("The arguments of %s are not valid JSON: they end too early, after byte %d; "+
			"a closing quote, bracket or brace is missing.", tool, len(raw))
	}
	near := strings.ToValidUTF8(string(raw[at:min(at+24, len(raw))]), "")
	return wording.Sentence("The arguments of %s are not valid JSON at byte %d, near %s: %v.", tool, at+1, strconv.Quote(near), err)
}

// objectReader decodes JSON token by token. It must be valid, so that no token fails.
type objectReader struct {
	tool     string
	dec      *json.Decoder
	replaced bool // the JSON has U+FFFD itself
}

func (r *objectReader) value(depth int) (any, error) {
	if depth > maxArgumentDepth {
		return nil, wording.Sentence("The arguments of %s are nested more than %d deep.", r.tool, maxArgumentDepth)
	}
	token, _ := r.dec.Token()
	switch token {
	case json.Delim('{'):
		return r.object(depth)
	case json.Delim('['):
		return r.array(depth)
	}
	if s, ok := token.(string); ok && !r.replaced && strings.ContainsRune(s, utf8.RuneError) {
		// The decoder put U+FFFD in place of an unpaired surrogate, which would end up in a note.
		return nil, wording.Sentence("The arguments of %s contain half a character: an unpaired \\u surrogate.", r.tool)
	}
	return token, nil
}

func (r *objectReader) object(depth int) (any, error) {
	object := make(map[string]any)
	for r.dec.More() {
		token, _ := r.dec.Token()
		key, _ := token.(string)
		if _, twice := object[key]; twice {
			return nil, wording.Sentence("Argument %s of %s is given twice. Give each argument once.", wording.Quote(wording.Shorten(key, 80)), r.tool)
		}
		var err error
		if object[key], err = r.value(depth + 1); err != nil {
			return nil, err
		}
	}
	_, _ = r.dec.Token()
	return object, nil
}

func (r *objectReader) array(depth int) (any, error) {
	array := []any{}
	for r.dec.More() {
		v, err := r.value(depth + 1)
		if err != nil {
			return nil, err
		}
		array = append(array, v)
	}
	_, _ = r.dec.Token()
	return array, nil
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
