package llm

import (
	"encoding/base64"
	"net/url"
	"regexp"
	"strings"
)

// Redacted stands where a key stood.
const Redacted = "[redacted]"

// shortestSecret is the length below which a configured secret is no secret: replacing "k" or
// "none", as local servers are given, would garble the text and hide nothing.
const shortestSecret = 8

// keyForms are how the keys of the known providers look, and the places where keys stand.
// The second is a field or header value: what names it is kept.
var keyForms = []struct{ form, with string }{
	{`\b(?:sk|pk|rk|gsk|xai|nvapi|hf|ghp|r8|pplx|tgp_v1|csk|fw)[-_][A-Za-z0-9_\-*.]{8,}`, Redacted},
	{`\bAIza[A-Za-z0-9_\-]{16,}`, Redacted},
	{`\beyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}(?:\.[A-Za-z0-9_\-]*)?`, Redacted},
	{`(?i)\b(bearer|basic)(\s+|%20)["']?[A-Za-z0-9._~+/=\-]{6,}`, "${1} " + Redacted},
	{`(?i)\b((?:x-)?api[-_ ]?key|authorization|access[-_]?token|secret)(\\?["']?\s*[:=]\s*\\?["']?)[^\s"',;&\\)}\]\[]{6,}`, "${1}${2}" + Redacted},
	{`(://)[^/\s:@]*:[^/\s@]+@`, "${1}" + Redacted + "@"},
}

var keyPatterns = func() []*regexp.Regexp {
	var all []*regexp.Regexp
	for _, f := range keyForms {
		all = append(all, regexp.MustCompile(f.form))
	}
	return all
}()

// Redact replaces keys in a text that goes to a log, a screen or a file: the secrets given,
// also percent-encoded and in base64, and whatever looks like a key.
func Redact(s string, secrets ...string) string {
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
	for i, p := range keyPatterns {
		s = p.ReplaceAllString(s, keyForms[i].with)
	}
	return s
}
