package conversation

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"chatvault/internal/text"

	"golang.org/x/text/unicode/norm"
)

// How much of a text a passage shows, in bytes, about.
const (
	passageBefore = 50
	passageLength = 160
)

// passage is the part of a text, in one line, that holds the most of the words; an ellipsis says
// where it was cut.
func passage(whole string, words []word) string {
	from := 0
	if p, ok := densest(fold(whole), words, passageLength-passageBefore); ok {
		from = origin(whole, p)
	}
	start, end := max(from-passageBefore, 0), min(max(from-passageBefore, 0)+passageLength, len(whole))
	start, end = wordStart(whole, start, from), wordEnd(whole, end)
	s := text.OneLine(whole[start:end])
	if strings.TrimSpace(whole[:start]) != "" {
		s = "…" + s
	}
	if strings.TrimSpace(whole[end:]) != "" {
		s += "…"
	}
	return s
}

const maxPlaces = 100 // of each word that are looked at

// densest is the first place of a word in a text's fold from which on, within width bytes, the
// most of the words occur.
func densest(folded string, words []word, width int) (place int, ok bool) {
	type at struct{ place, word int }
	var places []at
	for w := range words {
		for i, n := 0, 0; n < maxPlaces; n++ {
			k := strings.Index(folded[i:], words[w].fold)
			if k < 0 {
				break
			}
			places = append(places, at{i + k, w})
			i += k + len(words[w].fold)
		}
	}
	slices.SortFunc(places, func(a, b at) int { return a.place - b.place })
	most := 0
	for i, p := range places {
		var set wordSet
		n := 0
		for _, q := range places[i:] {
			if q.place > p.place+width {
				break
			}
			if set&(1<<q.word) == 0 {
				set |= 1 << q.word
				n++
			}
		}
		if n > most {
			most, place, ok = n, p.place, true
		}
		if most == len(words) {
			break
		}
	}
	return place, ok
}

// origin is the place in a text that a place of its fold is from.
func origin(text string, place int) int {
	if isASCII(text) {
		return place
	}
	n := 0 // of the fold
	for i, r := range text {
		f := folded(r)
		if f.composes() || f.class() > 0 {
			return originOfComposed(text, place)
		}
		if n += utf8.RuneLen(f.rune()); n > place {
			return i
		}
	}
	return len(text)
}

// originOfComposed is origin where characters compose or change places.
func originOfComposed(text string, place int) int {
	n := 0
	var it norm.Iter
	it.InitString(norm.NFD, text)
	for !it.Done() {
		i := it.Pos()
		if n += len(appendFullFold(nil, it.Next())); n > place {
			return i
		}
	}
	return len(text)
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// wordStart is the beginning of the word after start, but not after limit.
func wordStart(text string, start, limit int) int {
	for start > 0 && !utf8.RuneStart(text[start]) {
		start--
	}
	if start == 0 {
		return 0
	}
	if i := strings.IndexFunc(text[start:limit], unicode.IsSpace); i >= 0 {
		return start + i
	}
	return start
}

// wordEnd is the end of the last word before end, unless that is far.
func wordEnd(text string, end int) int {
	for end < len(text) && !utf8.RuneStart(text[end]) {
		end++
	}
	if end == len(text) {
		return end
	}
	if i := strings.LastIndexFunc(text[:end], unicode.IsSpace); i > end-30 {
		return i
	}
	return end
}
