package llm

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"chatvault/internal/lazyregexp"
)

// Redacted stands where a key stood.
const Redacted = "[redacted]"

// keyForms are how the keys of the known providers look, and the places where keys stand. The key is
// what comes after the last group, but for what is given as after it: what names a field or a header
// is kept. Where prose is true, the words of a sentence can look so too. Text may stand in JSON, where
// an escaped line end is before a word as a letter is.
var keyForms = []struct {
	form  func() *regexp.Regexp
	after string
	prose bool
}{
	{form: lazyregexp.New(wordStart + `(?:sk|pk|rk|gsk|xai|nvapi|hf|ghp|r8|pplx|tgp_v1|csk|fw)[-_][A-Za-z0-9_\-*.]{8,}`)},
	{form: lazyregexp.New(wordStart + `AIza[A-Za-z0-9_\-]{16,}`)},
	{form: lazyregexp.New(wordStart + `eyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}(?:\.[A-Za-z0-9_\-]*)?`)},
	{form: lazyregexp.New(`(?i)\b(?:bearer|basic)(\s+|%20)["']?[A-Za-z0-9._~+/=\-]{6,}`), prose: true},
	{form: lazyregexp.New(`(?i)\b(?:(?:x-)?api[-_ ]?key|authorization|access[-_]?token|secret)(\\?["']?\s*[:=]\s*\\?["']?)[^\s"',;&\\)}\]\[]{6,}`), prose: true},
	{form: lazyregexp.New(`(://)[^/\s:@]*:[^/\s@]+@`), after: "@"},
}

const wordStart = `(\\[bfnrt]|\b)`

// Redact replaces keys in a text that goes to a log, a screen or a file: the secrets given, in every
// form that secretSpans knows, and whatever looks like a key.
func Redact(s string, secrets ...string) string { return redact(s, secrets, false) }

// RedactKeys is Redact for prose, as people and models write it: a bearer of news and a secret
// ingredient stay as they are.
func RedactKeys(s string, secrets ...string) string { return redact(s, secrets, true) }

func redact(s string, secrets []string, prose bool) string {
	spans := secretSpans(s, secrets)
	for _, f := range keyForms {
		if prose && f.prose {
			continue
		}
		for _, m := range f.form().FindAllStringSubmatchIndex(s, -1) {
			spans = append(spans, span{m[len(m)-1], m[1] - len(f.after)})
		}
	}
	return replaceSpans(s, spans)
}

// shortestSecret is the length below which a configured secret is no secret: replacing "k" or
// "none", as local servers are given, would garble the text and hide nothing.
const shortestSecret = 8

// secretSpans finds the secrets in s: as they are, reversed, in hexadecimal (in either case), in
// base64 (of either alphabet, padded or not, and wherever in a longer text the secret began), and
// each of these also with characters escaped as in URLs (%2F), JSON (\u002f, \/) and C (\x2f). Of each
// a piece is found too, where it is long enough to tell (shortestPiece) and the beginning or the
// end: who cuts a message may cut a key. The time it takes grows with the length of s, whatever it holds.
func secretSpans(s string, secrets []string) []span {
	if len(s) < shortestSecret {
		return nil
	}
	var all []form
	for _, secret := range secrets {
		if len(secret) >= shortestSecret {
			all = append(all, formsOf(secret)...)
		}
	}
	if len(all) == 0 {
		return nil
	}
	var found []span
	for _, r := range readings(s) {
		for _, f := range all {
			f.find(r.text, func(sp span) {
				sp = span{r.source(sp.from), r.source(sp.to)}
				if last := len(found) - 1; last >= 0 && found[last].from <= sp.from && sp.from <= found[last].to {
					found[last].to = max(found[last].to, sp.to)
					return
				}
				found = append(found, sp)
			})
		}
	}
	return found
}

// shortestPiece is how many bytes of a secret of n are enough where the rest is missing: half of it,
// within bounds. Below them it could be a word of other text, such as the name of the provider that
// many keys begin with; above them what is missing is still too much to guess.
func shortestPiece(n int) int {
	const most, least, slack = 16, 12, 2 // a short one is known by all but its last characters
	return max(min(max(n/2, least), most, n-slack), shortestSecret)
}

// span is a part of a text, in bytes.
type span struct{ from, to int }

// form is a secret as it may be written.
type form struct {
	text  string
	piece int // bytes of its beginning or end that are enough
	// Of base64: the character before or after the text holds a few bits of the secret too.
	bitsBefore, bitsAfter bool
}

func formsOf(secret string) []form {
	n := shortestPiece(len(secret))
	reversed := []byte(secret)
	slices.Reverse(reversed)
	digits := hex.EncodeToString([]byte(secret))
	all := []form{
		{text: secret, piece: n},
		{text: string(reversed), piece: n},
		{text: digits, piece: 2 * n},
		{text: strings.ToUpper(digits), piece: 2 * n},
	}
	for shift := range 3 { // bytes before it in a group of three
		begin, end := (8*shift+5)/6, 8*(shift+len(secret))/6 // the characters that it alone decides
		f := form{piece: 8*n/6 - 1, bitsBefore: shift > 0, bitsAfter: (shift+len(secret))%3 > 0}
		f.text = base64.StdEncoding.EncodeToString(append(make([]byte, shift), secret...))[begin:end]
		all = append(all, f)
		if f.text = toURL.Replace(f.text); f.text != all[len(all)-1].text {
			all = append(all, f)
		}
	}
	return all
}

