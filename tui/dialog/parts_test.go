package dialog

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"chatvault/internal/base/cells"
	"chatvault/internal/base/prosediff"
	"chatvault/tui/keys"
)

// picked is a result with parts of a change.
type picked struct {
	result string
	hunks  []int
}

// inParts returns a change of n paragraphs that can be accepted separately.
func inParts(n int) *Approval {
	var before strings.Builder
	for i := range n {
		fmt.Fprintf(&before, "## Chapter %d\n\nThe old text of chapter %d.\n\n", i+1, i+1)
	}
	what := sample{
		Title: "Change this note?", Tool: "edit_file", Path: "Book.md", Why: "Every change waits (approval = writes).",
		Prose: prosediff.Compare(before.String(), strings.ReplaceAll(before.String(), "old", "new")),
	}
	a := NewApproval(plainStyles(), what.proposed(), []Choice{
		{Label: "Allow once", Result: "once"},
		{Label: "Choose parts…", Pick: func(hunks []int) any { return picked{"some", hunks} }},
		{Label: "Deny", Result: "deny", Safe: true},
	}, "escaped", false)
	a.Ready(true)
	return a
}

func space() tea.KeyPressMsg { return keys.Press("space") }

func TestPartsAreAccepted(t *testing.T) {
	up, down, enter, esc := press("up"), press("down"), press("enter"), press("esc")
	open := []tea.KeyPressMsg{down, enter}
	for _, tt := range []struct {
		name string
		keys []tea.KeyPressMsg
		want any
	}{
		{"yes, no, yes", []tea.KeyPressMsg{runes("y"), runes("n"), runes("y"), enter}, []int{0, 2}},
		{"space goes nowhere", []tea.KeyPressMsg{space(), down, down, space(), space(), up, space(), enter}, []int{0, 1}},
		{"round the end", []tea.KeyPressMsg{up, space(), enter}, []int{3}},
		{"all", []tea.KeyPressMsg{runes("a"), enter}, []int{0, 1, 2, 3}},
		{"all but one", []tea.KeyPressMsg{runes("a"), runes("n"), enter}, []int{1, 2, 3}},
		{"none, after all", []tea.KeyPressMsg{runes("a"), runes("N"), enter}, nil},
		{"an enter too many", []tea.KeyPressMsg{enter, enter}, nil},
		{"the last stays the one", []tea.KeyPressMsg{up, runes("y"), runes("n"), runes("y"), enter}, []int{3}},
		{"there and back keeps them", []tea.KeyPressMsg{runes("y"), press("backspace"), enter, enter}, []int{0}},
		{"backspace leads back", []tea.KeyPressMsg{runes("y"), press("backspace"), up, enter}, "once"},
		{"esc", []tea.KeyPressMsg{runes("a"), esc}, "escaped"},
		{"ctrl+c", []tea.KeyPressMsg{runes("a"), press("ctrl+c")}, "escaped"},
	} {
		var s Stack
		s.Push(inParts(4))
		var got Outcome
		for _, k := range append(slices.Clone(open), tt.keys...) {
			if got = s.Key(k, time.Now()); got.Typed {
				t.Errorf("%s: %v is passed on", tt.name, k)
			}
			for _, size := range [][2]int{{80, 24}, {40, 12}, {10, 3}} {
				linesOf(&s, size)
			}
		}
		want := tt.want
		if hunks, ok := want.([]int); ok {
			want = picked{"some", hunks}
		}
		if !reflect.DeepEqual(got.Result, want) || s.Empty() != (want != nil) {
			t.Errorf("%s: %+v (closed %v), want %v", tt.name, got, s.Empty(), want)
		}
	}
}

// Typing text while choosing parts decides nothing: no part stays accepted, and Enter belongs to the text.
func TestTypingLeavesParts(t *testing.T) {
	a := inParts(4)
	var s Stack
	s.Push(a)
	for _, k := range []tea.KeyPressMsg{press("down"), press("enter"), runes("y")} {
		s.Key(k, time.Now())
	}
	s.Key(press("down"), time.Now())
	for _, k := range []tea.KeyPressMsg{runes("a"), runes("n"), runes("y"), space()} {
		if out := s.Key(k, time.Now()); out.Typed || out.Result != nil {
			t.Fatalf("%+v", out)
		}
	}
	out := s.Key(runes("box"), time.Now())
	if !out.Typed || out.Result != nil || a.Writes() || len(a.hunks()) > 0 {
		t.Errorf("%+v, taken: %v", out, a.hunks())
	}
	if out := s.Key(press("enter"), time.Now()); !out.Typed || out.Result != nil {
		t.Errorf("Enter is not for the text: %+v", out)
	}
	if text := strings.Join(a.Lines(80, 24), "\n"); !strings.Contains(text, "Enter to send your text") {
		t.Errorf("nothing says what Enter does:\n%s", text)
	}
}

