package llm

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// escaped writes every nth character, and those that begin an escape, in the given format.
func escaped(format string, nth int) func(string) string {
	return func(s string) string {
		var b strings.Builder
		for i, c := range []byte(s) {
			if i%nth == 0 || c == '%' || c == '\\' {
				fmt.Fprintf(&b, format, c)
			} else {
				b.WriteByte(c)
			}
		}
		return b.String()
	}
}

func redactSecrets(s string, secrets ...string) string {
	hidden := make([]bool, len(s))
	hideSecrets(hidden, s, secrets)
	return replaceHidden(s, hidden)
}

func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b[1 : len(b)-1])
}

func backward(s string) string {
	b := []byte(s)
	slices.Reverse(b)
	return string(b)
}

// spellings are the ways to write a key except base64, in which adjacent characters contain some of its bits.
var spellings = map[string]func(string) string{
	"as it is":           func(s string) string { return s },
	"reversed":           backward,
	"hex":                func(s string) string { return hex.EncodeToString([]byte(s)) },
	"HEX":                func(s string) string { return strings.ToUpper(hex.EncodeToString([]byte(s))) },
	"percent, by need":   url.QueryEscape,
	"percent":            escaped("%%%02x", 1),
	"PERCENT":            escaped("%%%02X", 1),
	"percent, some":      escaped("%%%02x", 3),
	"percent, twice":     func(s string) string { return url.QueryEscape(escaped("%%%02x", 2)(s)) },
	"JSON, by need":      quoted,
	"JSON":               escaped(`\u%04x`, 1),
	"JSON, the first":    escaped(`\u%04X`, 1000),
	"JSON in JSON":       func(s string) string { return quoted(escaped(`\u%04x`, 2)(s)) },
	"JSON in JSON twice": func(s string) string { return quoted(quoted(escaped(`\u%04x`, 4)(s))) },
	"slashes":            func(s string) string { return strings.NewReplacer(`\`, `\\`, "/", `\/`).Replace(s) },
	"C":                  escaped(`\x%02x`, 1),
	"reversed, percent":  func(s string) string { return escaped("%%%02x", 1)(backward(s)) },
}

var keyForm = rapid.OneOf(
	rapid.StringMatching(`[A-Za-z0-9_-]{8,60}`),
	rapid.StringMatching(`[A-Za-z0-9+/]{20,42}={0,2}`),
	rapid.StringMatching(`sk-[a-z]{2,6}-[A-Za-z0-9_-]{20,150}`),
	rapid.StringMatching(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}`),
	rapid.StringMatching(`[!-~]{8,40}`),
)

func TestRedactEveryForm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := keyForm.Draw(t, "key")
		name := rapid.SampledFrom(slices.Sorted(maps.Keys(spellings))).Draw(t, "way")
		before, after := rapid.String().Draw(t, "before")+" ", " "+rapid.String().Draw(t, "after")
		in := before + spellings[name](key) + after
		if got, want := redactSecrets(in, key), before+Redacted+after; got != want {
			t.Fatalf("%s: %q\n got %q\nwant %q", name, in, got, want)
		}
	})
}

// TestRedactEscapeInKey: a key contains what looks like an escape, and is itself escaped in the other form.
func TestRedactEscapeInKey(t *testing.T) {
	for in, key := range map[string]string{
		`!%00!!!\"`:           `!%00!!!"`,
		`key%2Fof%5Cu0041abc`: `key/of\u0041abc`,
	} {
		if got := redactSecrets("it said "+in+" so", key); got != "it said "+Redacted+" so" {
			t.Errorf("%q: %q", in, got)
		}
	}
}

// TestRedactPieces: a key truncated at its end or beginning is redacted down to the shortest recognized length.
func TestRedactPieces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := keyForm.Draw(t, "key")
		name := rapid.SampledFrom(slices.Sorted(maps.Keys(spellings))).Draw(t, "way")
		n := rapid.IntRange(shortestPiece(len(key)), len(key)).Draw(t, "length")
		piece := key[:n]
		if rapid.Bool().Draw(t, "end") {
			piece = key[len(key)-n:]
		}
		in := "it said «" + spellings[name](piece) + "…»"
		if got, want := redactSecrets(in, key), "it said «"+Redacted+"…»"; got != want {
			t.Fatalf("%s of %d: %q\n got %q\nwant %q", name, len(key), in, got, want)
		}
	})
}

func TestRedactBase64(t *testing.T) {
	encodings := map[string]*base64.Encoding{"standard": base64.StdEncoding, "raw": base64.RawStdEncoding, "URL": base64.URLEncoding, "raw URL": base64.RawURLEncoding}
	rapid.Check(t, func(t *rapid.T) {
		key := keyForm.Draw(t, "key")
		encoding := encodings[rapid.SampledFrom(slices.Sorted(maps.Keys(encodings))).Draw(t, "encoding")]
		n := rapid.IntRange(shortestPiece(len(key)), len(key)).Draw(t, "length")
		before, after := rapid.StringN(0, 9, -1).Draw(t, "before"), rapid.StringN(0, 9, -1).Draw(t, "after")
		way := spellings[rapid.SampledFrom([]string{"as it is", "JSON, by need", "percent, by need", "slashes"}).Draw(t, "way")]
		in := "it said «" + way(encoding.EncodeToString([]byte(before+key[:n]+after))) + "…»"
		got := redactSecrets(in, key)
		left, right, ok := strings.Cut(got, Redacted)
		left, beginOK := strings.CutPrefix(left, "it said «")
		right, endOK := strings.CutSuffix(right, "…»")
		// The text before and after the key remains, and up to three bytes of the key.
		if !ok || !beginOK || !endOK || len(unescaped(left)) > (8*len(before)+5)/6 || len(unescaped(right)) > 4*(len(after)+4)/3+4 {
			t.Fatalf("%q\ngot %q", in, got)
		}
		if n == len(key) && before == "" && after == "" && got != "it said «"+Redacted+"…»" {
			t.Fatalf("%q\ngot %q", in, got)
		}
	})
}

