package textedit

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestFileDiff(t *testing.T) {
	numbered := "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n19\n20\n"
	tests := []struct {
		name, before, old, replacement string
		all                            bool
		want                           string
	}{
		{name: "middle", before: numbered, old: "\n10\n", replacement: "\nten\n", want: "--- a.md\n+++ a.md\n" +
			"@@ -7,7 +7,7 @@\n 7\n 8\n 9\n-10\n+ten\n 11\n 12\n 13"},
		{name: "first and last", before: numbered, old: "1\n2", replacement: "0\n1\n2", want: "--- a.md\n+++ a.md\n" +
			"@@ -1,3 +1,4 @@\n+0\n 1\n 2\n 3"},
		{name: "two hunks", before: numbered, old: "2\n", replacement: "2!\n", all: true, want: "--- a.md\n+++ a.md\n" +
			"@@ -1,5 +1,5 @@\n 1\n-2\n+2!\n 3\n 4\n 5\n@@ -9,7 +9,7 @@\n 9\n 10\n 11\n-12\n+12!\n 13\n 14\n 15"},
		{name: "after a hunk of two edits", before: "x\na\nb\nx\n1\n2\n3\n4\n5\n6\n7\nx\n", old: "x\n", replacement: "y\n", all: true, want: "--- a.md\n+++ a.md\n" +
			"@@ -1,7 +1,7 @@\n-x\n+y\n a\n b\n-x\n+y\n 1\n 2\n 3\n@@ -9,4 +9,4 @@\n 5\n 6\n 7\n-x\n+y"},
		{name: "CRLF shows none", before: "a\r\nb\r\n", old: "b", replacement: "c", want: "--- a.md\n+++ a.md\n" +
			"@@ -1,2 +1,2 @@\n a\n-b\n+c"},
		{name: "no final line end", before: "a\nb", old: "b", replacement: "c", want: "--- a.md\n+++ a.md\n" +
			"@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file"},
		{name: "only lines that differ", before: "a\nb\nc\nd\n", old: "a\nb\nc\nd", replacement: "A\nb\nc\nD", want: "--- a.md\n+++ a.md\n" +
			"@@ -1,4 +1,4 @@\n-a\n+A\n b\n c\n-d\n+D"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := NewFile([]byte(tt.before))
			e, err := ReplaceText(f, "a.md", tt.old, tt.replacement, tt.all)
			if err != nil {
				t.Fatal(err)
			}
			got, _, _ := FileDiff(f, "a.md", f.Content(e.Splices))
			if got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// TestFileDiffApplies checks that applying the diff to the old file gives the new one.
func TestFileDiffApplies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := rapid.StringMatching(`([abc]{0,2}\n){0,30}[abc]{0,2}`).Draw(t, "before")
		f := NewFile([]byte(before))
		old := rapid.SampledFrom([]string{"a", "b\n", "\n", "a\nb", "cc"}).Draw(t, "old")
		replacement := rapid.StringMatching(`[abc\n]{0,4}`).Draw(t, "new")
		e, err := ReplaceText(f, "a.md", old, replacement, true)
		if err != nil {
			return
		}
		after := string(f.Content(e.Splices))
		if after == before {
			return
		}
		diff, added, removed := FileDiff(f, "a.md", f.Content(e.Splices))
		if added+removed == 0 {
			t.Fatalf("nothing added or removed in\n%s", diff)
		}
		if got := applyDiff(t, before, diff); got != after {
			t.Fatalf("applied\n%s\nto %q: got %q, want %q", diff, before, got, after)
		}
	})
}

// applyDiff applies a patch. Each context and removed line must match.
func applyDiff(t *rapid.T, before, diff string) string {
	lines := strings.SplitAfter(before, "\n")
	var after strings.Builder
	at := 0
	for _, hunk := range strings.Split(diff, "\n@@ -")[1:] {
		head, body, _ := strings.Cut(hunk, "\n")
		var from int
		if _, err := fmt.Sscanf(head, "%d", &from); err != nil {
			t.Fatalf("%v in %q", err, head)
		}
		for from > 0 && at < from-1 {
			after.WriteString(lines[at])
			at++
		}
		body = strings.ReplaceAll(body+"\n", "\n\\ No newline at end of file\n", "\x00")
		for len(body) > 0 {
			end := strings.IndexAny(body, "\n\x00")
			text := body[1 : end+1]
			if body[end] == 0 {
				text = body[1:end]
			}
			if body[0] != '+' {
				if lines[at] != text {
					t.Fatalf("line %d is %q, the diff has %q:\n%s", at+1, lines[at], text, diff)
				}
				at++
			}
			if body[0] != '-' {
				after.WriteString(text)
			}
			body = body[end+1:]
		}
	}
	return after.String() + strings.Join(lines[at:], "")
}

func TestFileDiffIsBounded(t *testing.T) {
	many := NewFile([]byte(strings.Repeat("a line of some length here\n\n\n\n\n\n\n\n", 10_000)))
	e, err := ReplaceText(many, "a.md", "line", "row", true)
	if err != nil {
		t.Fatal(err)
	}
	diff, _, _ := FileDiff(many, "a.md", many.Content(e.Splices))
	if len(diff) > inResult.bytes+500 || !strings.Contains(diff, "more lines of this diff left out]") {
		t.Errorf("%d bytes, ending in %q", len(diff), diff[len(diff)-200:])
	}

	long := NewFile([]byte(strings.Repeat("é", 1<<20) + "x\nend\n"))
	if e, err = ReplaceText(long, "a.md", "x", "y", false); err != nil {
		t.Fatal(err)
	}
	diff, added, removed := FileDiff(long, "a.md", long.Content(e.Splices))
	if len(diff) > 2000 || added != 1 || removed != 1 {
		t.Errorf("%d bytes, +%d −%d", len(diff), added, removed)
	}
}
