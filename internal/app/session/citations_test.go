package session

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chatvault/internal/app/session/cite"
	"chatvault/vault"
)

// cited returns the Citations of a vault with these notes.
func cited(t *testing.T, notes map[string]string) (*Citations, string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range notes {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	v, err := vault.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = v.Close() })
	return &Citations{vault: v}, dir
}

func TestResolveReferences(t *testing.T) {
	c, _ := cited(t, map[string]string{
		"Recipes/Nectarine tart.md": "x", "Recipes/Plum jam.md": "x", "A/Note.md": "x", "Note.md": "x", "pic.png": "x",
		".obsidian/Hidden.md": "x", "C# (old)/100% é.md": "x", "Secret/Diary.md": "x",
	})
	if err := c.vault.SetPrivate([]string{"Secret/**"}); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		ref  cite.Reference
		want string
		at   int
	}{
		{cite.Reference{Form: cite.Wiki, Target: "Nectarine tart"}, "Recipes/Nectarine tart.md", 0},
		{cite.Reference{Form: cite.Wiki, Target: "nectarine TART.md"}, "Recipes/Nectarine tart.md", 0},
		{cite.Reference{Form: cite.Wiki, Target: "Note"}, "Note.md", 0},
		{cite.Reference{Form: cite.Wiki, Target: "A/Note"}, "A/Note.md", 0},
		{cite.Reference{Form: cite.Wiki, Target: "pic.png"}, "pic.png", 0},
		{cite.Reference{Form: cite.Wiki, Target: "pic"}, "", 0},
		{cite.Reference{Form: cite.Wiki, Target: ""}, "", 0},
		{cite.Reference{Form: cite.Wiki, Target: "Hidden"}, "", 0},
		{cite.Reference{Form: cite.Wiki, Target: ".obsidian/Hidden.md"}, "", 0},
		{cite.Reference{Form: cite.Wiki, Target: "Diary"}, "", 0},
		{cite.Reference{Form: cite.Wiki, Target: "../../etc/passwd"}, "", 0},
		{cite.Reference{Form: cite.Inline, Target: "Recipes/Plum jam.md"}, "Recipes/Plum jam.md", 0},
		{cite.Reference{Form: cite.Place, Target: "as it says in Recipes/Plum jam.md"}, "Recipes/Plum jam.md", 14},
		{cite.Reference{Form: cite.Place, Target: "(C# (old)/100% é.md"}, "C# (old)/100% é.md", 1},
		{cite.Reference{Form: cite.Place, Target: "in Plum jam.md"}, "Recipes/Plum jam.md", 3},
		{cite.Reference{Form: cite.Place, Target: "in Pear jam.md"}, "", 0},
	} {
		got, err := c.Resolve(context.Background(), []cite.Reference{tt.ref})
		if err != nil {
			t.Fatal(err)
		}
		if (got[0].State == cite.Found) != (tt.want != "") || got[0].Path != tt.want || got[0].Start != tt.at {
			t.Errorf("%+v leads to %+v, want %q", tt.ref, got[0], tt.want)
		}
	}
}

// Notes created or deleted since the names were gathered are resolved correctly.
func TestResolveSeesChanges(t *testing.T) {
	c, dir := cited(t, map[string]string{"Old.md": "x"})
	ask := func(name string) string {
		t.Helper()
		got, err := c.Resolve(context.Background(), []cite.Reference{{Form: cite.Wiki, Target: name}})
		if err != nil {
			t.Fatal(err)
		}
		return got[0].Path
	}
	if ask("Old") != "Old.md" {
		t.Fatal("it is not found")
	}
	if err := os.Rename(filepath.Join(dir, "Old.md"), filepath.Join(dir, "New.md")); err != nil {
		t.Fatal(err)
	}
	if got := ask("Old"); got != "" {
		t.Errorf("a note that is gone: %s", got)
	}
	if got := ask("New"); got != "New.md" {
		t.Errorf("a note that is new: %q", got)
	}
}

