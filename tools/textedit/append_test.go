package textedit

import (
	"strings"
	"testing"

	"chatvault/vault/note"

	"pgregory.net/rapid"
)

func TestAppend(t *testing.T) {
	for _, c := range []struct{ name, before, content, heading, want string }{
		{"to nothing", "", "a", "", "a\n"},
		{"a paragraph", "a\n", "b", "", "a\n\nb\n"},
		{"blank lines around it", "a\n", "\n\nb\n\n", "", "a\n\nb\n"},
		{"no final line end", "a", "b\n", "", "a\n\nb"},
		{"blank lines at the end", "a\n\n\n", "b", "", "a\n\nb\n\n\n"},
		{"CRLF", "a\r\n", "b\nc", "", "a\r\n\r\nb\r\nc\r\n"},
		{"an item to a list", "- a\n", "- b", "", "- a\n- b\n"},
		{"an item to an item's lines", "1. a\n   more\n", "2. b", "", "1. a\n   more\n2. b\n"},
		{"an item to a paragraph", "a\n", "- b", "", "a\n\n- b\n"},
		{"a paragraph to a list", "- a\n", "b", "", "- a\n\nb\n"},
		{"a row to a table", "| a |\n| - |\n", "| b |", "", "| a |\n| - |\n| b |\n"},
		{"a quote", "> a\n", "> b", "", "> a\n\n> b\n"},
		{"after front matter", "---\na: 1\n---\n", "b", "", "---\na: 1\n---\nb\n"},
		{"after front matter without an end", "---\na: 1\n---", "b", "", "---\na: 1\n---\nb"},
		{"after a title", "# T\n", "a", "", "# T\n\na\n"},
		{"after a title, as the note does it", "# T\na\n## B\n", "b", "", "# T\na\n## B\nb\n"},
		{"before settings in a comment", "- a\n\n%% kanban:settings\n{}\n%%\n", "- b", "", "- a\n- b\n\n%% kanban:settings\n{}\n%%\n"},

		{"under a heading", "# T\n\n## A\n\na\n\n## B\n\nb\n", "c", "A", "# T\n\n## A\n\na\n\nc\n\n## B\n\nb\n"},
		{"under the last", "# T\n\n## A\n\na\n", "c", "## a", "# T\n\n## A\n\na\n\nc\n"},
		{"a list under a heading", "## A\n- a\n## B\n- b\n", "- c", "A", "## A\n- a\n- c\n## B\n- b\n"},
		{"an empty section", "## A\n\n## B\n\nb\n", "c", "A", "## A\n\nc\n\n## B\n\nb\n"},
		{"an empty section, tight", "## A\n## B\nb\n", "c", "A", "## A\nc\n## B\nb\n"},
		{"before subheadings", "## A\n\na\n\n### S\n\ns\n", "c", "A", "## A\n\na\n\nc\n\n### S\n\ns\n"},
		{"before an underlined heading", "# A\nB\n===\n", "c", "A", "# A\n\nc\n\nB\n===\n"},
		{"in an underlined section", "A\n===\na\n", "c", "A", "A\n===\na\n\nc\n"},
		{"not in code", "# A\n\na\n\n```\n# B\n```\n\n# B\n\nb\n", "c", "B", "# A\n\na\n\n```\n# B\n```\n\n# B\n\nb\n\nc\n"},
		{"one of two", "# M\n\n## T\n\n- a\n\n# D\n\n## T\n\n- b\n", "- c", "M#T", "# M\n\n## T\n\n- a\n- c\n\n# D\n\n## T\n\n- b\n"},
		{"by its level", "# T\n\n## T\n\na\n", "c", "## T", "# T\n\n## T\n\na\n\nc\n"},
		{"CRLF under a heading", "## A\r\n\r\na\r\n\r\n## B\r\n", "c", "A", "## A\r\n\r\na\r\n\r\nc\r\n\r\n## B\r\n"},
		{"a new heading", "# T\n\na\n", "c", "New", "# T\n\na\n\n## New\n\nc\n"},
		{"a new heading among others", "## A\n\na\n\n## B\n\nb\n", "c", "New", "## A\n\na\n\n## B\n\nb\n\n## New\n\nc\n"},
		{"a new heading with its level", "a", "c", "### New", "a\n\n### New\n\nc"},
		{"a new heading, tight", "## A\na\n", "- c", "New", "## A\na\n\n## New\n- c\n"},
		{"a new heading after front matter", "---\na: 1\n---\n", "c", "New", "---\na: 1\n---\n## New\n\nc\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := NewFile([]byte(c.before))
			e, err := Addition{Content: c.content, Heading: c.heading, CreateHeading: true}.WorkOut(f, "a.md")
			if err != nil {
				t.Fatal(err)
			}
			if got := string(f.Content(e.Splices)); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

// TestAppendToWhatIsOpen checks that text added to an unclosed block is reported as part of it and that no heading is
// created there.
func TestAppendToWhatIsOpen(t *testing.T) {
	for _, c := range []struct{ name, before, content, heading, said, refused string }{
		{"code", "# T\n\n```go\nx\n", "b", "", "The block that begins on line 3 is not closed, so what was added is part of it; a line \"```\" would close it.", ""},
		{"code under a heading", "## A\n\n~~~~\nx", "b", "A", "The block that begins on line 3 is not closed, so what was added is part of it; a line \"~~~~\" would close it.", ""},
		{"a comment", "a\n\n%%\nx\n", "b", "", "The block that begins on line 3 is not closed, so what was added is part of it; a line \"%%\" would close it.", ""},
		{"an HTML comment", "<!-- x\n", "b", "", "The block that begins on line 1 is not closed, so what was added is part of it; a line \"-->\" would close it.", ""},
		{"math", "$$\nx\n", "b", "", "The block that begins on line 1 is not closed, so what was added is part of it; a line \"$$\" would close it.", ""},
		{"HTML", "<pre>\nx\n", "b", "", "The block that begins on line 1 is not closed, so what was added is part of it; a line \"</pre>\" would close it.", ""},
		{"a new heading", "a\n```\nx\n", "b", "New", "", "\"a.md\" ends in a block that is not closed (it begins on line 2), so a heading there would not count. Close it with edit_file first: a line \"```\" where it should end."},
		{"a new heading in HTML", "<pre>\nx\n", "b", "New", "", "\"a.md\" ends in a block that is not closed (it begins on line 1), so a heading there would not count. Close it with edit_file first: a line \"</pre>\" where it should end."},
		{"a comment that begins in an item", "- a\n- %%\n  x\n", "b", "", "The block that begins on line 2 is not closed, so what was added is part of it; a line \"%%\" would close it.", ""},
		{"what closes it", "```\nx\n", "y\n```", "", "", ""},
		{"closed", "```\nx\n```\n", "b", "", "", ""},
		{"closed at the very end", "%%\nx\n%%", "b", "", "", ""},
		{"in a list item, which ends", "- a\n  ```\n  x\n", "b", "", "", ""},
		{"in a quote, which ends", "> ```\n> x\n", "b", "", "", ""},
		{"before the section", "## A\n\na\n\n## B\n\n```\nx\n", "b", "A", "", ""},
		{"nothing", "a\n", "b", "", "", ""},
		{"an open comment of old, closed since", "<!-- a -->\nx\n", "b", "", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := NewFile([]byte(c.before))
			e, err := Addition{Content: c.content, Heading: c.heading, CreateHeading: true}.WorkOut(f, "a.md")
			if c.refused != "" {
				if err == nil || err.Error() != c.refused {
					t.Fatalf("error %v\nwant  %s", err, c.refused)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			_, said, _ := strings.Cut(e.Summary, "\"a.md\".")
			if said = strings.TrimSpace(said); said != c.said {
				t.Errorf("said %s\nwant %s", said, c.said)
			}
		})
	}
}

// TestAppendKeepsTheRest checks for any note that the old lines stay in order and the content has its own lines.
func TestAppendKeepsTheRest(t *testing.T) {
	lines := rapid.SliceOf(rapid.SampledFrom([]string{
		"# A", "## B", "## B", "text", "- item", "  more", "| row |", "> quote", "", "", "```", "===", "---", "%%", "a: b", "\tcode",
	}))
	rapid.Check(t, func(t *rapid.T) {
		before := strings.Join(lines.Draw(t, "lines"), "\n")
		if rapid.Bool().Draw(t, "ends") {
			before += "\n"
		}
		if rapid.Bool().Draw(t, "crlf") {
			before = strings.ReplaceAll(before, "\n", "\r\n")
		}
		if rapid.Bool().Draw(t, "bom") {
			before = byteOrderMark + before
		}
		a := Addition{
			Content: rapid.SampledFrom([]string{"NEW", "- NEW", "| NEW |", "# NEW", "NEW\n\nNEW"}).Draw(t, "content"),
			Heading: rapid.SampledFrom([]string{"", "A", "B", "# A", "A#B", "Z"}).Draw(t, "heading"), CreateHeading: rapid.Bool().Draw(t, "create"),
		}
		f := NewFile([]byte(before))
		e, err := a.WorkOut(f, "a.md")
		if err != nil {
			if strings.HasSuffix(err.Error(), ".") && len(err.Error()) < 1000 {
				return
			}
			t.Fatal(err)
		}
		after := string(f.Content(e.Splices))
		s := e.Splices[0]
		if len(e.Splices) != 1 || s.Start != s.End {
			t.Fatalf("%q: %+v is no insertion", before, e.Splices)
		}
		at := len(f.bom) + f.bodyOffset(s.Start)
		if !strings.HasPrefix(after, before[:at]) || !strings.HasSuffix(after, before[at:]) {
			t.Fatalf("%q became %q", before, after)
		}
		body := strings.TrimPrefix(before, byteOrderMark)
		if body != "" && strings.HasSuffix(body, "\n") != strings.HasSuffix(after, "\n") {
			t.Fatalf("%q became %q: the end changed", before, after)
		}
		if crlf := strings.Contains(before, "\r\n"); crlf && strings.Count(after, "\n") != strings.Count(after, "\r\n") {
			t.Fatalf("%q became %q: mixed line ends", before, after)
		}
		if !strings.Contains(toLineFeeds(after), a.Content) {
			t.Fatalf("%q became %q: the content is not there", before, after)
		}
		for i, line := range strings.Split(toLineFeeds(strings.TrimPrefix(after, byteOrderMark)), "\n") {
			if strings.Contains(line, "NEW") && line != "NEW" && line != "- NEW" && line != "| NEW |" && line != "# NEW" {
				t.Fatalf("%q became %q: line %d", before, after, i+1)
			}
		}
	})
}

// TestMergedProperties tables the front matter of a note with which another one is merged.
func TestMergedProperties(t *testing.T) {
	for _, c := range []struct{ name, from, into, want string }{
		{"new, kept and a list", "a: 1\nb: 2\nl: [x, y]\ntitle: From\n", "b: 3\nl: [y]\n", "b: 3\nl: [y, x]\na: 1\n"},
		{"one tag and a list", "tags: [work]\naliases: [G]\n", "tags: a\naliases: X\n", "tags:\n  - a\n  - work\naliases:\n  - X\n  - G\n"},
		{"a list and a text of tags", "tags: \"a, #A\"\n", "tags: [a]\n", "tags: [a]\n"},
		{"a list and one tag", "Tags: work A\n", "tags: [a]\n", "tags: [a, work]\n"},
		{"the same tag", "tags: [a]\n", "tags: a\n", "tags: a\n"},
		{"no value", "tags: [a]\ns: x\n", "tags:\ns:\n", "tags:\n  - a\ns: x\n"},
		{"nested elements", "p:\n  - n: a\n  - n: b\n", "p:\n  - n: a\n", "The front matter cannot be joined: nested properties cannot be written as a property."},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, _, _, err := MoveSection([]byte("---\n"+c.from+"---\nmoved\n"), "a.md", "", []byte("---\n"+c.into+"---\nb\n"), "b.md", note.InFront)
			got := strings.TrimSuffix(strings.TrimPrefix(string(s.Host), "---\n"), "---\nb\n")
			if err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("%q", got)
			}
		})
	}
}
