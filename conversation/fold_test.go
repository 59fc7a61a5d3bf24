package conversation

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

// texts generates text of characters that fold, compose and reorder.
func texts() *rapid.Generator[string] {
	return rapid.StringOf(rapid.SampledFrom([]rune(
		"abkKsSſ\u212aÅA\u030a\u212b\u0327\u0301\u0301\u0323éÉe漢ßẞσςΣµΜ\u0345ΐİıiI가\u1100\u1161\u11a8กุ่\u0e48\u0e38עִ\u05bcक\u093c\u094d" +
			" \n\t\"\\/u00e9n<&>😀\U0001F468\u200d\ufffd\u2028\u001b\u007f\u0338=")))
}

// upper swaps the case of each character that has one.
func upper(text string) string {
	return strings.Map(unicode.SimpleFold, norm.NFD.String(text))
}

// escapedJSON escapes some characters of JSON that need no escape.
func escapedJSON(t *rapid.T, data []byte) []byte {
	var out []byte
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "escapes"), 1))
	inString := false
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		switch {
		case r == '\\':
			n := 2
			if data[i+1] == 'u' {
				n = 6
			}
			out = append(out, data[i:i+n]...)
			i += n
			continue
		case bytes.HasPrefix(data[i:], []byte(`"2026-`)): // in a time nothing is
			size = 2 + bytes.IndexByte(data[i+1:], '"')
		case r == '"':
			inString = !inString
		case inString && r == '/' && random.IntN(2) == 0:
			out = append(out, '\\')
		case inString && random.IntN(4) == 0:
			e, err := json.Marshal(string(r))
			if q := asciiOnly(e); err == nil {
				if r < utf8.RuneSelf {
					q = []byte(`"\u00` + hexByte(byte(r)) + `"`)
				}
				out = append(out, q[1:len(q)-1]...)
				i += size
				continue
			}
		}
		out = append(out, data[i:i+size]...)
		i += size
	}
	return out
}

func hexByte(b byte) string {
	return string("0123456789abcdef"[b>>4]) + string("0123456789ABCDEF"[b&15])
}

// asciiOnly escapes all non-ASCII characters of JSON.
func asciiOnly(data []byte) []byte {
	var b bytes.Buffer
	for _, r := range string(data) {
		if r < utf8.RuneSelf {
			b.WriteRune(r)
			continue
		}
		for _, u := range utf16s(r) {
			b.WriteString(`\u` + hexByte(byte(u>>8)) + hexByte(byte(u)))
		}
	}
	return b.Bytes()
}
