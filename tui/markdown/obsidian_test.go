package markdown

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/app/session/cite"
)

// Obsidian's extensions are drawn.
func TestObsidianSyntax(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, in, want string }{
		{"a picture with a name", "![[image.png|the tree]]", "▣ the tree (image.png)"},
		{"an embedded note", "![[Home|home]]", "▣ home"},
		{"a link that is called by a number", "[[Year|2026]]", "2026 (Year)"},
		{"a bar in a picture's name", "![a|b](tree.png)", "▣ a|b (tree.png)"},
		{"a missing note", "see [[Tree]]", "see Tree?"},
		{"a comment", "seen %% ask Anna %% by", "seen %% ask Anna %% by"},
	} {
		s := NewStream(NewRenderer(dark(), 60))
		s.Cite(func(ref cite.Reference) cite.Finding {
			if ref.Target == "Tree" {
				return cite.Finding{State: cite.Missing}
			}
			return cite.Finding{State: cite.Found}
		})
		s.Append(tt.in)
		s.Finish()
		if got := strings.TrimRight(ansi.Strip(strings.Join(s.Lines(), "\n")), " \n"); got != tt.want {
			t.Errorf("%s: %q is drawn as %q, want %q", tt.name, tt.in, got, tt.want)
		}
	}
}

// Wrapped code keeps the indentation of its line and adds no empty lines.
func TestBrokenCodeKeepsItsIndent(t *testing.T) {
	t.Parallel()
	in := "```\nif x {\n    call(one, two, three, four)\n}\n" + strings.Repeat(" ", 30) + "far away from it\n```\n"
	want := "  if x {\n      call(one, two,\n      three, four)\n  }\n"
	var lines []string
	for _, l := range NewRenderer(dark(), 22).Render(in) {
		lines = append(lines, strings.TrimRight(ansi.Strip(l), " ")) // code is filled to the width
	}
	got := strings.Join(lines, "\n")
	if !strings.HasPrefix(got, want) || !strings.Contains(strings.Join(strings.Fields(got), " "), "far away from it") {
		t.Errorf("%s", got)
	}
}

// A lazy continuation of a list item is not a paragraph of the rule below it, streamed or not.
func TestQuotedFrontMatterBelowAList(t *testing.T) {
	const text = "- item\nplain text\n---\ntags: [a]\nSetext\n---\n"
	r := NewRenderer(dark(), 40)
	s := NewStream(r)
	for _, piece := range strings.SplitAfter(text, "---\n") {
		s.Append(piece)
		s.drawnAt = time.Time{}
		s.Lines()
	}
	s.Finish()
	if got, want := strings.Join(s.Lines(), "\n"), strings.Join(r.Render(text), "\n"); got != want {
		t.Errorf("in pieces:\n%s\nat once:\n%s", got, want)
	}
}