func TestPreviewOfANote(t *testing.T) {
	long := strings.Repeat("a line of the note\n", 30_000)
	c, _ := cited(t, map[string]string{
		"Tart.md": "---\na: b\n---\n# Tart\n\n## Sugar & *spice*\n\ntext ^block-1\n\n## Baking\n\n### Time\n\n# Other\n\n### Time\nlast",
		"Long.md": long, "pic.png": "\x89PNG\x00\x01", "empty.md": "", "latin.md": "caf\xe9",
	})
	for _, tt := range []struct {
		path, anchor string
		line         int
		want         int
		about        string
	}{
		{"Tart.md", "", 0, 0, ""},
		{"Tart.md", "", 5, 5, ""},
		{"Tart.md", "", 17, 17, ""},
		{"Tart.md", "", 18, 17, "It has no line 18"},
		{"Tart.md", "#sugar & spice", 0, 6, ""},
		{"Tart.md", "#Baking#Time", 0, 12, ""},
		{"Tart.md", "#Other#Time", 0, 16, ""},
		{"Tart.md", "#Time", 0, 12, ""},
		{"Tart.md", "#Sugar & spice#Time", 0, 0, "There is no heading “Sugar & spice › Time” in it"},
		{"Tart.md", "#^block-1", 0, 8, ""},
		{"Tart.md", "#^lock-1", 0, 0, "There is no block ^lock-1 in it"},
		{"empty.md", "", 3, 0, "It has no line 3"},
		{"Long.md", "", 25_000, 25_000, "Part of a long note"},
	} {
		p, err := c.Preview(context.Background(), cite.Citation{Reference: cite.Reference{Anchor: tt.anchor, Line: tt.line}, Path: tt.path})
		if err != nil {
			t.Fatal(err)
		}
		if p.Line != tt.want || !strings.HasPrefix(p.Note, tt.about) || (p.Note == "") != (tt.about == "") {
			t.Errorf("%s%s:%d: line %d, %q; want %d, %q", tt.path, tt.anchor, tt.line, p.Line, p.Note, tt.want, tt.about)
		}
		if len(p.Text) > maxPreview {
			t.Errorf("%d bytes", len(p.Text))
		}
		if lines := strings.Count(p.Text, "\n"); p.First > p.Line && p.Line > 0 || p.Line >= p.First+lines+1 {
			t.Errorf("%s: line %d is not among %d lines from %d", tt.path, p.Line, lines, p.First)
		}
	}
	for _, path := range []string{"pic.png", "gone.md", "latin.md", ".obsidian/app.json"} {
		if p, err := c.Preview(context.Background(), cite.Citation{Path: path}); err == nil {
			t.Errorf("%s: %+v", path, p)
		}
	}
}

func TestAround(t *testing.T) {
	data := []byte(strings.Repeat("0123456789\n", 60_000))
	for _, line := range []int{0, 1, 2, 100, 30_000, 59_999, 60_000} {
		text, first := around(data, line)
		if len(text) > maxPreview || len(text) < maxPreview/2-20 {
			t.Errorf("line %d: %d bytes, %q…%q", line, len(text), text[:12], text[len(text)-12:])
		}
		if n := strings.Count(text, "\n"); line > 0 && (line < first || line >= first+n) {
			t.Errorf("line %d is not among %d from %d", line, n, first)
		}
	}
	one := []byte(strings.Repeat("x", 3*maxPreview)) // one endless line
	if text, first := around(one, 1); first != 1 || len(text) != maxPreview {
		t.Errorf("%d bytes from line %d", len(text), first)
	}
}

func TestObsidianURL(t *testing.T) {
	for _, tt := range []struct{ path, anchor, want string }{
		{"Recipes/Plum jam.md", "", "obsidian://open?vault=My%20notes&file=Recipes%2FPlum%20jam"},
		{"C++ & 100%.md", "#A b", "obsidian://open?vault=My%20notes&file=C%2B%2B%20%26%20100%25%23A%20b"},
		{"é.canvas", "", "obsidian://open?vault=My%20notes&file=%C3%A9.canvas"},
	} {
		if got := ObsidianURL("My notes", cite.Citation{Path: tt.path, Reference: cite.Reference{Anchor: tt.anchor}}); got != tt.want {
			t.Errorf("%s%s: %s, want %s", tt.path, tt.anchor, got, tt.want)
		}
	}
}
