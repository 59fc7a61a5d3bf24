package dialog

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"pgregory.net/rapid"

	"chatvault/internal/base/cells"
	"chatvault/internal/base/prosediff"
	"chatvault/tools"
	"chatvault/tui/composer"
	"chatvault/tui/keys"
	"chatvault/tui/theme"
)

const tartDiff = `--- a/Recipes/Tart.md
+++ b/Recipes/Tart.md
@@ -12,4 +12,4 @@
 # Tart
-200 g flour
+250 g flour
 100 g butter
`

func plainStyles() *theme.Styles { return theme.New(theme.Dark, colorprofile.ASCII) }

// sample is a change in tests.
type sample struct {
	Title, Tool, Path, NewPath, Detail, Diff, Warning, Why string
	Prose                                                  *prosediff.Diff
	Whole                                                  bool
	Rewrites                                               []rewrite
}

type rewrite struct {
	Path  string
	Links int
	Diff  string
}

func (s sample) proposed() Proposed {
	p := Proposed{Title: s.Title, Warning: s.Warning}
	c := &p.Change
	c.Tool, c.Path, c.NewPath, c.Detail, c.Diff, c.Prose, p.Text = s.Tool, s.Path, s.NewPath, s.Detail, s.Diff, s.Prose, s.Why
	if s.Whole {
		c.Kind = "delete"
	}
	for _, r := range s.Rewrites {
		c.Rewrites = append(c.Rewrites, tools.LinkRewrite{Path: r.Path, Links: r.Links, Diff: r.Diff})
	}
	return p
}

func approval(what sample, writing bool) *Approval {
	a := NewApproval(plainStyles(), what.proposed(), []Choice{
		{Key: "y", Label: "Allow once (y)", Result: "once"},
		{Key: "a", Label: "Allow edits in this chat (a)", Result: "always"},
		{Key: "n", Label: "Deny (n)", Result: "deny", Safe: true},
		{Key: "r", Label: "Deny, why… (r)", Note: func(why string) any { return noted{"deny", why} }},
	}, "escaped", writing)
	a.Ready(true)
	return a
}

var askFoot = []string{"Enter to submit · Esc to decline", "Enter submit · Esc decline"}

// noted is a result with a note.
type noted struct{ result, note string }

func tart() sample {
	return sample{Title: "Change this note?", Tool: "edit_file", Path: "Recipes/Tart.md", Diff: tartDiff}
}

func press(name string) tea.KeyPressMsg { return keys.Press(name) }

