package vault

import (
	"context"
	"slices"
	"strings"
	"testing"
)

// TestUndoNamesLaterTurn: files that a later turn moved, changed or deleted stay unchanged, and the error names the
// turn to undo first.
func TestUndoNamesLaterTurn(t *testing.T) {
	v := journaledTest(t, map[string]string{"F/a.md": "1", "b.md": "1", "c.md": "1", "d.md": "1"})
	do := func(turn string, change func() error) {
		mustTest(t, change())
		mustTest(t, v.History.EndTurn(turn))
	}
	edit := func(turn, name, text string) {
		do(turn, func() error { _, err := v.Write(inTurn(t, turn), name, []byte(text), ""); return err })
	}
	for _, name := range []string{"F/a.md", "b.md", "c.md", "d.md"} {
		edit("edit-"+name[:1], name, "2")
	}
	do("later-1", func() error { _, err := v.Move(inTurn(t, "later-1"), "F", "P/G"); return err })
	edit("later-2", "b.md", "3")
	do("later-3", func() error { _, err := v.Delete(inTurn(t, "later-3"), "c.md", false); return err })
	writeAsOther(t, v, "d.md", "theirs")
	for turn, want := range map[string]string{
		"edit-F": `"F/a.md" was changed, moved or deleted by a later turn, so it is left unchanged. Undo that turn first, with: chatvault undo later-1`,
		"edit-b": `"b.md" was changed, moved or deleted by a later turn, so it is left unchanged. Undo that turn first, with: chatvault undo later-2`,
		"edit-c": `"c.md" was changed, moved or deleted by a later turn, so it is left unchanged. Undo that turn first, with: chatvault undo later-3`,
		"edit-d": `restore by hand what you need.`,
	} {
		u, err := v.History.Undo(t.Context(), turn)
		if err != nil || len(u.Refused) != 1 || !strings.HasSuffix(u.Refused[0].Why, want) || u.Refused[0].Final {
			t.Errorf("%s: %+v, %v", turn, u.Refused, err)
		}
	}
	for _, turn := range []string{"later-1", "edit-F", "later-2", "edit-b", "later-3", "edit-c"} {
		if u, err := v.History.Undo(t.Context(), turn); err != nil || len(u.Refused) > 0 {
			t.Errorf("%s: %+v, %v", turn, u, err)
		}
	}
}

// TestRedoMessage: the redo of a move names the original direction.
func TestRedoMessage(t *testing.T) {
	v := journaledTest(t, map[string]string{"a.md": "a"})
	_, err := v.Move(inTurn(t, "x"), "a.md", "b.md")
	mustTest(t, err)
	mustTest(t, v.History.EndTurn("x"))
	for _, want := range []string{"moved b.md back to a.md", "moved a.md to b.md"} {
		do := v.History.Redo
		if strings.Contains(want, "back") {
			do = func(ctx context.Context) (Undone, error) { return v.History.Undo(ctx, "") }
		}
		if u, err := do(t.Context()); err != nil || !slices.Equal(u.Lines, []string{want}) {
			t.Errorf("%+v, %v", u, err)
		}
	}
}