// TestPartsShow: the current part and its change are visible at any size, with a list of the accepted parts.
func TestPartsShow(t *testing.T) {
	a := inParts(30)
	a.Key(press("down"))
	a.Key(press("enter"))
	for i := range 30 {
		for _, size := range [][2]int{{100, 40}, {80, 24}, {40, 14}} {
			text := strings.Join(a.Lines(size[0], size[1]), "\n")
			for _, want := range []string{fmt.Sprintf("› [ ] part %d of 30", i+1), fmt.Sprintf("part %d of 30 · line %d", i+1, 4*i+3), "- The [-old-] text of", fmt.Sprintf("Part %d of 30 · %d accepted", i+1, i)} {
				if !strings.Contains(text, want) {
					t.Fatalf("%q is out of sight at %v:\n%s", want, size, text)
				}
			}
		}
		a.Key(runes("y"))
	}
	text := strings.Join(a.Lines(80, 24), "\n")
	for _, want := range []string{"› [x] part 30 of 30", "· [x] part 29 of 30", "Enter applies 30 of 30"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing:\n%s", want, text)
		}
	}
	a.Key(press("home"))
	if text := strings.Join(a.Lines(80, 24), "\n"); !strings.Contains(text, "part 1 of 30") {
		t.Errorf("Home does not lead to the beginning:\n%s", text)
	}
	a.Key(press("end"))
	if text := strings.Join(a.Lines(80, 24), "\n"); !strings.Contains(text, "waits (approval = writes)") {
		t.Errorf("End does not lead to the end:\n%s", text)
	}
	b := inParts(3)
	b.Key(press("down"))
	b.Key(press("enter"))
	out := b.Key(press("enter"))
	if text := strings.Join(b.Lines(80, 30), "\n"); out != (Outcome{}) || !strings.Contains(text, " · 0 accepted") {
		t.Errorf("Enter without an accepted part: %+v\n%s", out, text)
	}
}

// TestTextCannotImitateParts: no text of a note passes for a part's heading, a choice or the frame, and the dialog fits
// at any size.
func TestTextCannotImitateParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.SampledFrom([]string{"› [x] part 1 of 9", "· [ ] part 2 of 9", "│  › Allow once │", "Part 1 of 9 · 9 accepted", "words", "", "\x1b[2K\u202e", strings.Repeat("wide 日本 ", 20)}), 1, 8)
		note := func(name string) string { return strings.Join(lines.Draw(t, name), "\n\n") + "\n" }
		d := prosediff.Compare(note("before"), note("after"))
		if len(d.Hunks) < 2 {
			t.Skip()
		}
		a := inParts(1)
		b := NewApproval(a.styles, sample{Title: "Change this note?", Path: "a.md", Prose: d}.proposed(), a.choices, nil, false)
		b.Ready(true)
		b.Key(press("down"))
		b.Key(press("enter"))
		width, height := rapid.IntRange(1, 120).Draw(t, "width"), rapid.IntRange(0, 300).Draw(t, "height")
		drawn := b.Lines(width, height)
		if len(drawn) > height {
			t.Fatalf("%d lines at height %d", len(drawn), height)
		}
		heads := 0
		for _, l := range drawn {
			if w := cells.Width(l); w > width {
				t.Fatalf("%d cells at width %d: %q", w, width, l)
			}
			row := strings.TrimPrefix(ansi.Strip(l), "│  ")
			if strings.HasPrefix(row, "› [") || strings.HasPrefix(row, "· [") {
				heads++
			}
		}
		if heads > len(d.Hunks) || height == 300 && width >= 24 && heads != len(d.Hunks) {
			t.Fatalf("%d heads of %d parts:\n%s", heads, len(d.Hunks), strings.Join(drawn, "\n"))
		}
	})
}

func moving(n int) *Approval {
	what := sample{Title: "Move this?", Tool: "move_file", Path: "Tart.md", NewPath: "Recipes/Tart.md", Detail: "file, 17 bytes; creates the folder Recipes"}
	for i := range n {
		what.Rewrites = append(what.Rewrites, rewrite{Path: fmt.Sprintf("Notes/%02d\u202e.md", i), Links: i%2 + 1, Diff: "@@ -3 +3 @@\n-See [[Tart]] first.\n+See [[Recipes/Tart]] first.\n"})
	}
	a := NewApproval(plainStyles(), what.proposed(), []Choice{{Label: "Allow once", Result: "once"}, {Label: "Deny", Result: "deny", Safe: true}}, "escaped", false)
	a.Ready(true)
	return a
}

// TestLinksThatChange: shows the number of links and notes, their names and the changes in each.
func TestLinksThatChange(t *testing.T) {
	shown := func(a *Approval) string { return strings.Join(a.Lines(80, 80), "\n") }
	a := moving(3)
	text := shown(a)
	for _, want := range []string{"Updates 4 links in 3 notes:", "• Notes/00<U+202E>.md · 1 link ", "• Notes/01<U+202E>.md · 2 links"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing:\n%s", want, text)
		}
	}
	if strings.Count(text, "+ See [[{+Recipes/+}Tart]] first.") != 3 {
		t.Errorf("the changes:\n%s", text)
	}
	many := moving(500)
	if text := shown(many); !strings.Contains(text, "Updates 750 links in 500 notes:") {
		t.Errorf("many:\n%s", text)
	}
	many.Key(press("end"))
	if text := shown(many); !strings.Contains(text, "• Notes/499") || !strings.Contains(text, "› Allow once") {
		t.Errorf("the end of many:\n%s", text)
	}
	if out := many.Key(press("enter")); out.Result != "once" {
		t.Errorf("%+v", out)
	}
}
