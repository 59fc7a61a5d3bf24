package link

import "testing"

func TestResolve(t *testing.T) {
	names := NewNames([]string{
		"Root.md", "Note.md", "a/Note.md", "a/b/Note.md", "a/Own.md", "zz/Own.md", "longer/x/Own.md", "long/Deep.md", "z/y/Deep.md",
		"pic.png", "a/pic.png", "pic.png.md", "v1.2.md", "UPPER.MD", "caf\u00e9.md", "twin.md", "TWIN.md", "plain", "plain.md", "x y/z w.md", "board.canvas", "C#/in.md",
		"two/Same.md", "one/Same.md", "nb\u00a0sp.md",
		"alone", "zz/sub/alone.png", "x.tar", "x.tar.md", "far/off/deep/Near.md", "Near2/Near.md", "B/Letters.md", "a/Letters.md",
	})
	for _, c := range []struct{ from, path, want string }{
		{"a/n.md", "", "a/n.md"},
		{"n.md", "Root", "Root.md"},
		{"a/b/n.md", "Root", "Root.md"},
		{"a/n.md", "Note", "Note.md"}, // the exact path takes precedence over the link's own folder
		{"a/n.md", "a/Note", "a/Note.md"},
		{"a/n.md", "b/Note", "a/b/Note.md"},
		{"zz/n.md", "Own", "zz/Own.md"}, // the own folder takes precedence over the shortest path
		{"n.md", "Own", "a/Own.md"},
		{"n.md", "x/Own", "longer/x/Own.md"},
		{"n.md", "Deep", "z/y/Deep.md"}, // shortest by characters, not by folders
		{"n.md", "Same", "one/Same.md"},
		{"n.md", "note", "Note.md"},
		{"n.md", "NOTE.MD", "Note.md"},
		{"n.md", "Note.md", "Note.md"},
		{"n.md", "upper", "UPPER.MD"},
		{"n.md", "cafe\u0301", "caf\u00e9.md"},
		{"n.md", "CAF\u00c9", "caf\u00e9.md"},
		{"n.md", "twin", "twin.md"},
		{"n.md", "TWIN", "TWIN.md"},
		{"n.md", "Twin", "TWIN.md"},
		{"n.md", "pic", ""},
		{"n.md", "pic.png", "pic.png"},
		{"n.md", "pic.png.md", "pic.png.md"},
		{"a/n.md", "./pic.png", "a/pic.png"},
		{"n.md", "v1.2", "v1.2.md"},
		{"n.md", "plain", "plain.md"}, // the note takes precedence over the file without an extension
		{"n.md", "alone", "alone"},
		{"zz/n.md", "alone", "alone"},
		{"n.md", "x.tar", "x.tar"},                   // an existing extension takes precedence over an omitted one
		{"far/n.md", "Near", "far/off/deep/Near.md"}, // below the own folder takes precedence over the shortest path
		{"far/off/n.md", "near", "far/off/deep/Near.md"},
		{"n.md", "Near", "Near2/Near.md"},
		{"fa/n.md", "Near", "Near2/Near.md"}, // "far" is not below "fa"
		{"n.md", "Letters", "a/Letters.md"},
		{"n.md", "letters", "a/Letters.md"}, // alphabetically, ignoring case
		{"n.md", "board", ""},
		{"n.md", "board.canvas", "board.canvas"},
		{"n.md", "x y/z w", "x y/z w.md"},
		{"n.md", "z w", "x y/z w.md"},
		{"n.md", "y/z w", ""}, // part of a folder's name does not match
		{"n.md", "ote", ""},
		{"n.md", "/a/Note", "a/Note.md"},
		{"n.md", "/b/Note", ""},
		{"a/n.md", "/Own", ""},
		{"a/n.md", "./Own", "a/Own.md"},
		{"a/n.md", "./Root", ""}, // no fallback
		{"a/n.md", "../Root", "Root.md"},
		{"a/b/n.md", "../Own.md", "a/Own.md"},
		{"a/n.md", "../../Root", ""},
		{"n.md", "../Root", ""},
		{"n.md", "..", ""},
		{"n.md", "./", ""},
		{"n.md", "a/", ""},
		{"n.md", "wrong/Root", ""},
		{"n.md", "C#/in", "C#/in.md"},
		{"n.md", "nb sp", "nb\u00a0sp.md"},
		{"n.md", "An alias", ""},
	} {
		got, ok := names.Resolve(c.from, Link{Path: c.path})
		if got != c.want || ok != (c.want != "") {
			t.Errorf("%q in %s resolves to %q, want %q", c.path, c.from, got, c.want)
		}
	}
	for path, want := range map[string]string{"Note.md": "Note.md", "note.MD": "Note.md", "Own.md": "", "./Note.md": "", "Note": "", "": ""} {
		if got, _ := names.Resolve("a/x.canvas", Link{Kind: Canvas, Path: path}); got != want {
			t.Errorf("a canvas's %q is %q, want %q", path, got, want)
		}
	}
}

