package note

import (
	"slices"
	"strings"
	"unicode/utf16"
)

// maxUnpacked limits an unpacked drawing, in UTF-16 units.
const maxUnpacked = 16 << 20

// unpack returns the text that LZ-string (github.com/pieroxy/lz-string) compressed to base64, as Excalidraw's plugin
// does. The algorithm is LZ78 (J. Ziv and A. Lempel, 1978) over UTF-16 units, with codes of growing width. ok is false
// for a text that is not compressed.
func unpack(packed string) (text string, ok bool) {
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
	const unit16, end = 1, 2 // code 0 is a unit of 8 bits
	phrases := make([][]uint16, end+1)
	var out, last []uint16
	for bits := 2; len(out) <= maxUnpacked; {
		code := read(bits)
		if code <= unit16 {
			phrases = append(phrases, []uint16{uint16(read(8 << code))})
			code = len(phrases) - 1
		}
		if last != nil { // and a unit of this phrase, which may be the new one itself
			phrases = append(phrases, slices.Concat(last, last[:1]))
		}
		if code == end || code >= len(phrases) || faulty {
			return string(utf16.Decode(out)), code == end && !faulty
		}
		if n := len(last); n > 0 {
			phrases[len(phrases)-1][n] = phrases[code][0]
		}
		last = phrases[code]
		out = append(out, last...)
		for len(phrases)+1 > 1<<bits {
			bits++
		}
	}
	return "", false
}