// toURL makes the alphabet of base64 that of URLs.
var toURL = strings.NewReplacer("+", "-", "/", "_")

// find calls found for the places in text that have the form, its beginning or its end. It looks at no
// byte more often than a piece is long: of places that overlap, which a form that repeats itself has,
// the later ones are found as far as the first one does not reach.
func (f form) find(text string, found func(span)) {
	first, last := f.text[:f.piece], f.text[len(f.text)-f.piece:]
	for at := 0; ; {
		i := strings.Index(text[at:], first)
		if i < 0 {
			break
		}
		i += at
		n := f.piece
		for n < len(f.text) && i+n < len(text) && text[i+n] == f.text[n] {
			n++
		}
		found(f.widen(text, span{i, i + n}, true, n == len(f.text)))
		at = i + n - f.piece + 1
	}
	for at, done := 0, 0; ; {
		i := strings.Index(text[at:], last)
		if i < 0 {
			return
		}
		i += at
		end, n := i+f.piece, f.piece
		for n < len(f.text) && end-n > done && text[end-n-1] == f.text[len(f.text)-n-1] {
			n++
		}
		found(f.widen(text, span{end - n, end}, n == len(f.text), true))
		at, done = i+1, end
	}
}

// widen takes in what base64 has of the secret in characters beside the span, and its padding.
func (f form) widen(text string, sp span, fromBegin, toEnd bool) span {
	if f.bitsBefore && fromBegin && sp.from > 0 && isBase64(text[sp.from-1]) {
		sp.from--
	}
	if f.bitsAfter && toEnd && sp.to < len(text) && isBase64(text[sp.to]) {
		for sp.to++; sp.to < len(text) && text[sp.to] == '='; sp.to++ {
		}
	}
	return sp
}

func isBase64(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '+' || c == '/' || c == '-' || c == '_'
}

// reading is a text with its escapes resolved.
type reading struct {
	text string
	at   []int32 // where each byte of text, and its end, stands in the source; nil: it is the source
}

func (r reading) source(i int) int {
	if r.at == nil {
		return i
	}
	return int(r.at[i])
}

// readings are s as it is, and with its escapes resolved once, twice and three times: JSON is quoted in
// JSON, and a log quotes both. Where there may be two kinds each is also resolved alone: what looks like
// one may be the secret's own.
func readings(s string) []reading {
	const deepest, percent, backslash = 3, "%", `\`
	kinds := []string{percent + backslash}
	if strings.Contains(s, percent) && strings.Contains(s, backslash) {
		kinds = append(kinds, percent, backslash)
	}
	all := []reading{{text: s}}
	for _, escapes := range kinds {
		r := all[0]
		for range deepest {
			var ok bool
			if r, ok = r.resolve(escapes); !ok {
				break
			}
			all = append(all, r)
		}
	}
	return all
}

// resolve resolves the escapes that begin with one of these; false where there are none.
func (r reading) resolve(escapes string) (reading, bool) {
	if !strings.ContainsAny(r.text, escapes) {
		return reading{}, false
	}
	text := make([]byte, 0, len(r.text))
	at := make([]int32, 0, len(r.text)+1)
	for i := 0; i < len(r.text); {
		c, n := r.text[i], 1
		if strings.IndexByte(escapes, c) >= 0 {
			c, n = unescape(r.text[i:])
		}
		text, at = append(text, c), append(at, int32(r.source(i))) //nolint:gosec // nothing that is redacted has 2 GB
		i += n
	}
	at = append(at, int32(r.source(len(r.text)))) //nolint:gosec // as above
	return reading{string(text), at}, len(text) < len(r.text)
}

// unescape is the character that s begins with, and how many bytes it is written with.
func unescape(s string) (c byte, n int) {
	switch {
	case s[0] == '%':
		return hexEscape(s, 1, 2)
	case len(s) < 2:
	case s[1] == 'u':
		return hexEscape(s, 2, 4)
	case s[1] == 'x':
		return hexEscape(s, 2, 2)
	case strings.IndexByte(`\/"'`, s[1]) >= 0:
		return s[1], 2
	}
	return s[0], 1
}

// hexEscape is unescape where so many digits come after the mark; beyond ASCII it is left.
func hexEscape(s string, mark, digits int) (c byte, n int) {
	if len(s) < mark+digits {
		return s[0], 1
	}
	v := 0
	for _, d := range []byte(s[mark : mark+digits]) {
		x := strings.IndexByte("0123456789abcdef", d|0x20)
		if x < 0 || d < '0' {
			return s[0], 1
		}
		v = v<<4 | x
	}
	if v >= utf8.RuneSelf {
		return s[0], 1
	}
	return byte(v), mark + digits
}

// replaceSpans puts Redacted in the place of the spans, of those that touch once.
func replaceSpans(s string, spans []span) string {
	if len(spans) == 0 {
		return s
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	var b strings.Builder
	done := 0 // of s
	for i := 0; i < len(spans); {
		from, to := spans[i].from, spans[i].to
		for ; i < len(spans) && spans[i].from <= to; i++ {
			to = max(to, spans[i].to)
		}
		b.WriteString(s[done:from])
		b.WriteString(Redacted)
		done = to
	}
	b.WriteString(s[done:])
	return b.String()
}
