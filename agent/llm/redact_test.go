package llm

import (
	"encoding/base64"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestRedact(t *testing.T) {
	const key = "zq/9+Vw=canary7"
	for in, want := range map[string]string{
		"key sk-SECRET123456789012345 bad":                  "key [redacted] bad",
		"sk-proj-ab_cd-EF123456":                            "[redacted]",
		"Incorrect API key provided: sk-abcd****wxyz.":      "Incorrect API key provided: [redacted]",
		"Authorization: Bearer abc.def-123456":              "Authorization: [redacted] [redacted]",
		"bearer tok_123456 and more":                        "bearer [redacted] and more",
		`{"api_key":"qwertyuiop"}`:                          `{"api_key":"[redacted]"}`,
		`{\"api_key\":\"qwertyuiop\"}`:                      `{\"api_key\":\"[redacted]\"}`,
		"https://user:pass1@host/x":                         "https://[redacted]@host/x",
		"AIzaSyA1234567890abcdefg_x":                        "[redacted]",
		"x-api-key=" + strings.Repeat("a", 12) + "&model=m": "x-api-key=[redacted]&model=m",
		"eyJhbGciOiJIUzI1.eyJzdWIiOiIx.abc":                 "[redacted]",
		"it said " + key:                                    "it said [redacted]",
		"?k=" + url.QueryEscape(key):                        "?k=[redacted]",
		base64.StdEncoding.EncodeToString([]byte(key)):      "[redacted]",
		"The API key is missing.":                           "The API key is missing.",
		`{"text":"my key:\nsk-abcdefgh12\nends"}`:           `{"text":"my key:\n[redacted]\nends"}`,
		`a \\nsk-abcdefgh12`:                                `a \\n[redacted]`,
		"Bearer of news":                                    "Bearer of news",
		"task-list and ask-me":                              "task-list and ask-me",
		"http://127.0.0.1:11434/v1":                         "http://127.0.0.1:11434/v1",
		"maximum context length is 8192 tokens":             "maximum context length is 8192 tokens",
	} {
		if got := Redact(in, key, "k"); got != want {
			t.Errorf("Redact(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestRedactKeys(t *testing.T) {
	const key = "zq/9+Vw=canary7"
	for in, want := range map[string]string{
		"the key is sk-SECRET123456789012345.": "the key is [redacted]",
		"it said " + key:                       "it said [redacted]",
		"AIzaSyA1234567890abcdefg_x":           "[redacted]",
		"https://user:pass1@host/x":            "https://[redacted]@host/x",
		"basic sourdough, the bearer of-news":  "basic sourdough, the bearer of-news",
		"The secret: butter, and patience":     "The secret: butter, and patience",
		"Authorization: granted by the board":  "Authorization: granted by the board",
	} {
		if got := RedactKeys(in, key); got != want {
			t.Errorf("RedactKeys(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestRedactOverlapping: a key that ends like the configured one but has a key's form is redacted as a whole.
func TestRedactOverlapping(t *testing.T) {
	for _, redact := range []func(string, ...string) string{Redact, RedactKeys} {
		if got := redact("theirs is sk-shop-0123456789abcdef, mine sk-mine-0123456789abcdef", "sk-mine-0123456789abcdef"); got != "theirs is [redacted], mine [redacted]" {
			t.Error(got)
		}
	}
}

func TestRedactLeavesNoSecret(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.StringMatching(`[A-Za-z0-9_/+.=-]{8,60}`).Draw(t, "secret")
		before, after := rapid.String().Draw(t, "before"), rapid.String().Draw(t, "after")
		if got := Redact(before+secret+after, secret); strings.Contains(got, secret) {
			t.Fatalf("%q is in %q", secret, got)
		}
	})
}
