package retrieval

import (
	"bytes"
	"embed"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
	"golang.org/x/text/unicode/norm"
)

// maxToken bounds a token in bytes; what is longer is a blob, not a word.
const maxToken = 48

// eachToken calls yield for each token of a text: words of letters and digits in lower case, without accents and
// without a possessive "'s". Chinese, Japanese and Korean text, which has no spaces, gives overlapping pairs of
// characters. The slice is valid only during the call.
func eachToken(text []byte, yield func(tok []byte)) {
	var buf [maxToken]byte
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			if !isASCIIWord(c) {
				i++
				continue
			}
			// the common case: a plain ASCII word
			j, n := i, 0
			for j < len(text) && text[j] < utf8.RuneSelf && isASCIIWord(text[j]) {
				if n < maxToken {
					b := text[j]
					if 'A' <= b && b <= 'Z' {
						b += 'a' - 'A'
					}
					buf[n] = b
					n++
				}
				j++
			}
			if j >= len(text) || text[j] < utf8.RuneSelf {
				if j-i <= maxToken {
					yield(buf[:n])
				}
				i = skipPossessive(text, j)
				continue
			}
		} else if r, size := utf8.DecodeRune(text[i:]); !isWordRune(r) {
			i += size
			continue
		}
		j := i
		for j < len(text) {
			r, size := utf8.DecodeRune(text[j:])
			if !isWordRune(r) && !unicode.Is(unicode.Mn, r) {
				break
			}
			j += size
		}
		wideToken(text[i:j], yield)
		i = skipPossessive(text, j)
	}
}

func isASCIIWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// skipPossessive steps over "'s" and "’s" after a word that ends at i.
func skipPossessive(text []byte, i int) int {
	rest := text[i:]
	for _, apostrophe := range []string{"'", "’"} {
		if len(rest) > len(apostrophe) && string(rest[:len(apostrophe)]) == apostrophe {
			k := len(apostrophe)
			if (rest[k] == 's' || rest[k] == 'S') && (len(rest) == k+1 || !isASCIIWord(rest[k+1])) {
				return i + k + 1
			}
		}
	}
	return i
}

// wideToken handles a word that has characters beyond ASCII.
func wideToken(word []byte, yield func([]byte)) {
	if bytes.ContainsFunc(word, func(r rune) bool { return !isCJK(r) || r >= 0xF900 }) { // those have other forms
		word = []byte(Fold(string(word)))
	}
	paired := false // the character at the beginning of word, with the one before it
	for len(word) > 0 {
		r, size := utf8.DecodeRune(word)
		if !isCJK(r) {
			if size = bytes.IndexFunc(word, isCJK); size < 0 {
				size = len(word)
			}
			if size <= maxToken {
				yield(word[:size])
			}
			word, paired = word[size:], false
			continue
		}
		next, n := utf8.DecodeRune(word[size:])
		pairs := isCJK(next)
		if pairs {
			yield(word[:size+n])
		} else if !paired {
			yield(word[:size])
		}
		word, paired = word[size:], pairs
	}
}

// isCJK reports whether r is a Chinese, Japanese or Korean character, the common ones without a search.
func isCJK(r rune) bool {
	switch {
	case r < 0x2E80:
		return false
	case r >= 0x4E00 && r <= 0x9FFF, r >= 0x3041 && r <= 0x3096, r >= 0x30A1 && r <= 0x30FA, r == longVowel:
		return true
	}
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

// longVowel is the mark "ー" of Japanese.
const longVowel = 0x30FC

// Fold lower-cases s and removes accents, so that "Café" and "cafe" are one word; "か" and "が" stay two.
func Fold(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return strings.ToLower(s)
	}
	var b strings.Builder
	for _, r := range norm.NFKD.String(s) {
		if !unicode.Is(unicode.Mn, r) || r == 0x3099 || r == 0x309A {
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return norm.NFC.String(b.String())
}

// Words returns the tokens of s.
func Words(s string) []string {
	var out []string
	eachToken([]byte(s), func(t []byte) { out = append(out, string(t)) })
	return out
}

// Stem returns the indexed form of a token: the base of irregular English forms, the Snowball (Porter 2) stem of other
// English words, any other token unchanged.
func Stem(word string) string {
	if base, ok := irregular()[word]; ok {
		word = base
	}
	if len(word) < 3 {
		return word
	}
	for i := 0; i < len(word); i++ {
		if word[i] < 'a' || word[i] > 'z' {
			return word
		}
	}
	return english.Stem(word, true)
}

// irregular maps English forms that no suffix rule reaches to their base, and
// American spellings to the British ones the thesaurus is written in.
var irregular = sync.OnceValue(func() map[string]string {
	m := map[string]string{}
	for line := range strings.Lines(words("irregular")) {
		forms := strings.Fields(line)
		for _, form := range forms[min(len(forms), 1):] {
			m[form] = forms[0]
		}
	}
	return m
})

//go:embed words/*.txt
var wordFiles embed.FS

// words is a list of words that comes with the program: of irregular.txt a base and its forms on each
// line, of the others words between white space.
func words(name string) string {
	data, _ := wordFiles.ReadFile("words/" + name + ".txt") // it is in the program
	return string(data)
}
