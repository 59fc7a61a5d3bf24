package textedit

import (
	"slices"
	"strings"
	"testing"
)

// TestMoveDefinitions: a section takes the definitions that it uses along, and leaves those of the rest.
func TestMoveDefinitions(t *testing.T) {
	for name, c := range map[string]struct{ view, to, content, rest string }{
		"used by the section": {"a\n\n# S\nx[^1] [y][Ref]\n\n# T\nz\n\n[^1]: one\n    more\n[ref]: b.md\n", "host\n", "# S\nx[^1] [y][Ref]\n\n[^1]: one\n    more\n[ref]: b.md", "a\n\n# T\nz\n\n"},
		"used by both":        {"a[^n]\n# S\nx[^n]\n# T\n[^n]: note\n", "", "# S\nx[^n]\n\n[^n]: note", "a[^n]\n# T\n[^n]: note\n"},
		"of the rest":         {"a[^1]\n\n# S\nb[^2]\n\n[^1]: one\n[^2]: two\n", "", "# S\nb[^2]\n\n[^2]: two", "a[^1]\n\n\n[^1]: one\n"},
		"taken there":         {"# S\nb[^1] and [^2]\n\n[^1]: mine\n[^2]: other\n", "c[^1]\n\n[^1]: theirs\n[^3]: x\n", "# S\nb[^4] and [^2]\n\n[^4]: mine\n[^2]: other", ""},
		"two taken there":     {"# S\nb[^1] [^2]\n\n[^1]: mine\n[^2]: other\n", "[^1]: theirs\n\n[^2]: too\n", "# S\nb[^4] [^3]\n\n[^4]: mine\n[^3]: other", ""},
		"cut and taken":       {"# S\nb[ref]\n\n[a]: a.md\n[ref]: mine.md\n# T\n[a]\n", "[ref]: theirs.md\n", "# S\nb[ref-2]\n\n[ref-2]: mine.md", "# T\n[a]\n\n[a]: a.md\n"},
		"used by a footnote":  {"# S\nx[^1]\n\n[^1]: see [ref]\n# T\n\n[ref]: b.md\n", "", "# S\nx[^1]\n\n[^1]: see [ref]\n\n[ref]: b.md", "# T\n\n"},
		"the same there":      {"# S\nb[^1]\n# T\n[^1]: same\n", "c[^1]\n\n[^1]: same\n", "# S\nb[^1]", "# T\n"},
		"none":                {"# S\n- [x] b [link](a.md)\n# T\n`[^1]: x`\n", "c\n", "# S\n- [x] b [link](a.md)", "# T\n`[^1]: x`\n"},
	} {
		start := max(strings.Index(c.view, "# S"), 0)
		end := len(c.view)
		if i := strings.Index(c.view, "# T"); i >= 0 {
			end = i
		}
		content, splices := moveDefinitions(c.view, start, end, c.to)
		splices = append(splices, Splice{Start: start, End: end})
		slices.SortStableFunc(splices, func(a, b Splice) int { return a.Start - b.Start })
		rest := NewFile([]byte(c.view)).Content(splices)
		if content != c.content || string(rest) != c.rest {
			t.Errorf("%s:\n%q, want\n%q; rest\n%q, want\n%q", name, content, c.content, rest, c.rest)
		}
	}
}
