package link

import "testing"

// TestRenamedHeadings tables what a link to a heading becomes when the note's text changes. "" means that it stays.
func TestRenamedHeadings(t *testing.T) {
	for _, c := range []struct{ name, before, after, link, want string }{
		{"renamed", "# T\n\n## Old\n\nx\n", "# T\n\n## New\n\nx\n", "[[A#Old]]", "[[A#New]]"},
		{"case and punctuation of the link", "## Old: one\n", "## New\n", "[[A#old one|x]]", "[[A#New|x]]"},
		{"only the case of the heading", "## Old\n", "## OLD\n", "[[A#Old]]", ""},
		{"a name with markup", "## Old\n", "## [[B|b]]: #1\n", "[[A#Old]]", "[[A#B b 1]]"},
		{"underlined", "Old\n===\n\nx\n", "New\n===\n\nx\n", "[[A#Old]]", "[[A#New]]"},
		{"with its text", "## Old\n\nx\n", "## New\n\ny\n", "[[A#Old]]", "[[A#New]]"},
		{"with its level", "# T\n\n## Old\n\nx\n", "# T\n\n### New\n\nx\n", "[[A#Old]]", "[[A#New]]"},
		{"deleted", "## Old\n\nx\n\n## B\n", "## B\n", "[[A#Old]]", ""},
		{"deleted, another elsewhere", "## Old\n\nx\n\n## B\n\nb\n", "## B\n\nb\n\n## New\n\ny\n", "[[A#Old]]", ""},
		{"deleted, its text joined", "## A\n\n## Old\n\nx\n", "## A\n\nx\n", "[[A#Old]]", ""},
		{"split in two", "## Old\n\nx\ny\n", "## One\n\nx\n\n## Two\n\ny\n", "[[A#Old]]", ""},
		{"one of two deleted, the other renamed", "## A\n\na\n\n## Old\n\nx\n", "## New\n\nx\n", "[[A#Old]]", "[[A#New]]"},
		{"and the deleted one", "## A\n\na\n\n## Old\n\nx\n", "## New\n\nx\n", "[[A#A]]", ""},
		{"two at once", "## A\n\n## B\n", "## C\n\n## D\n", "[[A#B]]", "[[A#D]]"},
		{"swapped", "## A\n\na\n\n## B\n\nb\n", "## B\n\nb\n\n## A\n\na\n", "[[A#A]]", ""},
		{"in code", "```\n# Old\n```\n", "```\n# New\n```\n", "[[A#Old]]", ""},
		{"the first of two", "## Old\n\nx\n\n## Old\n\ny\n", "## New\n\nx\n\n## Old\n\ny\n", "[[A#Old]]", "[[A#New]]"},
		{"the second of two", "## Old\n\nx\n\n## Old\n\ny\n", "## Old\n\nx\n\n## New\n\ny\n", "[[A#Old]]", ""},
		{"the second, by its parent", "# P\n\n## Old\n\n# Q\n\n## Old\n", "# P\n\n## Old\n\n# Q\n\n## New\n", "[[A#Q#Old]]", "[[A#Q#New]]"},
		{"its parent", "# P\n\n## S\n", "# Q\n\n## S\n", "[[A#P#S]]", "[[A#Q#S]]"},
		{"to a name that comes earlier", "# P\n\n## S\n\n# Q\n\n## Old\n", "# P\n\n## S\n\n# Q\n\n## S\n", "[[A#Old]]", "[[A#Q#S]]"},
		{"another of a name that comes earlier now", "# P\n\n## Old\n\n# Q\n\n## S\n", "# P\n\n## S\n\n# Q\n\n## S\n", "[[A#S]]", "[[A#Q#S]]"},
		{"a URL", "## Old one\n", "## New (two)\n", "[m](A.md#Old%20one)", "[m](A.md#New%20(two))"},
		{"a URL in brackets", "## Old one\n", "## New two\n", "[m](<A.md#Old one>)", "[m](<A.md#New two>)"},
		{"a URL with hyphens", "## Old one\n", "## New: Two\n", "[m](A.md#old-one)", "[m](A.md#new-two)"},
		{"HTML", "## Old\n", "## New one\n", `<a href="A.md#Old">x</a>`, `<a href="A.md#New%20one">x</a>`},
		{"a block", "## Old\n\nx ^b\n", "## New\n\nx ^b\n", "[[A#^b]]", ""},
		{"none", "## Old\n", "## New\n", "[[A#Other]] [[A]] [[B#Old]]", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := c.want
			if want == "" {
				want = c.link
			}
			got := c.link
			if s := Renamed("A.md", []byte(c.before), []byte(c.after)); s != nil {
				r := NewShifting(NewNames([]string{"A.md", "B.md", "n.md"}), Shortest, s)
				out := r.Rewrite("n.md", []byte(c.link))
				if got = string(out.Text); len(out.Lost) > 0 || (out.Links > 0) != (c.want != "") {
					t.Errorf("%+v", out)
				}
			}
			if got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

// TestSectionsHas tables the anchors that lead somewhere.
func TestSectionsHas(t *testing.T) {
	s := NewSections([]byte("---\nk: a ^front\n---\n# One\n\n## Two *it*\n\np ^p-1\n\n- item ^Item\n\n> q\n\n^quote\n\n```\n# Code\nx ^code\n```\n\n# Three\n\n## Four\n\n<a id=\"here\"></a>\n"))
	for anchor, want := range map[string]bool{
		"#One": true, "#one#two it": true, "#Two *it*": true, "#One#Four": false, "#Three#Four": true, "#Five": false, "#Code": false,
		"#^p-1": true, "#^P-1": true, "#^item": true, "#^quote": true, "#^code": false, "#^front": false, "#^no": false, "": true, "#": true, "#[^1]": true,
	} {
		if got := s.Has(Link{Anchor: anchor}); got != want {
			t.Errorf("%q: %v", anchor, got)
		}
	}
	for anchor, want := range map[string]bool{"#two-it": true, "#Two%20it": true, "#here": true, "#top": true, "?raw=1#one": true, "#her": false} {
		if got := s.Has(Link{Kind: Markdown, Anchor: anchor}); got != want {
			t.Errorf("URL %q: %v", anchor, got)
		}
	}
}
