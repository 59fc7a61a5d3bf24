package note

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"chatvault/vault/block"
)

// plainScalar is what a plain scalar means in YAML 1.2's core schema, which Obsidian goes by:
// nothing, true or false, an integer, a number, else text. Days and times are text.
func plainScalar(s string) any {
	switch s {
	case "", "~", "null", "Null", "NULL":
		return nil
	case "true", "True", "TRUE":
		return true
	case "false", "False", "FALSE":
		return false
	case ".nan", ".NaN", ".NAN":
		return math.NaN()
	case ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF":
		return math.Inf(1)
	case "-.inf", "-.Inf", "-.INF":
		return math.Inf(-1)
	}
	switch {
	case isDigits(strings.TrimLeft(s[:1], "+-")+s[1:], '9'):
		if n, err := strconv.ParseInt(s, 10, 64); err == nil {
			return n
		}
	case strings.HasPrefix(s, "0o") && isDigits(s[2:], '7'):
		if n, err := strconv.ParseInt(s[2:], 8, 64); err == nil {
			return n
		}
	case strings.HasPrefix(s, "0x") && len(s) > 2 && strings.Trim(s[2:], "0123456789abcdefABCDEF") == "":
		if n, err := strconv.ParseInt(s[2:], 16, 64); err == nil {
			return n
		}
	}
	if isFloat(s) {
		if f, err := strconv.ParseFloat(s, 64); err == nil {
			return f
		}
	}
	return s
}

// isDigits reports whether s is digits up to most, at least one.
func isDigits(s string, most byte) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > most {
			return false
		}
	}
	return s != ""
}

// isFloat reports whether s is a number of the core schema: digits with at most one point, and
// perhaps an exponent.
func isFloat(s string) bool {
	if s[0] == '+' || s[0] == '-' {
		s = s[1:]
	}
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		exponent := s[i+1:]
		if exponent != "" && (exponent[0] == '+' || exponent[0] == '-') {
			exponent = exponent[1:]
		}
		if !isDigits(exponent, '9') {
			return false
		}
		s = s[:i]
	}
	whole, fraction, point := strings.Cut(s, ".")
	if point && whole == "" {
		return isDigits(fraction, '9')
	}
	return isDigits(whole, '9') && (fraction == "" || isDigits(fraction, '9'))
}

// simpleScalar reads a value that stands on one line, a comment after it aside, where it takes no
// parser to be sure of it; ok is false where it does.
func simpleScalar(s []byte, inFlow bool) (value any, ok bool) {
	if len(s) == 0 {
		return nil, true
	}
	switch c := s[0]; {
	case c == '"' || c == '\'':
		n := block.QuotedEnd(s)
		if n < 0 || plainEnd(s[n:]) != 0 || n < len(s) && s[n] == '#' || bytes.ContainsAny(s[1:n-1], `\"'`) || !plainText(s[1:n-1]) {
			return nil, false
		}
		return string(s[1 : n-1]), true
	case c >= '0' && c <= '9', c|0x20 >= 'a' && c|0x20 <= 'z', c >= utf8.RuneSelf:
	default:
		return nil, s[0] == '#'
	}
	s = s[:plainEnd(s)]
	for i, c := range s {
		switch c {
		case ':':
			if i+1 == len(s) || s[i+1] == ' ' || s[i+1] == '\t' || inFlow {
				return nil, false
			}
		case ',', '[', ']', '{', '}', '"', '\'', '#':
			if inFlow {
				return nil, false
			}
		}
	}
	if !plainText(s) {
		return nil, false
	}
	return plainScalar(string(s)), true
}

// plainText reports whether s holds no control character, and nothing a parser might take for a
// line end or refuse.
func plainText(s []byte) bool {
	return !bytes.ContainsFunc(s, func(r rune) bool {
		return r < ' ' || r >= 0x7f && r < 0xa1 || r == utf8.RuneError || r >= 0x2000 && r <= 0x206f || r == 0x3000 || r == 0xfeff
	})
}

// simple is an entry's value where it takes no parser to be sure of it.
func (e *entry) simple(text []byte) (value any, ok bool) {
	if !e.plainKey || !simpleKey(e.key) {
		return nil, false
	}
	switch e.form {
	case formNone:
		return nil, true
	case formPlain, formSingle, formDouble:
		return simpleScalar(text[e.value:e.valueEnd], false)
	case formFlow:
		if bytes.IndexByte(text[e.value:e.valueEnd], '\n') >= 0 || bytes.IndexByte(text[e.value:e.valueEnd], '#') >= 0 {
			return nil, false
		}
		// [a,,b] and [,a] are for the parser to judge.
		if commas := bytes.Count(text[e.value:e.valueEnd], []byte(",")); commas != max(len(e.items)-1, 0) {
			return nil, false
		}
	case formBlock:
	default:
		return nil, false
	}
	list := make([]any, len(e.items))
	for i, it := range e.items {
		if it.start == it.end || text[it.start] == '#' {
			return nil, false
		}
		if list[i], ok = simpleScalar(text[it.start:it.end], e.form == formFlow); !ok {
			return nil, false
		}
	}
	return list, true
}

// simpleKey reports whether a plain key is a text whatever the parser.
func simpleKey(key string) bool {
	for i := range len(key) {
		c := key[i]
		if c|0x20 < 'a' || c|0x20 > 'z' {
			if i == 0 || (c < '0' || c > '9') && c != '-' && c != '_' && c != ' ' {
				return false
			}
		}
	}
	text, ok := plainScalar(key).(string)
	return ok && text == key
}