func TestApprovalDecides(t *testing.T) {
	up, down, enter, esc := press("up"), press("down"), press("enter"), press("esc")
	tests := []struct {
		name    string
		writing bool
		keys    []tea.KeyPressMsg
		want    any
		typed   bool // the last key was typed elsewhere
	}{
		{"enter allows once", false, []tea.KeyPressMsg{enter}, "once", false},
		{"down", false, []tea.KeyPressMsg{down, enter}, "always", false},
		{"up goes round to the note", false, []tea.KeyPressMsg{up, enter, runes("no flour"), enter}, noted{"deny", "no flour"}, false},
		{"a note may stay empty", false, []tea.KeyPressMsg{up, enter, enter}, noted{"deny", ""}, false},
		{"a note with key names", false, []tea.KeyPressMsg{up, enter, runes("enter"), runes("left"), enter}, noted{"deny", "enterleft"}, false},
		{"↑ leads from the note back to the choices", false, []tea.KeyPressMsg{up, enter, runes("x"), up, down, enter}, "once", false},
		{"esc in the note", false, []tea.KeyPressMsg{up, enter, runes("x"), esc}, "escaped", false},
		{"y", false, []tea.KeyPressMsg{runes("y")}, "once", false},
		{"a", false, []tea.KeyPressMsg{runes("a")}, "always", false},
		{"n", false, []tea.KeyPressMsg{runes("n")}, "deny", false},
		{"r", false, []tea.KeyPressMsg{runes("r"), runes("no flour"), enter}, noted{"deny", "no flour"}, false},
		{"a digit", false, []tea.KeyPressMsg{runes("2")}, "always", false},
		{"a digit too high is text", false, []tea.KeyPressMsg{runes("5")}, nil, true},
		{"letters of a text", true, []tea.KeyPressMsg{runes("y")}, nil, true},
		{"letters after a text", false, []tea.KeyPressMsg{runes("x"), runes("y")}, nil, true},
		{"a pasted letter", false, []tea.KeyPressMsg{keys.Paste("y")}, nil, true},
		{"esc", false, []tea.KeyPressMsg{esc}, "escaped", false},
		{"ctrl+c", false, []tea.KeyPressMsg{press("ctrl+c")}, "escaped", false},
		{"another letter is text", false, []tea.KeyPressMsg{runes("x")}, nil, true},
		{"a word is text", false, []tea.KeyPressMsg{runes("enter")}, nil, true},
		{"enter after text is for the text", false, []tea.KeyPressMsg{runes("stop that"), enter}, nil, true},
		{"an arrow after text marks what changes nothing", false, []tea.KeyPressMsg{down, runes("hm"), up, enter}, "deny", false},
		{"sideways, where choices stand side by side", false, []tea.KeyPressMsg{press("right"), press("right"), press("left"), enter}, "always", false},
		{"a note with line ends", false, []tea.KeyPressMsg{up, enter, keys.Paste("no flour\rno eggs\r\nno salt\r"), enter}, noted{"deny", "no flour no eggs no salt"}, false},
		{"enter while one writes is for the text", true, []tea.KeyPressMsg{enter}, nil, true},
		{"so is ctrl+c", true, []tea.KeyPressMsg{press("ctrl+c")}, nil, true},
		{"and backspace", true, []tea.KeyPressMsg{press("backspace")}, nil, true},
		{"esc while one writes", true, []tea.KeyPressMsg{esc}, "escaped", false},
		{"an arrow comes to the choices", true, []tea.KeyPressMsg{down, enter}, "deny", false},
		{"another key decides nothing", false, []tea.KeyPressMsg{press("f1"), press("left"), press("pgdown")}, nil, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var s Stack
			s.Push(approval(tart(), tt.writing))
			var got Outcome
			for _, k := range tt.keys {
				got = s.Key(k, time.Now())
			}
			if got.Result != tt.want || got.Typed != tt.typed || s.Empty() != (tt.want != nil) {
				t.Errorf("%+v (closed %v), want %v", got, s.Empty(), tt.want)
			}
		})
	}
}

func TestApprovalMarksNothingBeforeItTakesKeys(t *testing.T) {
	a := approval(tart(), false)
	a.Ready(false)
	if text := strings.Join(a.Lines(80, 24), "\n"); strings.Contains(text, "›") || !strings.Contains(text, "Allow once") {
		t.Errorf("a choice is marked:\n%s", text)
	}
	a.Ready(true)
	if text := strings.Join(a.Lines(80, 24), "\n"); !strings.Contains(text, "› Allow once") {
		t.Errorf("no choice is marked:\n%s", text)
	}
	a.Key(runes("hm"))
	if text := strings.Join(a.Lines(80, 24), "\n"); strings.Contains(text, "›") {
		t.Errorf("a choice is marked while one writes:\n%s", text)
	}
}

func TestApprovalShowsTheChange(t *testing.T) {
	text := strings.Join(approval(tart(), false).Lines(80, 30), "\n")
	for _, want := range []string{"Change this note?", "Recipes/Tart.md", "1 word added, 1 removed", "line 13 · below “Tart”", "  # Tart", "- [-200-] g flour", "+ {+250+} g flour"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing:\n%s", want, text)
		}
	}
	if strings.Contains(text, "edit_file") {
		t.Errorf("the tool's name is shown:\n%s", text)
	}
	if strings.Contains(text, "@@") || strings.Contains(text, "--- a/") {
		t.Errorf("the diff's own header is shown:\n%s", text)
	}
}