func unescaped(s string) string {
	all := readings(s)
	return all[len(all)-1].text
}

// TestRedactLeavesTextAlone: text that is no part of a key stays unchanged, to the byte.
func TestRedactLeavesTextAlone(t *testing.T) {
	var text strings.Builder
	for _, name := range []string{"../../README.md", "../../ARCHITECTURE.md", "../../docs/reliability.md", "redact.go"} {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		b = b[:min(len(b), 6<<10)]
		text.Write(b)
		text.WriteString(quoted(string(b)))
		text.WriteString(url.QueryEscape(string(b)))
		text.WriteString(base64.StdEncoding.EncodeToString(b))
		text.WriteString(hex.EncodeToString(b))
	}
	ordinary := text.String()
	for _, key := range []string{ // as people invent for local servers: they begin and end like ordinary text
		"chatvault-key-1", "password-for-home", "localhost-api-key", "anthropic-api-key", "the-model-of-mine", "k", "none", "ollama", "sk-no-key-required",
	} {
		if redactSecrets(ordinary, key) != ordinary {
			t.Errorf("%q: ordinary text is damaged", key)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		key := keyForm.Draw(t, "key")
		if redactSecrets(ordinary, key) != ordinary {
			t.Fatalf("%q: ordinary text is damaged", key)
		}
		other := rapid.String().Draw(t, "text")
		if another := rapid.StringMatching(`[G-Z_]{8,60}`).Draw(t, "another"); !strings.ContainsAny(key, "GHIJKLMNOPQRSTUVWXYZ_") {
			other += spellings[rapid.SampledFrom(slices.Sorted(maps.Keys(spellings))).Draw(t, "way")](another)
		}
		short := key[:min(len(key), shortestPiece(len(key)))-1] // too short to be recognized
		for _, s := range []string{other, "it is " + short + "…", "…" + backward(short)} {
			if got := redactSecrets(s, key); got != s {
				t.Fatalf("%q: %q became %q", key, s, got)
			}
		}
	})
}

func TestShortestPiece(t *testing.T) {
	for n, want := range map[int]int{8: 8, 9: 8, 10: 8, 11: 9, 13: 11, 14: 12, 20: 12, 28: 14, 32: 16, 51: 16, 164: 16} {
		if got := shortestPiece(n); got != want {
			t.Errorf("of %d: %d, want %d", n, got, want)
		}
	}
}

// TestRedactIsQuick: texts built to be slow are redacted quickly.
func TestRedactIsQuick(t *testing.T) {
	const size, bound = 256 << 10, 2 * time.Second // measured: under 0.05 s
	key := "sk-proj-" + strings.Repeat("aB3x", 39)
	for name, unit := range map[string]string{
		"its beginning": key[:16], "nearly its beginning": key[:15], "its end": key[len(key)-16:], "its pattern": "aB3x", "key": key, "one letter": "s",
		"percent": "%", "percents": "%25", "backslashes": `\`, "escapes": `\u005cu005cu0073`, "hex": hex.EncodeToString([]byte(key[:15])), "base64": base64.StdEncoding.EncodeToString([]byte(key[:15])),
	} {
		text := strings.Repeat(unit, size/len(unit))
		begun := time.Now()
		_ = redactSecrets(text, key, backward(key), strings.Repeat("s", 40))
		if took := time.Since(begun); took > bound {
			t.Errorf("%s: %v", name, took)
		}
	}
}

func FuzzRedact(f *testing.F) {
	f.Add("the key sk-0123456789abcdef is bad", "sk-0123456789abcdef")
	f.Add(`\u005cu0041%2541\\\x41`, `\A%41\\x41`)
	f.Add("c2stMDEyMzQ1Njc4OWFiY2RlZg==", "sk-0123456789abcdef")
	f.Fuzz(func(t *testing.T, text, key string) {
		got := redactSecrets(text, key)
		if len(key) < shortestSecret && got != text {
			t.Fatalf("%q became %q", text, got)
		}
		if len(key) < shortestSecret || strings.ContainsAny(key, "[]") || strings.Contains(Redacted, key) {
			return
		}
		for name, way := range spellings { // of possible keys; others are found only verbatim
			if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) && name != "as it is" {
				continue
			}
			if strings.Contains(got, way(key)) {
				t.Fatalf("%q %s is in %q", key, name, got)
			}
		}
	})
}

func BenchmarkRedactSecrets(b *testing.B) {
	key := "sk-proj-" + strings.Repeat("aB3x", 39)
	line := `{"time":"2026-11-21T12:00:00Z","level":"ERROR","msg":"model call failed","provider":"test/m","detail":"HTTP 500: {\"error\":{\"message\":\"boom\"}}"}`
	for name, text := range map[string]string{"line": line, "64 KiB": strings.Repeat(line, 64<<10/len(line))} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				redactSecrets(text, key)
			}
		})
		b.Run(name+" patterns", func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Redact(text)
			}
		})
	}
}
