package vault

import (
	"bytes"
	"unicode/utf8"

	"chatvault/internal/picture"
)

// sniffed is how much of a file decides whether it is text, in bytes.
const sniffed = 8 << 10

var (
	bomUTF8    = []byte("\xef\xbb\xbf")
	bomUTF16LE = []byte("\xff\xfe")
	bomUTF16BE = []byte("\xfe\xff")
)

// Binary reports whether data, a file or its beginning, is not text: its first 8 KB hold
// a NUL or are mostly not UTF-8, or it is a picture or a PDF, which need have neither. UTF-16 counts as
// binary.
func Binary(data []byte) bool {
	if picture.Sniff(data) != "" {
		return true
	}
	head := data[:min(len(data), sniffed)]
	if bytes.HasPrefix(head, bomUTF16LE) || bytes.HasPrefix(head, bomUTF16BE) || bytes.IndexByte(head, 0) >= 0 {
		return true
	}
	invalid, total := 0, 0
	for len(head) > 0 {
		r, size := utf8.DecodeRune(head)
		if r == utf8.RuneError && size == 1 {
			if len(data) > sniffed && len(head) < utf8.UTFMax && !utf8.FullRune(head) {
				break // the cut went through a character
			}
			invalid++
		}
		total++
		head = head[size:]
	}
	// Latin-1 prose has one such byte in ten at most; it is shown, with U+FFFD in it.
	return invalid*3 > total
}
