package glob

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestHasMatchesReference compares Has with a reference: a path is private if a glob matches it or one of its parent
// folders.
func TestHasMatchesReference(t *testing.T) {
	names := []string{"a", "B", "c.md", "Käse", "x y"}
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom(names), 1, 4).Draw(t, "path")
		pattern := strings.Join(rapid.SliceOfN(rapid.SampledFrom(append(names, "*", "**", "?", "*.md")), 1, 3).Draw(t, "glob"), "/")
		list, err := NewList([]string{pattern})
		if err != nil {
			t.Fatal(err)
		}
		g, err := Compile(strings.TrimRight(pattern, "/*"), Anywhere)
		if strings.HasSuffix(pattern, "*") || err != nil {
			g, err = Compile(pattern, Anywhere)
		}
		if err != nil {
			t.Fatal(err)
		}
		want := false
		for i := range parts {
			want = want || matches(g, strings.Join(parts[:i+1], "/"), true)
		}
		path := strings.Join(parts, "/")
		got := list.Has(path)
		if want && !got {
			t.Errorf("%q does not hide %q", pattern, path)
		}
		if got && !want && !strings.HasSuffix(pattern, "**") {
			t.Errorf("%q hides %q", pattern, path)
		}
		if got && !list.Has(path+"/more/of.it") {
			t.Errorf("%q does not hide files below %q", pattern, path)
		}
		dir, name := strings.Join(parts[:len(parts)-1], "/"), parts[len(parts)-1]
		if (dir == "" || !list.Has(dir)) && list.HasEntry(dir, name) != got {
			t.Errorf("%q: a walk disagrees about %q", pattern, path)
		}
	})
}