// Characters that reorder, hide or draw are shown by code, in the path and the diff.
func TestApprovalShowsInvisibleCharacters(t *testing.T) {
	what := sample{
		Title: "Move this?", Tool: "move_file", Path: "a\u202eb\x1b[2J.md", NewPath: "x\n\u200by.md", Detail: "folder\u2066!",
		Diff: "@@ -1 +1 @@\n-a\u202e\n+b\x1b]0;t\x07\u200bc\ttab\n",
	}
	text := strings.Join(approval(what, false).Lines(90, 40), "\n")
	for _, want := range []string{"from a<U+202E>b␛[2J.md", "to   x␊<U+200B>y.md", "folder<U+2066>!", "- a<U+202E>", "+ b␛]0;t␇<U+200B>c␉   tab"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing:\n%s", want, text)
		}
	}
}

// No text of a diff can pass for another line, a choice or the frame.
func TestDiffCannotImitateTheDialog(t *testing.T) {
	long := strings.Repeat("word ", 20) + "- not removed + not added"
	what := sample{Title: "Change this note?", Path: "› Allow once │ ╯.md", Diff: "@@ -1,2 +1,6 @@\n " + long + "\n \n+@@ -9 +9 @@\n+--- a/x\n+│  › Deny │\n+\n"}
	lines := approval(what, false).Lines(60, 60)
	for i, l := range lines {
		if w := cells.Width(l); w != 60 {
			t.Errorf("line %d is %d cells wide: %q", i, w, l)
		}
		if i > 0 && i < len(lines)-1 && (!strings.HasPrefix(l, "│  ") || !strings.HasSuffix(l, "  │")) {
			t.Errorf("the frame is broken at line %d: %q", i, l)
		}
	}
	text := strings.Join(lines, "\n")
	for _, want := range []string{"│  + @@ -9 +9 @@", "│  + --- a/x", "│  + │  › Deny │"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing:\n%s", want, text)
		}
	}
	if !strings.Contains(text, "│   ┊") {
		t.Errorf("a line that goes on is not marked as such:\n%s", text)
	}
}

func TestApprovalStatesOmissions(t *testing.T) {
	var b strings.Builder
	b.WriteString("@@ -0,0 +1,18000 @@\n")
	for i := range 9000 {
		fmt.Fprintf(&b, "+line %d %s\n+\n", i, strings.Repeat("x", 40))
	}
	a := approval(sample{Title: "Create this note?", Path: "long.md", Diff: b.String()}, false)
	a.Lines(80, 24)
	for range 2000 {
		a.Scroll(10)
	}
	text := strings.Join(a.Lines(80, 24), "\n")
	if !strings.Contains(text, " lines more of this change: too many to show here") {
		t.Errorf("the end of a diff that is too long:\n%s", text)
	}
	if !strings.Contains(text, "27,000 words added, 0 removed") {
		t.Error("the whole is not counted")
	}
	wide := approval(sample{Path: "x.md", Diff: "@@ -0,0 +1 @@\n+" + strings.Repeat("y", 300_000) + "\n"}, false)
	if text := strings.Join(wide.changes(50), "\n"); !strings.Contains(text, "1 line more of this change") {
		t.Errorf("the end of a line that is too long: %.300s", text)
	}
}

