package pathname

import (
	"errors"
	"path"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"chatvault/vault/vaulterr"
)

func TestClean(t *testing.T) {
	for given, want := range map[string]string{
		"a.md":                 "a.md",
		"./a.md":               "a.md",
		"notes//a.md":          "notes/a.md",
		"notes/./a.md":         "notes/a.md",
		"notes/sub/../a.md":    "notes/a.md",
		"notes/a.md\n":         "notes/a.md",
		"notes/a.md\r\n":       "notes/a.md",
		"notes/":               "notes",
		".":                    ".",
		"./":                   ".",
		"notes/..":             ".",
		"a b/c d.md":           "a b/c d.md",
		"12:30 call.md":        "12:30 call.md",
		"Re: plans.md":         "Re: plans.md",
		"draft~1.md":           "draft~1.md",
		"~/x.md":               "~/x.md",
		"%2e%2e/x.md":          "%2e%2e/x.md",
		"AC⧸DC.md":             "AC⧸DC.md", // may exist, but must not be created
		"odd\u202ename.md":     "odd\u202ename.md",
		"日本語/メモ.md":            "日本語/メモ.md",
		"👨\u200d👩\u200d👧.md":   "👨\u200d👩\u200d👧.md",
		"می\u200cخواهم.md":     "می\u200cخواهم.md",
		"trailing./dot. .md":   "trailing./dot. .md",
		"v1.2 release notes":   "v1.2 release notes",
		"http/notes.md":        "http/notes.md",
		"file manager.md":      "file manager.md",
		"x" + "/.." + "/y.md":  "y.md",
		"notes/a.md/../../b/c": "b/c",
	} {
		got, err := Clean(given)
		if err != nil || got != want {
			t.Errorf("Clean(%q) = %q, %v; want %q", given, got, err, want)
		}
	}
	for given, message := range map[string]string{
		"":                            "empty",
		" \n":                         "empty",
		"..":                          "out of the vault",
		"a/../../b":                   "out of the vault",
		"/notes/a.md":                 `did you mean "notes/a.md"`,
		"/":                           "absolute",
		"./C:/x":                      "drive",
		"x/../file:/etc/passwd":       "URL",
		"\n/":                         "empty",
		"\u00a0/":                     "empty",
		"//server/x":                  "absolute",
		`a\b`:                         "backslash",
		"a\x00b":                      "NUL",
		"\xff.md":                     "UTF-8",
		"C:/x":                        "drive",
		"file:/etc/passwd":            "URL",
		"https://x.org/a":             "URL",
		".obsidian/app.json":          "cannot access files in '.obsidian/' (protected system folder)",
		"x/.git/config":               "cannot access files in '.git/' (protected system folder)",
		".obsidian":                   "'.obsidian' (hidden files and folders are protected)",
		".hidden.md":                  "'.hidden.md' (hidden files and folders are protected)",
		".hidden/../a.md":             ".hidden",
		"…and so on.md":               "protected", // U+2026 is three dots in its compatibility form
		strings.Repeat("x", 256):      "too long",
		strings.Repeat("dd/", 2000):   "too long",
		"\u200b.obsidian/x":           "protected",
		"GIT~1":                       "protected",
		"obsidi~1.vim":                "protected",
		"\u3000.x/a":                  "protected",
		"\uff0e\uff0e/secret.md":      "protected",
		"a/\u2024git/config":          "protected",
		"\uff27\uff29\uff34\uff5e1/x": "protected",
	} {
		got, err := Clean(given)
		if !errors.Is(err, vaulterr.KindDenied) || !strings.Contains(err.Error(), message) || !strings.HasPrefix(err.Error(), "Access denied: ") {
			t.Errorf("Clean(%q) = %q, %v; want a denial that says %q", given, got, err, message)
		}
	}
}

// TestCleanIsLinear uses paths whose ends would take long to trim in steps.
func TestCleanIsLinear(t *testing.T) {
	began := time.Now()
	for _, piece := range []string{"\n/", "\r\n/", "\u00a0/", "../", "a/../", "./"} {
		_, _ = Clean("a/" + strings.Repeat(piece, maxPath/len(piece)-1))
	}
	if took := time.Since(began); took > time.Second {
		t.Errorf("took %v", took)
	}
}

// pieces are the components of bad paths.
var pieces = []string{
	"..", ".", "", "a", "Notes", ".obsidian", ".git", " ", "\u200b", "\u2024", "\u2025", "\u2026", "\uff0e", "~1", "GIT~1", "\\", "/", "//", "C:",
	"\n", "\x00", "\xff", "\u00ad", "\ufe0f", "é", "e\u0301", "日本", "👨\u200d👩", "\u00a0", "%2e", "file:", ".md",
}

func drawPath(t *rapid.T) string {
	parts := rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(pieces), rapid.String(), rapid.Just("/")), 0, 12).Draw(t, "parts")
	return strings.Join(parts, "")
}

