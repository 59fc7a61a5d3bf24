package textedit

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestTextDiffApplies checks that applying the diff gives the planned text.
func TestTextDiffApplies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) string {
			return rapid.StringMatching(`([abc]{0,2}\r?\n){0,20}[abc]{0,2}`).Draw(t, name)
		}
		before, after := draw("before"), draw("after")
		diff := TextDiff("a.md", before, after)
		if before == after {
			if diff != "" {
				t.Fatalf("no change has the diff %q", diff)
			}
			return
		}
		if got := applyDiff(t, before, diff); got != after {
			t.Fatalf("applied\n%s\nto %q: got %q, want %q", diff, before, got, after)
		}
	})
}

func TestTextDiffIsBounded(t *testing.T) {
	long := TextDiff("a.md", "", strings.Repeat("0123456789\n", 100_000))
	if n := strings.Count(long, "\n"); n > inProposal.lines+1 || !strings.Contains(long, "more lines of this diff left out]") {
		t.Errorf("%d lines, ending %q", n, long[len(long)-80:])
	}
	wide := TextDiff("a.md", "short\n", strings.Repeat("x", 1<<20)+"\n")
	if len(wide) > 2*inProposal.lineBytes || !strings.Contains(wide, "more bytes]") {
		t.Errorf("%d bytes, ending %q", len(wide), wide[len(wide)-80:])
	}
}

func TestLinesGone(t *testing.T) {
	for _, c := range []struct {
		name, before, after string
		gone, all           int
	}{
		{"nothing", "a\nb\n", "a\nb\n", 0, 2},
		{"blank lines count for nothing", "a\n\n\n\nb\n", "a\nb\n", 0, 2},
		{"deleted", "one\ntwo\nthree\n", "one\n", 2, 3},
		{"all of it", "one\ntwo\n", "", 2, 2},
		{"added", "one\n", "one\ntwo\nthree\n", 0, 1},
		{"moved", "one\ntwo\nthree\n", "three\ntwo\none\n", 0, 3},
		{"indented", "one\ntwo\n", "  one\n\ttwo\n", 0, 2},
		{"other line ends", "one\r\ntwo\r\n", "one\ntwo\n", 0, 2},
		{"a word in each line", "the old plan\nan old friend\n", "the new plan\nan new friend\n", 0, 2},
		{"other text", "the old plan\nan old friend\n", "xyz\nuvw\n", 2, 2},
		{"one line for all", "alpha\nbeta\ngamma\ndelta\n", "x\n", 4, 4},
		{"nothing in it", "\n\n", "text\n", 0, 0},
	} {
		if gone, all := LinesGone(c.before, c.after); gone != c.gone || all != c.all {
			t.Errorf("%s: %d of %d, not %d of %d", c.name, gone, all, c.gone, c.all)
		}
	}
}

// TestLinesGoneProperties checks that at most all lines are removed, none by adding, and all by emptying.
func TestLinesGoneProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) string { return rapid.StringMatching(`([ab ]{0,4}\n){0,10}[ab]{0,2}`).Draw(t, name) }
		before, more := draw("before"), draw("more")
		gone, all := LinesGone(before, more)
		if gone < 0 || gone > all {
			t.Fatalf("%d of %d", gone, all)
		}
		if gone, _ := LinesGone(before, before+"\n"+more); gone != 0 {
			t.Fatalf("%d lines go where text is added", gone)
		}
		if gone, all := LinesGone(before, ""); gone != all {
			t.Fatalf("emptied: %d of %d", gone, all)
		}
	})
}
