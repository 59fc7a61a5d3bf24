package prosediff

import (
	"strings"
	"testing"

	"github.com/aymanbagabas/go-udiff"
	"pgregory.net/rapid"
)

// TestExcerpts checks that the excerpts convert one text to the other, with or without a final line end.
func TestExcerpts(t *testing.T) {
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
		parts, whole := Excerpts(udiff.Unified("Notes/a.md", "Notes/a.md", before, after))
		if !whole {
			t.Fatal("a complete diff is reported as truncated")
		}
		rest, result := before, ""
		for _, p := range parts {
			if p.Name != "Notes/a.md" || p.Added != (before == "") {
				t.Fatalf("%+v", p)
			}
			// Apply it where it starts: earlier lines are the same on both sides.
			at := 0
			for n := strings.Count(result, "\n") + 1; n < p.Line; n++ {
				at += strings.IndexByte(rest[at:], '\n') + 1
			}
			if !strings.HasPrefix(rest[at:], p.Before) {
				t.Fatalf("at line %d there is %q, not %q", p.Line, rest[at:], p.Before)
			}
			result += rest[:at] + p.After
			rest = rest[at+len(p.Before):]
		}
		if result+rest != after {
			t.Fatalf("%q becomes %q, not %q", before, result+rest, after)
		}
	})
}

func TestExcerptsCut(t *testing.T) {
	for _, diff := range []string{
		"--- a\n+++ a\n@@ -1,3 +1,3 @@\n x\n-y\n[... 10 more lines]\n",
		"--- a\n+++ a\n@@ -1,3 +1,3 @@\n x\n-y\n",
		"--- a\n+++ a\n@@ odd @@\n x\n",
	} {
		if parts, whole := Excerpts(diff); whole || len(parts) > 1 {
			t.Errorf("%q: %+v, whole", diff, parts)
		}
	}
}