// checkCleaned describes how Clean violates its contract for a path that it accepts, "" if it does not.
func checkCleaned(given string) string {
	clean, err := Clean(given)
	if err != nil {
		var e *vaulterr.Error
		if !errors.As(err, &e) || e.Kind != vaulterr.KindDenied || e.Path != given {
			return "an error of another kind"
		}
		if len(e.Text) > 320 || strings.ContainsAny(e.Text, "\n\x00\x1b") || !utf8.ValidString(e.Text) {
			return "an unfit sentence: " + e.Text
		}
		return ""
	}
	again, err := Clean(clean)
	switch {
	case err != nil || again != clean:
		return "not idempotent"
	case clean == ".":
		return ""
	case path.IsAbs(clean), clean != path.Clean(clean), !utf8.ValidString(clean), strings.ContainsAny(clean, "\\\x00"):
		return "not clean"
	}
	for name := range strings.SplitSeq(clean, "/") {
		if name == ".." || strings.HasPrefix(strings.TrimSpace(name), ".") || Protected(name) || len(name) > MaxName {
			return "a component that must not pass: " + name
		}
	}
	return ""
}

func TestCleanProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		given := drawPath(t)
		if fault := checkCleaned(given); fault != "" {
			t.Fatalf("Clean(%q): %s", given, fault)
		}
	})
}

func FuzzClean(f *testing.F) {
	for _, p := range pieces {
		f.Add(p)
		f.Add("notes/" + p + "/a.md")
	}
	f.Fuzz(func(t *testing.T, given string) {
		if fault := checkCleaned(given); fault != "" {
			t.Fatalf("Clean(%q): %s", given, fault)
		}
	})
}

// TestProtectedSpellings adds characters that a screen or a file system ignores to a protected name: it stays
// protected.
func TestProtectedSpellings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := rapid.SampledFrom([]string{"", " ", "\u00a0", "\u200b", "\u2060", "\ufeff", "\t", "\u00ad", "\u3000", "\ufe0f", "\u115f"})
		dot := rapid.SampledFrom([]string{".", "\u2024", "\uff0e", "\u2025", "\ufe52"})
		name := rapid.SampledFrom([]string{"obsidian", "git", "smarthole", "x", ""})
		spelling := before.Draw(t, "1") + before.Draw(t, "2") + dot.Draw(t, "dot") + before.Draw(t, "3") + name.Draw(t, "name")
		if !Protected(spelling) {
			t.Fatalf("%q is not protected", spelling)
		}
	})
}

func TestNewNameFault(t *testing.T) {
	for _, name := range []string{
		"a.md", "2026-11-21.md", "日本語.md", "عربي.md", "👨\u200d👩\u200d👧.md", "❤\ufe0f.md", "1\ufe0f\u20e3.md", "می\u200cخواهم.md",
		"क्\u200dष.md", "COM10.md", "common.md", "con-fusion.md", "auxiliary", "葛\U000e0100.md", "naïve.md", "a'b.md", "(x) [y] {z}.md", "#tag.md",
	} {
		if fault := NewNameFault(name); fault != "" {
			t.Errorf("%q: %s", name, fault)
		}
	}
	for _, name := range []string{
		"a:b", "a?", "<a>", `a"b`, "a|b", "a*", "a.", "a ", " a", "a\u00a0", "CON", "con.md", "nul.tar.gz", "com1", "LPT9.md", "com¹.md", "CONIN$", "CLOCK$",
		"a\nb", "a\x1b[2J", "a\u009b", "a\u202eb", "a\u2066b", "a\u200bb", "a\u200db", "vs\ufe00.md", "a\ufe0f", "AC⧸DC", "a\u2215b", "a\u3164", "a\U000e0041", "AUX .md",
	} {
		if NewNameFault(name) == "" {
			t.Errorf("%q is allowed", name)
		}
	}
}

func TestKey(t *testing.T) {
	for path, want := range map[string]string{
		"a.md": "a.md", "Trailing .md": "trailing.md", "Dot..md": "dot.md", "Dr. ..MD": "dr.md", "Folder /a": "folder/a", "x./y../z": "x/y/z",
		"v1. 2.md": "v1. 2.md", "../a": "../a", "./": "./", "..": "..", "a/../b": "a/../b", "...": "...", "Ｎｏｔｅ．ｍｄ": "note.md", "ﾃﾞｰﾀ": "データ",
		"東京\u3000塔": "東京 塔", "a\u00a0b": "a b", "AC／DC": "ac／dc", "（1）": "(1)", "What？": "what?", "a.": "a", "v1.0 .md": "v1.0.md", "CAFE\u0301 ": "cafÉ",
	} {
		if got := Key(path); got != want {
			t.Errorf("%q: %q, want %q", path, got, want)
		}
	}
}

func TestFoldName(t *testing.T) {
	for _, same := range [][2]string{
		{"Notes", "nOTES"},
		{"CAFÉ.md", "cafe\u0301.md"},
		{"ΣΊΣΥΦΟΣ", "σίσυφος"},
		{"K", "\u212a"},
		{"Å", "\u212b"},
		{"ẞ", "ß"},
		{"ﬀ", "ﬀ"},
	} {
		if Fold(same[0]) != Fold(same[1]) || Key(same[0]) != Key(same[1]) {
			t.Errorf("%q and %q are different names", same[0], same[1])
		}
	}
	for _, other := range [][2]string{{"straße", "STRASSE"}, {"a", "á"}, {"ı", "i"}, {"İ", "i"}, {"ﬀ", "ff"}} {
		if Fold(other[0]) == Fold(other[1]) || Key(other[0]) == Key(other[1]) {
			t.Errorf("%q and %q are the same name", other[0], other[1])
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.String().Draw(t, "name")
		folded := Fold(name)
		if Fold(folded) != folded {
			t.Fatalf("folding %q twice gives another name", name)
		}
		if key := Key(name); Key(key) != key || Key(folded) != key {
			t.Fatalf("the key of %q changes: %q", name, key)
		}
	})
}
