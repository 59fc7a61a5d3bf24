package note

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"chatvault/internal/base/text"
)

// scalarText formats a scalar in YAML's core schema.
func scalarText(v any) string {
	switch v := v.(type) {
	case bool:
		return strconv.FormatBool(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case string:
		return v
	}
	return ""
}

// normalize checks a value for Set and converts integral floating-point numbers.
func normalize(v any) (any, error) {
	switch v := v.(type) {
	case nil, bool, int64:
		return v, nil
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1<<63 {
			return int64(v), nil
		}
		return v, nil
	case string:
		if !utf8.ValidString(v) {
			return nil, fmt.Errorf("the value is not valid UTF-8")
		}
		return v, nil
	case []any:
		list := make([]any, len(v))
		for i := range v {
			var err error
			if list[i], err = normalize(v[i]); err != nil {
				return nil, err
			}
			if _, nested := list[i].([]any); nested {
				return nil, fmt.Errorf("a list of lists cannot be written as a property")
			}
		}
		return list, nil
	}
	return nil, fmt.Errorf("nested properties cannot be written as a property")
}

func formatText(s string, inFlow bool) string {
	if canBePlain(s, inFlow) {
		return s
	}
	if strings.Contains(s, `"`) && !strings.Contains(s, "'") && printable(s) {
		return "'" + s + "'"
	}
	return strconv.Quote(s) // its escapes are those of YAML
}

// printable reports whether a text needs no escapes in front matter.
func printable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !printableRune(r) })
}

func printableRune(r rune) bool {
	return r == ' ' || unicode.IsGraphic(r) && !unicode.IsSpace(r) && r != 0xfeff || r == 0x200d || r == 0xfe0f
}

// canBePlain reports whether a text without quotes is read back unchanged, also by parsers of YAML 1.1 except for
// words such as "yes". Text with a link is quoted, as Obsidian requires.
func canBePlain(s string, inFlow bool) bool {
	if s == "" || strings.TrimSpace(s) != s || !printable(s) || strings.Contains(s, "[[") {
		return false
	}
	if text, ok := Scalar(s).(string); !ok || text != s {
		return false
	}
	first, size := utf8.DecodeRuneInString(s)
	switch {
	case first == '-' && len(s) > size && s[size] != ' ': // -x, but neither "- x" nor "---"
		if strings.HasPrefix(s, "---") {
			return false
		}
	case strings.ContainsRune("-?:,[]{}#&*!|>'\"%@`=<~.", first):
		return false
	}
	if strings.Contains(s, ": ") || strings.Contains(s, " #") || strings.HasSuffix(s, ":") {
		return false
	}
	return !inFlow || !strings.ContainsAny(s, ",[]{}:\"'#")
}

// ValueText formats a property's value as YAML on one line: "done", "[a, b]", "{k: v}".
func ValueText(v any) string { return valueText(v, false) }

// valueText is ValueText, in a list or map on one line with inFlow. A text is quoted only if necessary.
func valueText(v any, inFlow bool) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return formatText(v, inFlow)
	case []any:
		return "[" + strings.Join(text.Of(v, func(v any) string { return valueText(v, true) }), ", ") + "]"
	case []Property:
		words := text.Of(v, func(p Property) string { return formatText(p.Key, true) + ": " + valueText(p.Value, true) })
		return "{" + strings.Join(words, ", ") + "}"
	}
	return scalarText(v)
}