func TestApprovalScrolls(t *testing.T) {
	diff := "@@ -1 +1,60 @@\n"
	for i := range 60 {
		diff += fmt.Sprintf("+line %02d\n", i)
	}
	a := approval(sample{Title: "Change this note?", Path: "a.md", Diff: diff}, false)
	show := func() string { return strings.Join(a.Lines(80, 20), "\n") }
	if text := show(); !strings.Contains(text, "more · PgDn") || strings.Contains(text, "line 59") {
		t.Errorf("at first:\n%s", text)
	}
	a.Key(press("shift+down"))
	show()
	a.Key(press("shift+down"))
	if text := show(); strings.Contains(text, "line 00") || !strings.Contains(text, "a.md") {
		t.Errorf("a line further:\n%s", text)
	}
	for range 20 {
		a.Key(press("pgdown"))
		show()
	}
	if text := show(); !strings.Contains(text, "line 59") || strings.Contains(text, "PgDn") {
		t.Errorf("at the end:\n%s", text)
	}
	a.Scroll(-1000)
	if text := show(); !strings.Contains(text, "line 00") {
		t.Errorf("back at the top:\n%s", text)
	}
}

func TestLineEnds(t *testing.T) {
	text := strings.Join(approval(sample{Path: "a.md", Diff: "@@ -1,2 +1,2 @@\n-a\r\n+b\r\n c\r\n"}, false).changes(60), "\n")
	if strings.Contains(text, "␍") {
		t.Errorf("a note with CRLF:\n%s", text)
	}
	text = strings.Join(approval(sample{Path: "a.md", Diff: "@@ -1,2 +1,2 @@\n-a\r\n+b\n c\r\n"}, false).changes(60), "\n")
	if !strings.Contains(text, "- a␍") || strings.Contains(text, "b␍") {
		t.Errorf("a change of line ends:\n%s", text)
	}
}

// At any size the dialog fits, and the choice that Enter selects is visible.
func TestApprovalFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		what := sample{
			Title: "Delete this?", Tool: "delete_file", Path: rapid.String().Draw(t, "path"), Detail: rapid.String().Draw(t, "detail"),
			Diff: "@@ -1 +1 @@\n+" + rapid.String().Draw(t, "line") + "\n", Warning: "This takes text away.",
		}
		a := approval(what, false)
		names := []string{"Allow once", "Allow edits", "Deny", "Deny"}
		for range rapid.IntRange(0, 5).Draw(t, "downs") {
			a.Key(press("down"))
		}
		width, height := rapid.IntRange(1, 130).Draw(t, "width"), rapid.IntRange(0, 50).Draw(t, "height")
		lines := a.Lines(width, height)
		if len(lines) > height {
			t.Fatalf("%d lines at height %d", len(lines), height)
		}
		for _, l := range lines {
			if w := cells.Width(l); w > width {
				t.Fatalf("%d cells at width %d: %q", w, width, l)
			}
		}
		if height > 0 && width >= 30 && !strings.Contains(strings.Join(lines, "\n"), "› "+names[a.at]) {
			t.Fatalf("the marked choice is out of sight at %dx%d:\n%s", width, height, strings.Join(lines, "\n"))
		}
		if height >= 10 && width >= 30 {
			for _, n := range names {
				if !strings.Contains(strings.Join(lines, "\n"), n) {
					t.Fatalf("%q is out of sight at %dx%d:\n%s", n, width, height, strings.Join(lines, "\n"))
				}
			}
		}
	})
}

type wrote struct{ value string }

func given(value string) any { return wrote{value} }

