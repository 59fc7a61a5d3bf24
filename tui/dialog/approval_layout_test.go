package dialog

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"chatvault/internal/base/cells"
)

const standingDiff = `--- a/Home.md
+++ b/Home.md
@@ -4,7 +4,7 @@
 one
 two
 three
-## Standing
+## Standing things
 four
 five
 six
`

// On a small screen the change, its path and the choices are visible at once.
func TestApprovalBeginsAtTheChange(t *testing.T) {
	for _, size := range [][2]int{{76, 18}, {76, 14}, {38, 12}, {38, 10}, {112, 34}} {
		what := sample{Title: "Change this note?", Tool: "edit_file", Path: "Home.md", Diff: standingDiff, Why: "Every change waits (approval = writes)."}
		a := approval(what, false)
		text := strings.Join(a.Lines(size[0], size[1]), "\n")
		for _, want := range []string{"Change this note?", "Home.md", "- ## Standing", "› Allow once", "(r)"} {
			if !strings.Contains(text, want) {
				t.Errorf("%q is out of sight at %v:\n%s", want, size, text)
			}
		}
		for range 9 {
			a.Key(press("pgup"))
		}
		if text := strings.Join(a.Lines(size[0], size[1]), "\n"); !strings.Contains(text, "   two ") {
			t.Errorf("what is above cannot be scrolled to at %v:\n%s", size, text)
		}
	}
}

// A path too long for the heading scrolls with the change, in a frame.
func TestALongPathScrolls(t *testing.T) {
	a := approval(sample{Title: "Change this note?", Path: strings.Repeat("a long folder/", 12) + "end.md", Diff: standingDiff}, false)
	lines := a.Lines(38, 12)
	text := strings.Join(lines, "\n")
	if !strings.HasPrefix(lines[0], "╭") || len(lines) > 12 || !strings.Contains(text, "- ## Standing") || !strings.Contains(text, "› Deny") {
		t.Errorf("at first:\n%s", text)
	}
	for range 20 {
		a.Key(press("pgup"))
		a.Lines(38, 12)
	}
	if text := strings.Join(a.Lines(38, 12), "\n"); !strings.Contains(text, "a long folder/a long folder/") {
		t.Errorf("scrolled back:\n%s", text)
	}
}

// At any size, until the user moves, a choice that allows the change is marked only if the whole path and a changed
// line are visible.
func TestUnseenChangeMarksTheSafeChoice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		diff := "@@ -1,40 +1,43 @@\n" + strings.Repeat(" around\n", rapid.IntRange(0, 20).Draw(t, "before")) + "+gained\n" +
			strings.Repeat(" around\n", rapid.IntRange(0, 20).Draw(t, "after"))
		if rapid.Bool().Draw(t, "apart") { // separate from the paragraph around it
			diff = strings.Replace(diff, "+gained\n", " \n+gained\n+\n", 1)
		}
		what := sample{Title: "Change this note?", Tool: "edit_file", Path: strings.Repeat("folder/", rapid.IntRange(0, 30).Draw(t, "deep")) + "end.md", Diff: diff}
		if rapid.Bool().Draw(t, "warned") {
			what.Warning = "Removes more than half of it."
		}
		a := approval(what, false)
		width, height := rapid.IntRange(12, 130).Draw(t, "width"), rapid.IntRange(0, 40).Draw(t, "height")
		text := strings.Join(a.Lines(width, height), "\n")
		seen := (strings.Contains(text, "+ gained") || strings.Contains(text, "{+gained+}")) && strings.Contains(text, "end.md") && strings.Count(text, "folder/") == strings.Count(what.Path, "folder/")
		if a.at == 0 && !seen {
			t.Fatalf("marked unseen at %dx%d:\n%s", width, height, text)
		}
		if a.at != 0 && (a.choices[a.at].Result != "deny" || width >= 40 && height >= 10 && len(what.Path) < 30) {
			t.Fatalf("%v is marked at %dx%d:\n%s", a.choices[a.at], width, height, text)
		}
	})
}

func TestChoicesStandSideBySide(t *testing.T) {
	a := approval(tart(), false)
	for _, tt := range []struct {
		width int
		want  []string
	}{
		{78, []string{"› Allow once (y)    Allow edits in this chat (a)    Deny (n)    Deny, why… (r)"}},
		{60, []string{"› Allow once (y)    Allow edits in this chat (a)    Deny (n)", "  Deny, why… (r)"}},
		{32, []string{"› Allow once (y)", "  Allow edits in this chat (a)", "  Deny (n)    Deny, why… (r)"}},
		{100, []string{"› Allow once (y)    Allow edits in this chat (a)    Deny (n)    Deny, why… (r)"}},
		{10, []string{"› All… (y)", "  All… (a)", "  Deny (n)", "  Den… (r)"}},
	} {
		a.at = 0
		rows, focus := a.rows(a.styles, tt.width, true)
		if !slices.Equal(rows, tt.want) || focus != 0 {
			t.Errorf("%d cells: %q in row %d", tt.width, rows, focus)
		}
		a.at = 3
		if _, focus := a.rows(a.styles, tt.width, true); focus != len(tt.want)-1 {
			t.Errorf("%d cells: the last one is in row %d", tt.width, focus)
		}
	}
}

// A path is broken between folders and words.
func TestPathsAreBrokenBetweenNames(t *testing.T) {
	path := "A very long folder/and another one inside/the note itself.md"
	a := approval(sample{Title: "Move this?", Path: path, NewPath: path + "x"}, false)
	for _, inner := range []int{24, 32, 40} {
		rows := a.path("from ", path, inner)
		var back []string
		for i, r := range rows {
			if w := cells.Width(r); w > inner {
				t.Errorf("%d cells at %d: %q", w, inner, r)
			}
			back = append(back, ansi.Strip(r)[5:])
			if end := back[i][len(back[i])-1:]; i < len(rows)-1 && end != "/" && end != " " && !strings.HasPrefix(ansi.Strip(rows[i+1])[5:], " ") {
				t.Errorf("broken in a word at %d: %q", inner, rows)
			}
		}
		if strings.Join(back, "") != path {
			t.Errorf("%q", back)
		}
	}
	text := fmt.Sprint(a.about(100))
	if !strings.Contains(text, "from A very") || !strings.Contains(text, "to   A very") {
		t.Errorf("both ends of a move: %s", text)
	}
}
