package vault

import (
	"context"
	"slices"
	"strings"
	"testing"
)

// TestUndoBeforeLaterTurns: files that a later turn moved, changed or deleted stay unchanged until it is undone.
func TestUndoBeforeLaterTurns(t *testing.T) {
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
		"edit-F": `"F/a.md" no longer exists. If a later turn moved or deleted it, undo that turn first; otherwise restore it under this name and try again.`,
		"edit-b": `"b.md" was changed since, so it is left unchanged. Look at it with: chatvault changes --diff edit-b, and restore by hand what you need.`,
		"edit-c": `"c.md" no longer exists. If a later turn moved or deleted it, undo that turn first; otherwise restore it under this name and try again.`,
		"edit-d": `restore by hand what you need.`,
	} {
		u, err := v.History.Undo(t.Context(), turn)
		if err != nil || len(u.Refused) != 1 || !strings.HasSuffix(u.Refused[0].Why, want) {
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
