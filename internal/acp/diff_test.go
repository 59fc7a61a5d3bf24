package acp

import (
	"strings"
	"testing"

	"github.com/aymanbagabas/go-udiff"
	"pgregory.net/rapid"
)

// TestPassages: what the parts of a difference hold makes the one text of the other, whatever they are,
// with an end of the last line or without.
func TestPassages(t *testing.T) {
	line := rapid.SampledFrom([]string{"a", "b", "c", "", "-", "+", "@@ -1 +1 @@", "--- x", "+++ y", `\ No newline at end of file`, "long line"})
	text := rapid.Custom(func(t *rapid.T) string {
		s := strings.Join(rapid.SliceOfN(line, 0, 30).Draw(t, "lines"), "\n")
		if rapid.Bool().Draw(t, "ended") {
			s += "\n"
		}
		return s
	})
	rapid.Check(t, func(t *rapid.T) {
		before, after := text.Draw(t, "before"), text.Draw(t, "after")
		parts, whole := passages(udiff.Unified("Notes/a.md", "Notes/a.md", before, after))
		if !whole {
			t.Fatal("a whole difference is taken for one that was cut")
		}
		rest, made := before, ""
		for _, p := range parts {
			if p.path != "Notes/a.md" || p.added != (before == "") {
				t.Fatalf("%+v", p)
			}
			// Found where it begins: lines before it are the same on both sides.
			at := 0
			for n := strings.Count(made, "\n") + 1; n < p.line; n++ {
				at += strings.IndexByte(rest[at:], '\n') + 1
			}
			if !strings.HasPrefix(rest[at:], p.old) {
				t.Fatalf("at line %d there is %q, not %q", p.line, rest[at:], p.old)
			}
			made += rest[:at] + p.new
			rest = rest[at+len(p.old):]
		}
		if made+rest != after {
			t.Fatalf("%q becomes %q, not %q", before, made+rest, after)
		}
	})
}

func TestPassagesCut(t *testing.T) {
	for _, diff := range []string{
		"--- a\n+++ a\n@@ -1,3 +1,3 @@\n x\n-y\n[... 10 more lines]\n",
		"--- a\n+++ a\n@@ -1,3 +1,3 @@\n x\n-y\n",
		"--- a\n+++ a\n@@ odd @@\n x\n",
	} {
		if parts, whole := passages(diff); whole || len(parts) > 1 {
			t.Errorf("%q: %+v, whole", diff, parts)
		}
	}
	teller := teller{dir: "/vault"}
	content, at := teller.diffs("--- ../a\n+++ ../a\n@@ -1 +1 @@\n-x\n+y\n")
	if len(content) > 0 || len(at) > 0 {
		t.Errorf("a file outside the vault is shown: %+v", content)
	}
}
