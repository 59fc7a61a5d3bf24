package chat

import (
	"strings"
	"testing"

	"chatvault/tui/theme"
)

const editResult = "Replaced 1 occurrence in \"Tart.md\".\n\n" + tartDiff

const tartDiff = "--- Tart.md\n+++ Tart.md\n@@ -1,3 +1,3 @@\n # Tart\n \n-Bake it for 15 minutes.\n+Bake it for 20 minutes.\n"

// The details show what a call changed and the tool's own text.
func TestAnEditIsShownWordByWord(t *testing.T) {
	env := testEnv(theme.None)
	env.Details = true
	e := NewTool(env, "edit_file")
	e.Start("Tart.md", noon)
	e.Finish("+1 −1", false, 0)
	e.Gave(editResult)
	got := plain(e.Lines(60))
	for _, want := range []string{"  Replaced 1 occurrence in \"Tart.md\".\n", "    # Tart\n", "  - Bake it for [-15-] minutes.\n  + Bake it for {+20+} minutes."} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing:\n%s", want, got)
		}
	}
	if strings.Contains(got, "@@") || strings.Contains(got, "+++") {
		t.Errorf("the diff is shown as it came:\n%s", got)
	}
	env.Details = false
	if got := plain(e.Lines(60)); strings.Contains(got, "Bake") {
		t.Errorf("folded:\n%s", got)
	}
}

// A partly accepted change shows the accepted part and then the rest.
func TestAPartialEditShowsBoth(t *testing.T) {
	env := testEnv(theme.None)
	env.Details = true
	e := NewTool(env, "edit_file")
	left := strings.NewReplacer("15", "a", "20", "b").Replace(tartDiff)
	e.Gave(editResult + "\nThe user rejected these parts.\n\n" + left + "[... 9 more lines of this diff left out]")
	got := plain(e.Lines(60))
	first, second, third := strings.Index(got, "for {+20+}"), strings.Index(got, "The user rejected these parts."), strings.Index(got, "for {+b+}")
	if first < 0 || second < first || third < second || !strings.Contains(got, "9 more lines") {
		t.Errorf("shown:\n%s", got)
	}
}

// The diff of an overwritten note arrives separately from the result; text of a note is not a diff, even if it looks
// like one; and a long diff is cut.
func TestShownDiffs(t *testing.T) {
	env := testEnv(theme.None)
	env.Details = true
	w := NewTool(env, "write_file")
	w.Gave("Overwrote file \"Tart.md\" (30 bytes).")
	w.Replaced(tartDiff)
	if got := plain(w.Lines(60)); !strings.Contains(got, "Overwrote file") || !strings.Contains(got, "{+20+}") {
		t.Errorf("written over:\n%s", got)
	}
	r := NewTool(env, "get_conversation")
	r.Gave(editResult)
	if got := plain(r.Lines(60)); !strings.Contains(got, "+Bake it for 20") || strings.Contains(got, "[-15-]") {
		t.Errorf("a text that was read:\n%s", got)
	}
	long := NewTool(env, "edit_file")
	long.Gave("Inserted.\n\n--- a.md\n+++ a.md\n@@ -0,0 +1,200 @@\n" + strings.Repeat("+- an item\n", 200))
	if got := plain(long.Lines(60)); strings.Count(got, "+ - an item") != maxDiffRows || !strings.HasSuffix(got, "… 160 more lines") {
		t.Errorf("a long one:\n%s", got)
	}
}
