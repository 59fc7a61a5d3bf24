package llm

import (
	"encoding/base64"
	"net/url"
	"regexp"
	"strings"
	"sync"
)

// Redacted stands where a key stood.
const Redacted = "[redacted]"

// shortestSecret is the length below which a configured secret is no secret: replacing "k" or
// "none", as local servers are given, would garble the text and hide nothing.
const shortestSecret = 8

// keyForms are how the keys of the known providers look, and the places where keys stand.
// The second is a field or header value: what names it is kept. Where prose is true, the words
// of a sentence can look so too. Text may stand in JSON, where an escaped line end is before a
// word as a letter is.
var keyForms = []struct {
	form, with string
	prose      bool
}{
	{form: wordStart + `(?:sk|pk|rk|gsk|xai|nvapi|hf|ghp|r8|pplx|tgp_v1|csk|fw)[-_][A-Za-z0-9_\-*.]{8,}`, with: "${1}" + Redacted},
	{form: wordStart + `AIza[A-Za-z0-9_\-]{16,}`, with: "${1}" + Redacted},
	{form: wordStart + `eyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}(?:\.[A-Za-z0-9_\-]*)?`, with: "${1}" + Redacted},
	{form: `(?i)\b(bearer|basic)(\s+|%20)["']?[A-Za-z0-9._~+/=\-]{6,}`, with: "${1} " + Redacted, prose: true},
	{form: `(?i)\b((?:x-)?api[-_ ]?key|authorization|access[-_]?token|secret)(\\?["']?\s*[:=]\s*\\?["']?)[^\s"',;&\\)}\]\[]{6,}`, with: "${1}${2}" + Redacted, prose: true},
	{form: `(://)[^/\s:@]*:[^/\s@]+@`, with: "${1}" + Redacted + "@"},
}

const wordStart = `(\\[bfnrt]|\b)`

var keyPatterns = sync.OnceValue(func() []*regexp.Regexp {
	var all []*regexp.Regexp
	for _, f := range keyForms {
		all = append(all, regexp.MustCompile(f.form))
	}
	return all
})

// Redact replaces keys in a text that goes to a log, a screen or a file: the secrets given,
// also percent-encoded and in base64, and whatever looks like a key.
func Redact(s string, secrets ...string) string {
	s = redactSecrets(s, secrets)
	for i, p := range keyPatterns() {
		s = p.ReplaceAllString(s, keyForms[i].with)
	}
	return s
}

// RedactKeys is Redact for prose, as people and models write it: a bearer of news and a secret
// ingredient stay as they are.
func RedactKeys(s string, secrets ...string) string {
	s = redactSecrets(s, secrets)
	for i, p := range keyPatterns() {
		if !keyForms[i].prose {
			s = p.ReplaceAllString(s, keyForms[i].with)
		}
	}
	return s
}

func redactSecrets(s string, secrets []string) string {
	for _, secret := range secrets {
		if len(secret) < shortestSecret {
			continue
		}
		for _, form := range []string{
			secret,
			url.QueryEscape(secret),
			base64.StdEncoding.EncodeToString([]byte(secret)),
			base64.RawURLEncoding.EncodeToString([]byte(secret)),
		} {
			s = strings.ReplaceAll(s, form, Redacted)
		}
	}
	return s
}
