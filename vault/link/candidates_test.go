package link

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestCandidates(t *testing.T) {
	n := NewNames([]string{"Home.md", "Ideas/Alpha.md", "Projects/Alpha.md", "Projects/Beta.md", "Projects/Home.md", "x/Plum", "x/Plum.md", "y/plum.md", "pic.png"})
	for p, want := range map[string][]string{
		"Beta":              {"Projects/Beta.md"},
		"beta.md":           {"Projects/Beta.md"},
		"Projects/Beta":     {"Projects/Beta.md"},
		"/Projects/Beta.md": {"Projects/Beta.md"},
		"Home":              {"Home.md"},
		"Alpha":             {"Ideas/Alpha.md", "Projects/Alpha.md"},
		"Ideas/Alpha":       {"Ideas/Alpha.md"},
		"eta":               nil,
		"Plum":              {"x/Plum.md"}, // the note takes precedence over the file without an extension
		"Plum.md":           {"x/Plum.md"},
		"PLUM.md":           {"x/Plum.md", "y/plum.md"},
		"plum.md":           {"x/Plum.md", "y/plum.md"}, // a link means the first
		"pic.png":           {"pic.png"},
		"pic":               nil,
		"":                  nil, "/": nil, "Projects/": nil, "../Home": nil, "./Home": nil,
	} {
		if got := n.Candidates(p); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", p, got, want)
		}
	}
}

// TestCandidatesIncludeTarget: the target of a link at the vault's root is one of the candidates, and the only one if
// there is just one.
func TestCandidatesIncludeTarget(t *testing.T) {
	names := rapid.SampledFrom([]string{"a.md", "A.md", "x/a.md", "x/A.md", "y/x/a.md", "b", "x/b", "x/b.md", "b.md"})
	rapid.Check(t, func(t *rapid.T) {
		n := NewNames(rapid.SliceOf(names).Draw(t, "names"))
		p := rapid.SampledFrom([]string{"a", "A", "a.md", "x/a", "X/A", "b", "b.md", "x/b", "c"}).Draw(t, "path")
		found, ok := n.Resolve("", Link{Path: p})
		all := n.Candidates(p)
		if ok != (len(all) > 0) || ok && !slices.Contains(all, found) {
			t.Fatalf("%q means %q (%v), candidates %q", p, found, ok, all)
		}
	})
}

// TestText: the text of a wikilink to a file is its name if that is enough.
func TestText(t *testing.T) {
	n := NewNames([]string{"Home.md", "Ideas/Alpha.md", "Projects/Alpha.md", "Projects/Beta.md", "x/pic.png", "COPYING", "y/Page", "z/Page.md", "é.md"})
	for p, want := range map[string]string{
		"Home.md": "Home", "Ideas/Alpha.md": "Ideas/Alpha", "Projects/Beta.md": "Beta", "x/pic.png": "pic.png", "COPYING": "COPYING",
		"z/Page.md": "Page", "y/Page": "y/Page", "e\u0301.md": "e\u0301.md", "é.md": "é",
	} {
		if got := n.Text(p); got != want {
			t.Errorf("%q: %q, want %q", p, got, want)
		}
	}
}
