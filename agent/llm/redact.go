package llm

import (
	"regexp"
	"sync"
)

// Redacted stands where a key stood.
const Redacted = "[redacted]"

// keyForms are how the keys of the known providers look, and the places where keys stand. The key is
// what comes after the last group, but for what is given as after it: what names a field or a header
// is kept. Where prose is true, the words of a sentence can look so too. Text may stand in JSON, where
// an escaped line end is before a word as a letter is.
var keyForms = []struct {
	form  string
	after string
	prose bool
}{
	{form: wordStart + `(?:sk|pk|rk|gsk|xai|nvapi|hf|ghp|r8|pplx|tgp_v1|csk|fw)[-_][A-Za-z0-9_\-*.]{8,}`},
	{form: wordStart + `AIza[A-Za-z0-9_\-]{16,}`},
	{form: wordStart + `eyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}(?:\.[A-Za-z0-9_\-]*)?`},
	{form: `(?i)\b(?:bearer|basic)(\s+|%20)["']?[A-Za-z0-9._~+/=\-]{6,}`, prose: true},
	{form: `(?i)\b(?:(?:x-)?api[-_ ]?key|authorization|access[-_]?token|secret)(\\?["']?\s*[:=]\s*\\?["']?)[^\s"',;&\\)}\]\[]{6,}`, prose: true},
	{form: `(://)[^/\s:@]*:[^/\s@]+@`, after: "@"},
}

const wordStart = `(\\[bfnrt]|\b)`

var keyPatterns = sync.OnceValue(func() []*regexp.Regexp {
	var all []*regexp.Regexp
	for _, f := range keyForms {
		all = append(all, regexp.MustCompile(f.form))
	}
	return all
})

// Redact replaces keys in a text that goes to a log, a screen or a file: the secrets given, in every
// form that secretSpans knows, and whatever looks like a key.
func Redact(s string, secrets ...string) string { return redact(s, secrets, false) }

// RedactKeys is Redact for prose, as people and models write it: a bearer of news and a secret
// ingredient stay as they are.
func RedactKeys(s string, secrets ...string) string { return redact(s, secrets, true) }

func redact(s string, secrets []string, prose bool) string {
	spans := secretSpans(s, secrets)
	for i, p := range keyPatterns() {
		if prose && keyForms[i].prose {
			continue
		}
		for _, m := range p.FindAllStringSubmatchIndex(s, -1) {
			spans = append(spans, span{m[len(m)-1], m[1] - len(keyForms[i].after)})
		}
	}
	return replaceSpans(s, spans)
}
