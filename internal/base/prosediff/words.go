package prosediff

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// Limits of marking words.
const (
	maxMarked = 64 << 10 // bytes of lines
	leastSame = 3        // one word in this many must be unchanged, else the lines are unrelated
)

// markWords marks the words that differ between removed lines and those that replace them, if enough words are
// unchanged.
func markWords(gone, come []Line) {
	a, b := tokens(gone), tokens(come)
	oldChanged, newChanged := make([]bool, len(a)), make([]bool, len(b))
	for _, e := range lcs.DiffLines(a, b) {
		for i := e.Start; i < e.End; i++ {
			oldChanged[i] = true
		}
		for i := e.ReplStart; i < e.ReplEnd; i++ {
			newChanged[i] = true
		}
	}
	words, same := 0, 0
	for i, t := range b {
		if isWord(t) {
			if words++; !newChanged[i] {
				same++
			}
		}
	}
	if same == 0 || same*leastSame < words {
		return
	}
	setSpans(gone, a, oldChanged)
	setSpans(come, b, newChanged)
}

// tokens splits lines into words, runs of spaces, line ends and other characters.
func tokens(of []Line) (out []string) {
	for _, l := range of {
		for rest := l.Text; rest != ""; {
			first, n := utf8.DecodeRuneInString(rest)
			in := func(r rune) bool { return r == ' ' || r == '\t' }
			if wordRune(first) {
				in = wordRune
			}
			for n < len(rest) && in(first) {
				r, size := utf8.DecodeRuneInString(rest[n:])
				if !in(r) {
					break
				}
				n += size
			}
			if strings.HasPrefix(rest, "\r\n") {
				n = 2
			}
			out, rest = append(out, rest[:n]), rest[n:]
		}
	}
	return out
}

// wordRune reports whether a character is part of a word with its neighbours. In scripts without spaces between words
// each character is a token.
func wordRune(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) || r == '\'' || r == '’') &&
		!unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

func isWord(token string) bool {
	r, _ := utf8.DecodeRuneInString(token)
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

// setSpans sets the spans of lines from their tokens. What is between two changed words also counts as changed.
func setSpans(in []Line, tokens []string, changed []bool) {
	for i := 1; i+1 < len(tokens); i++ {
		if !isWord(tokens[i]) && !strings.HasSuffix(tokens[i], "\n") && changed[i-1] && changed[i+1] && !strings.HasSuffix(tokens[i+1], "\n") {
			changed[i] = true
		}
	}
	at := 0
	for i := range in {
		l := &in[i]
		l.Words = []Span{}
		for left := len(l.Text); left > 0; at++ {
			left -= len(tokens[at])
			if n := len(l.Words) - 1; n >= 0 && l.Words[n].Changed == changed[at] {
				l.Words[n].Text += tokens[at]
				continue
			}
			l.Words = append(l.Words, Span{changed[at], tokens[at]})
		}
	}
}
