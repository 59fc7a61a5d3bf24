package note

import (
	"errors"
	"slices"
	"strings"
	"unicode/utf16"
)

// maxUnpacked limits an unpacked drawing, in UTF-16 units.
const maxUnpacked = 16 << 20

var errPacked = errors.New("it is no compressed text")

// unpack returns the text that LZ-string (github.com/pieroxy/lz-string) compressed to base64, as Excalidraw's plugin
// does. The algorithm is LZ78 (J. Ziv and A. Lempel, 1978) over UTF-16 units, with codes of growing width.
func unpack(packed string) (string, error) {
	packed = strings.TrimRight(strings.Join(strings.Fields(packed), ""), "=") // of any length, unlike RFC 4648
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	at, faulty := 0, false
	read := func(bits int) (v int) {
		for i := range bits {
			digit := -1
			if at/6 < len(packed) {
				digit = strings.IndexByte(digits, packed[at/6])
			}
			faulty = faulty || digit < 0
			v |= (digit >> (5 - at%6) & 1) << i
			at++
		}
		return v
	}
	const unit8, unit16, end = 0, 1, 2
	phrases := make([][]uint16, end+1)
	var out, last []uint16
	for bits := 2; ; {
		code := read(bits)
		switch {
		case faulty || len(out) > maxUnpacked:
			return "", errPacked
		case code == unit8 || code == unit16:
			phrases = append(phrases, []uint16{uint16(read(8 << code))})
			code = len(phrases) - 1
		case code == end:
			return string(utf16.Decode(out)), nil
		}
		var phrase []uint16
		switch {
		case code < len(phrases):
			phrase = phrases[code]
		case code == len(phrases) && last != nil:
			phrase = slices.Concat(last, last[:1])
		default:
			return "", errPacked
		}
		if out = append(out, phrase...); last != nil {
			phrases = append(phrases, slices.Concat(last, phrase[:1]))
		}
		last = phrase
		for len(phrases)+1 > 1<<bits {
			bits++
		}
	}
}