// TestResolvePlain resolves Markdown links in a folder without Obsidian: relative ones take precedence.
func TestResolvePlain(t *testing.T) {
	names := NewNames([]string{"README.md", "LICENSE", "LICENSE.md", "docs/README.md", "docs/a b.md", "docs/only.md", "docs/img/x.png", "what?.md"}, "secret/s.md")
	for _, c := range []struct {
		kind             Kind
		from, path, want string
		plain            string // the target in a folder of plain Markdown
	}{
		{Markdown, "docs/n.md", "README.md", "README.md", "docs/README.md"},
		{Wiki, "docs/n.md", "README", "README.md", "README.md"},
		{Markdown, "docs/n.md", "../README.md", "README.md", "README.md"},
		{HTML, "docs/n.md", "README.md", "docs/README.md", "docs/README.md"},
		{Image, "docs/n.md", "img/x.png", "docs/img/x.png", "docs/img/x.png"},
		{Image, "n.md", "x.png", "docs/img/x.png", "docs/img/x.png"}, // by its name
		{HTML, "n.md", "x.png", "", ""},
		{HTML, "n.md", "docs/img/x.png", "docs/img/x.png", "docs/img/x.png"},
		{HTML, "docs/n.md", "/README.md", "README.md", "README.md"},
		{Definition, "docs/img/n.md", "../only", "docs/only.md", "docs/only.md"},
		{Markdown, "n.md", "LICENSE", "LICENSE", "LICENSE"},
		{Embed, "n.md", "./LICENSE", "LICENSE.md", "LICENSE.md"},
		{Markdown, "n.md", "docs", "docs/", "docs/"},
		{Markdown, "n.md", "docs/", "docs/", "docs/"},
		{Markdown, "docs/img/n.md", "..", "docs/", "docs/"},
		{Markdown, "docs/n.md", "../", "./", "./"},
		{Markdown, "docs/n.md", ".", "docs/", "docs/"},
		{Markdown, "docs/n.md", "../..", "", ""},
		{Markdown, "docs/n.md", "/docs/img", "docs/img/", "docs/img/"},
		{Wiki, "n.md", "docs", "", ""},
		{Wiki, "n.md", "docs/", "", ""},
		{Markdown, "n.md", "secret/", "", ""},
		{Markdown, "n.md", "img", "", ""}, // a folder is not found by its name
	} {
		for plain, want := range map[bool]string{false: c.want, true: c.plain} {
			names.Plain = plain
			if got, ok := names.Resolve(c.from, Link{Kind: c.kind, Path: c.path}); got != want || ok != (want != "") {
				t.Errorf("%d %q in %s resolves to %q, want %q (plain: %v)", c.kind, c.path, c.from, got, want, plain)
			}
		}
	}
}
