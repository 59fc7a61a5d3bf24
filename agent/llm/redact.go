package llm

import (
	"encoding/base64"
	"encoding/hex"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"chatvault/internal/base/lazyregexp"
)

// Redacted replaces a key.
const Redacted = "[redacted]"

// keyForms match the keys of known providers and the places where keys occur. The key is the text after the last group,
// except for after, so that names of fields and headers stay. Forms with prose also match plain sentences. In JSON an
// escaped line end may precede a word.
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

// Redact replaces keys in a text for a log, a screen or a file: the given secrets, in every form that hideSecrets
// knows, and anything that looks like a key.
func Redact(s string, secrets ...string) string { return redact(s, secrets, false) }

// RedactKeys is Redact for prose: "bearer" and "secret" in a sentence stay.
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

// replaceHidden replaces each run of hidden bytes with Redacted.
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

// shortestSecret is the length below which a configured secret is ignored: replacing "k" or "none", which local servers
// are given, would garble the text and hide nothing.
const shortestSecret = 8

// hideSecrets hides the secrets in s, also reversed, in hexadecimal, and in base64 of either alphabet at any alignment,
// and each of these with characters escaped as in URLs (%2F), JSON (\u002f, \/) and C (\x2f). A piece is found, too, if
// it is long enough (shortestPiece), because messages may be cut. It takes time linear in the length of s.
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

// shortestPiece returns how many bytes of a secret of n are hidden on their own: half of it, within bounds. Shorter
// pieces could be other text, such as the provider's name at the start of many keys; longer ones leave too much to
// guess.
func shortestPiece(n int) int {
	const most, least, slack = 16, 12, 2 // a short one is known by all but its last characters
	return max(min(max(n/2, least), most, n-slack), shortestSecret)
}

// pieces are the searched pieces of secrets, by length.
type pieces map[int]map[string]besides

// besides reports whether the characters before and after a piece in base64 hold bits of the secret, too.
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

// toURL converts base64 to its URL alphabet.
var toURL = strings.NewReplacer("+", "-", "/", "_")

func isBase64(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '+' || c == '/' || c == '-' || c == '_'
}

// reading is a text with its escapes resolved.
type reading struct {
	text string
	at   []int32 // offset in the source of each byte of text, and of its end; nil if text is the source
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

// readings returns s and s with its escapes resolved up to three times, because JSON is quoted in JSON and in logs.
// Each kind is also resolved alone, because a secret may itself contain what looks like an escape.
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

// resolve resolves escapes. It returns false if there are none.
func (r reading) resolve(escape *regexp.Regexp) (reading, bool) {
	found := escape.FindAllStringIndex(r.text, -1)
	if found == nil {
		return r, false
	}
	var text []byte
	var at []int32
	keep := func(from, to int) {
		for i := from; i < to; i++ {
			text, at = append(text, r.text[i]), append(at, int32(r.source(i))) //nolint:gosec // texts are smaller than 2 GB
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