func TestAsk(t *testing.T) {
	enter, esc := press("enter"), press("esc")
	tests := []struct {
		name   string
		masked bool
		keys   []tea.KeyPressMsg
		want   any
	}{
		{"typed", true, []tea.KeyPressMsg{runes("sk-1"), runes("2"), enter}, wrote{"sk-12"}},
		{"pasted with a line end", true, []tea.KeyPressMsg{keys.Paste(" sk-\n12\r\n"), enter}, wrote{"sk-12"}},
		{"a setting keeps its spaces", false, []tea.KeyPressMsg{keys.Paste(" Ada  Lovelace\n"), enter}, wrote{"Ada  Lovelace"}},
		{"what cannot be seen is no part of it", true, []tea.KeyPressMsg{runes("sk\u200b-\u202e12"), enter}, wrote{"sk-12"}},
		{"words that name keys are text", false, []tea.KeyPressMsg{runes("left"), runes("enter"), enter}, wrote{"leftenter"}},
		{"edited", false, []tea.KeyPressMsg{runes("abd"), press("left"), runes("c"), press("home"), press("delete"), press("end"), press("backspace"), enter}, wrote{"bc"}},
		{"a word is deleted", false, []tea.KeyPressMsg{runes("one two "), press("ctrl+w"), runes("three"), enter}, wrote{"one three"}},
		{"cleared", false, []tea.KeyPressMsg{runes("one"), press("ctrl+u"), runes("x"), enter}, wrote{"x"}},
		{"a space", false, []tea.KeyPressMsg{runes("a"), keys.Press("space"), runes("b"), enter}, wrote{"a b"}},
		{"nothing is refused", true, []tea.KeyPressMsg{enter}, nil},
		{"spaces are nothing", false, []tea.KeyPressMsg{runes("  "), enter}, nil},
		{"esc", true, []tea.KeyPressMsg{runes("sk-1"), esc}, "escaped"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var s Stack
			s.Push(NewAsk(plainStyles(), "A key is needed", "It is stored in the keyring.", tt.masked, given, "escaped", askFoot...))
			var got Outcome
			for _, k := range tt.keys {
				got = s.Key(k, time.Now())
				if got.Typed {
					t.Errorf("%v is passed on", k)
				}
				for _, size := range [][2]int{{80, 20}, {30, 8}, {10, 3}} {
					text := strings.Join(linesOf(&s, size), "\n")
					if tt.masked && strings.Contains(text, "sk") {
						t.Fatalf("what is masked is drawn:\n%s", text)
					}
				}
			}
			if got.Result != tt.want || s.Empty() != (tt.want != nil) {
				t.Errorf("%+v (closed %v), want %v", got, s.Empty(), tt.want)
			}
		})
	}
}

func TestAskSaysThatNothingIsWritten(t *testing.T) {
	a := NewAsk(plainStyles(), "A key is needed", "It is stored in the keyring.", true, given, nil, askFoot...)
	a.Key(press("enter"))
	if text := strings.Join(a.Lines(80, 20), "\n"); !strings.Contains(text, "Nothing entered yet") {
		t.Errorf("after Enter:\n%s", text)
	}
	a.Key(runes("s"))
	if text := strings.Join(a.Lines(80, 20), "\n"); strings.Contains(text, "Nothing entered yet") || !strings.Contains(text, "•") {
		t.Errorf("after a letter:\n%s", text)
	}
	if a.Key(runes(strings.Repeat("x", 8<<10))); !strings.Contains(strings.Join(a.Lines(80, 20), "\n"), "Too long") {
		t.Error("a text without end is taken")
	}
}

// The field and its cursor are visible at any size.
func TestFieldFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := &composer.Field{Masked: rapid.Bool().Draw(t, "masked")}
		f.Insert(rapid.String().Draw(t, "text"))
		for range rapid.IntRange(0, 20).Draw(t, "left") {
			f.Key(press("left"))
		}
		width := rapid.IntRange(5, 60).Draw(t, "width")
		s := theme.New(theme.None, colorprofile.ANSI)
		line := f.Line(s, width)
		if w := cells.Width(line); w > width {
			t.Fatalf("%d cells at width %d: %q", w, width, line)
		}
		if !strings.Contains(line, theme.Cursor) {
			t.Fatalf("no cursor in %q", line)
		}
		a := NewAsk(plainStyles(), "Title", strings.Repeat("A long reason. ", 20), true, given, nil, askFoot...)
		height := rapid.IntRange(1, 30).Draw(t, "height")
		lines := a.Lines(80, height)
		if len(lines) > height || !strings.Contains(strings.Join(lines, "\n"), "›") {
			t.Fatalf("no field at height %d:\n%s", height, strings.Join(lines, "\n"))
		}
	})
}

func linesOf(s *Stack, size [2]int) []string {
	if s.Empty() {
		return nil
	}
	return s.Top().Lines(size[0], size[1])
}
