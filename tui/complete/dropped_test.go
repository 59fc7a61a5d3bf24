package complete

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestDropped(t *testing.T) {
	path := func(paths ...string) []DroppedFile {
		var out []DroppedFile
		for _, p := range paths {
			out = append(out, DroppedFile{Text: p})
		}
		return out
	}
	obsidian := func(u string) []DroppedFile { return []DroppedFile{{Text: u, URL: true}} }
	for text, want := range map[string][]DroppedFile{
		"":                                       nil,
		"hello":                                  nil,
		"/notes/a.md":                            path("/notes/a.md"),
		"'/notes/A note.md' ":                    path("/notes/A note.md"),
		`/notes/A\ note.md`:                      path("/notes/A note.md"),
		"/notes/A note.md":                       path("/notes/A note.md"),
		`"/notes/A note.md"`:                     path("/notes/A note.md"),
		`'/a/it'\''s.md'`:                        path("/a/it's.md"),
		"/a/b.md /a/c.md":                        path("/a/b.md", "/a/c.md"),
		"'/a/b c.md' /a/d.md\r":                  path("/a/b c.md", "/a/d.md"),
		"/a/b.md\n/a/c d.md\n":                   path("/a/b.md", "/a/c d.md"),
		"file:///a/A%20b.md":                     path("/a/A b.md"),
		"file://localhost/a/b.md":                path("/a/b.md"),
		"file://elsewhere/a/b.md":                nil,
		"see /a/b.md":                            nil,
		"/a/b.md is it":                          path("/a/b.md is it"), // parsed as a name, although it does not exist
		"'/a/b":                                  nil,
		"https://example.org/a":                  nil,
		"obsidian://open?vault=Notes&file=A%20b": obsidian("obsidian://open?vault=Notes&file=A%20b"),
		strings.Repeat("/a", maxDropped):         nil,
	} {
		if got := Dropped(text); !slices.Equal(got, want) {
			t.Errorf("%.60q: %+v, want %+v", text, got, want)
		}
	}
}

// A path survives any quoting that a shell accepts.
func TestDroppedPathsSurviveQuoting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		path := "/" + rapid.StringMatching(`[a-zé '"\\()&-]{1,12}[a-z]`).Draw(t, "path")
		quoted := "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
		var escaped strings.Builder
		for _, r := range path {
			if strings.ContainsRune(` '"\()&`, r) {
				escaped.WriteByte('\\')
			}
			escaped.WriteRune(r)
		}
		for _, text := range []string{quoted, escaped.String(), quoted + " " + escaped.String()} {
			for _, d := range Dropped(text) {
				if d.Text != path {
					t.Fatalf("%q: %q, want %q", text, d.Text, path)
				}
			}
			if len(Dropped(text)) == 0 {
				t.Fatalf("%q is none", text)
			}
		}
	})
}
