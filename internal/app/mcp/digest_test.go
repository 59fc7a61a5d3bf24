package mcp

import (
	"slices"
	"strings"
	"testing"
)

func TestDigest(t *testing.T) {
	long := strings.Repeat("Ein Wort über alles. ", 20)
	for _, row := range []struct {
		name, diff     string
		removed, added int
		lines          []string
	}{
		{"one line", "--- A.md\n+++ A.md\n@@ -4,3 +4,3 @@\n x\n-old\n+new\n y", 1, 1, []string{"-old", "+new"}},
		{"an addition after a blank line", "--- A.md\n+++ A.md\n@@ -1 +1,3 @@\n x\n+\n+new", 0, 2, []string{"+new"}},
		{"a removed rule", "--- A.md\n+++ A.md\n@@ -1,2 +1 @@\n x\n---- x", 1, 0, []string{"---- x"}},
		{"two hunks", "--- A.md\n+++ A.md\n@@ -2 +2 @@\n-a\n+b\n@@ -9 +9 @@\n-c\n+d", 2, 2, []string{"-a", "+b"}},
		{"only additions", "--- A.md\n+++ A.md\n@@ -0,0 +1,3 @@\n+a\n+b\n+c", 0, 3, []string{"+a"}},
		{"a word in a long paragraph", "--- A.md\n+++ A.md\n@@ -1 +1 @@\n-" + long + "alt\n+" + long + "neu", 1, 1, []string{"-…ber alles. Ein Wort über alles. alt", ""}},
		{"only a blank line", "--- A.md\n+++ A.md\n@@ -1,2 +1 @@\n x\n-\n", 1, 0, nil},
		{"no diff", "", 0, 0, nil},
	} {
		d := digestOf(row.diff)
		if row.name == "a word in a long paragraph" {
			if len(d.lines) != 2 || !strings.HasPrefix(d.lines[0], "-…") || !strings.HasSuffix(d.lines[0], " alt") || !strings.HasSuffix(d.lines[1], " neu") || len([]rune(d.lines[1])) > maxDigestLine+3 {
				t.Errorf("%q", d.lines)
			}
			d.lines = row.lines
		}
		if d.removed != row.removed || d.added != row.added || !slices.Equal(d.lines, row.lines) {
			t.Errorf("%s: %+v", row.name, d)
		}
	}
}
