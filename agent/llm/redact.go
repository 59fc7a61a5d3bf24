package llm

import (
	"encoding/base64"
	"encoding/hex"
	"regexp"
	"slices"
	"strconv"
	"strings"

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
// form that hideSecrets knows, and whatever looks like a key.
func Redact(s string, secrets ...string) string { return redact(s, secrets, false) }

// RedactKeys is Redact for prose, as people and models write it: a bearer of news and a secret
// ingredient stay as they are.
func RedactKeys(s string, secrets ...string) string { return redact(s, secrets, true) }

func redact(s string, secrets []string, prose bool) string {
	hidden := make([]bool, len(s))
	hideSecrets(hidden, s, secrets)
	for _, f := range keyForms {
		if prose && f.prose {
			continue
		}
		for _, m := range f.form().FindAllStringSubmatchIndex(s, -1) {
			hide(hidden[m[len(m)-1] : m[1]-len(f.after)])
		}
	}
	return replaceHidden(s, hidden)
}

func hide(bytes []bool) {
	for i := range bytes {
		bytes[i] = true
	}
}

// replaceHidden puts Redacted in the place of what is hidden, once for bytes that touch.
func replaceHidden(s string, hidden []bool) string {
	var b strings.Builder
	for i := range len(s) {
		switch {
		case !hidden[i]:
			b.WriteByte(s[i])
		case i == 0 || !hidden[i-1]:
			b.WriteString(Redacted)
		}
	}
	return b.String()
}

// shortestSecret is the length below which a configured secret is no secret: replacing "k" or
// "none", as local servers are given, would garble the text and hide nothing.
const shortestSecret = 8

// hideSecrets hides the secrets in s: as they are, reversed, in hexadecimal (in either case), in
// base64 (of either alphabet, padded or not, and wherever in a longer text the secret began), and
// each of these also with characters escaped as in URLs (%2F), JSON (\u002f, \/) and C (\x2f). Of each
// a piece is found too, where it is long enough to tell (shortestPiece): who cuts a message may cut a key.
// The time it takes grows with the length of s, whatever it holds.
func hideSecrets(hidden []bool, s string, secrets []string) {
	all := pieces{}
	for _, secret := range secrets {
		if len(secret) >= shortestSecret {
			all.addSecret(secret)
		}
	}
	if len(all) == 0 {
		return
	}
	for _, r := range readings(s) {
		for n, known := range all {
			done := 0
			for i := 0; i+n <= len(r.text); i++ {
				beside, ok := known[r.text[i:i+n]]
				if !ok {
					continue
				}
				from, to := i, i+n
				if beside.before && from > 0 && isBase64(r.text[from-1]) {
					from--
				}
				if beside.after && to < len(r.text) && isBase64(r.text[to]) {
					for to++; to < len(r.text) && r.text[to] == '='; to++ {
					}
				}
				hide(hidden[r.source(min(max(from, done), to)):r.source(to)])
				done = to
			}
		}
	}
}

// shortestPiece is how many bytes of a secret of n are enough where the rest is missing: half of it,
// within bounds. Below them it could be a word of other text, such as the name of the provider that
// many keys begin with; above them what is missing is still too much to guess.
func shortestPiece(n int) int {
	const most, least, slack = 16, 12, 2 // a short one is known by all but its last characters
	return max(min(max(n/2, least), most, n-slack), shortestSecret)
}

// pieces are the pieces of secrets that are looked for, by their length.
type pieces map[int]map[string]besides

// besides says of a piece in base64 whether the character before or after it holds a few bits of the secret too.
type besides struct{ before, after bool }

// addSecret adds the pieces of a secret in every form.
func (p pieces) addSecret(secret string) {
	n := shortestPiece(len(secret))
	reversed := []byte(secret)
	slices.Reverse(reversed)
	digits := hex.EncodeToString([]byte(secret))
	p.add(secret, n, besides{})
	p.add(string(reversed), n, besides{})
	p.add(digits, 2*n, besides{})
	p.add(strings.ToUpper(digits), 2*n, besides{})
	for shift := range 3 { // bytes before it in a group of three
		begin, end := (8*shift+5)/6, 8*(shift+len(secret))/6 // the characters that it alone decides
		form := base64.StdEncoding.EncodeToString(append(make([]byte, shift), secret...))[begin:end]
		beside := besides{before: shift > 0, after: (shift+len(secret))%3 > 0}
		p.add(form, 8*n/6-1, beside)
		p.add(toURL.Replace(form), 8*n/6-1, beside)
	}
}

func (p pieces) add(form string, n int, beside besides) {
	if p[n] == nil {
		p[n] = map[string]besides{}
	}
	for i := 0; i+n <= len(form); i++ {
		b := p[n][form[i:i+n]]
		b.before = b.before || i == 0 && beside.before
		b.after = b.after || i+n == len(form) && beside.after
		p[n][form[i:i+n]] = b
	}
}

// toURL makes the alphabet of base64 that of URLs.
var toURL = strings.NewReplacer("+", "-", "/", "_")

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

// The escapes of ASCII characters.
const (
	inURL   = `%[0-7][[:xdigit:]]`
	inWords = `\\(?:u00|x)[0-7][[:xdigit:]]|\\[\\/"']`
)

var escapes = []func() *regexp.Regexp{lazyregexp.New(inURL + "|" + inWords), lazyregexp.New(inURL), lazyregexp.New(inWords)}

// readings are s as it is, and with its escapes resolved once, twice and three times: JSON is quoted in
// JSON, and a log quotes both. Each kind is also resolved alone: what looks like one may be the secret's own.
func readings(s string) []reading {
	const deepest = 3
	all := []reading{{text: s}}
	for _, escape := range escapes {
		r := all[0]
		for range deepest {
			var ok bool
			if r, ok = r.resolve(escape()); !ok {
				break
			}
			all = append(all, r)
		}
	}
	return all
}

// resolve resolves escapes; false where there are none.
func (r reading) resolve(escape *regexp.Regexp) (reading, bool) {
	found := escape.FindAllStringIndex(r.text, -1)
	if found == nil {
		return r, false
	}
	var text []byte
	var at []int32
	keep := func(from, to int) {
		for i := from; i < to; i++ {
			text, at = append(text, r.text[i]), append(at, int32(r.source(i))) //nolint:gosec // nothing that is redacted has 2 GB
		}
	}
	done := 0
	for _, m := range found {
		keep(done, m[0])
		done = m[1]
		c := r.text[done-1]
		if done-m[0] > 2 { // two digits at the end
			v, _ := strconv.ParseUint(r.text[done-2:done], 16, 8)
			c = byte(v)
		}
		text, at = append(text, c), append(at, int32(r.source(m[0]))) //nolint:gosec // as above
	}
	keep(done, len(r.text))
	at = append(at, int32(r.source(len(r.text)))) //nolint:gosec // as above
	return reading{string(text), at}, true
}
