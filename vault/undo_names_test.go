package vault

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"chatvault/vault/journal"
)

// oddNames are names of notes that nobody may spell to an operation, and that a vault may hold.
func oddNames(t *testing.T) []string {
	if runtime.GOOS == "windows" {
		t.Skip("the file system has no such names")
	}
	return []string{`F/AC\DC.md`, "Data: things.md", "File:x.md", "C:x.md", "mailto:me.md", "http:/x/y.md"}
}

// TestUndoOfOddNames: what a move was willing to rewrite can be taken back and restored.
func TestUndoOfOddNames(t *testing.T) {
	files := map[string]string{"t.md": "t"}
	for _, name := range oddNames(t) {
		files[name] = "[[t]]"
	}
	v := keptTest(t, files)
	before := snapshot(v.dir)
	c, err := v.Move(inTurn(t, "x"), "t.md", "T2.md")
	mustTest(t, err)
	if len(c.Rewrites) != len(files)-1 {
		t.Fatalf("%d notes were rewritten", len(c.Rewrites))
	}
	mustTest(t, v.EndTurn("x"))
	after := snapshot(v.dir)
	if u, err := v.Undo(t.Context(), ""); err != nil || len(u.Refused) > 0 {
		t.Errorf("%+v, %v", u, err)
	}
	if d := differences(snapshot(v.dir), before); len(d) > 0 {
		t.Error(d)
	}
	if u, err := v.Redo(t.Context()); err != nil || len(u.Refused) > 0 {
		t.Errorf("%+v, %v", u, err)
	}
	if d := differences(snapshot(v.dir), after); len(d) > 0 {
		t.Error(d)
	}
}

// TestRecoverOddNames: so can a move be that was cut in the middle.
func TestRecoverOddNames(t *testing.T) {
	files, c := map[string]string{"t.md": "t"}, Change{Op: "move", Path: "t.md", NewPath: "T2.md"}
	for _, name := range oddNames(t) {
		files[name] = "[[t]]"
		c.Rewrites = append(c.Rewrites, Rewrite{Path: name, NewPath: name, Links: 1, Before: []byte("[[t]]"), After: []byte("[[T2]]")})
	}
	v := keptTest(t, files)
	before := snapshot(v.dir)
	cutHere(t, v, c, nil)
	for _, r := range c.Rewrites[:3] {
		mustTest(t, os.WriteFile(filepath.Join(v.dir, r.Path), r.After, 0o644))
	}
	mustTest(t, v.Recover(t.Context()))
	if got := lastChange(t, v); got.State != journal.Failed {
		t.Errorf("%+v", got)
	}
	if d := differences(snapshot(v.dir), before); len(d) > 0 {
		t.Error(d)
	}
}

// TestUndoOfWhatIsNoChange: a record that names what no change can be of is refused, and nothing is
// recorded of it.
func TestUndoOfWhatIsNoChange(t *testing.T) {
	v := keptTest(t, map[string]string{"a.md": "a"})
	for i, at := range []string{"../a.md", "/a.md", ".obsidian/app.json", "F/../a.md", "."} {
		turn := string(rune('a' + i))
		p, err := v.journal.Begin(journal.Pending{Origin: OriginOf(inTurn(t, turn)), Change: journal.Change{Op: "overwrite", Path: at}}, nil)
		mustTest(t, err)
		p.Change.State = journal.Done
		mustTest(t, v.journal.End(p))
		mustTest(t, v.EndTurn(turn))
		u, err := v.Undo(t.Context(), turn)
		if err != nil || len(u.Lines) > 0 || len(u.Refused) != 1 || !strings.Contains(u.Refused[0].Why, "no change can be of") {
			t.Errorf("%q: %+v, %v", at, u, err)
		}
		turns, err := v.ChangedTurns(t.Context(), 0)
		if err != nil || len(turns) != i+1 {
			t.Errorf("%q: %d turns, %v", at, len(turns), err)
		}
	}
}

// TestPrivateOddNames: what the journal knows of them is as private as anything else.
func TestPrivateOddNames(t *testing.T) {
	v := newTest(t, nil)
	mustTest(t, v.SetPrivate([]string{"F/", "Data*", "C:x.md"}))
	for _, name := range oddNames(t) {
		if want := name[0] != 'm' && name[0] != 'h' && !strings.HasPrefix(name, "File"); v.Private(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}

// TestUndoOfWhatBecamePrivate: the owner takes back and restores what nobody else may see.
func TestUndoOfWhatBecamePrivate(t *testing.T) {
	v := keptTest(t, map[string]string{"Diary/x.md": "x", "Diary/y.md": "y [[pub]]", "pub.md": "p"})
	before := snapshot(v.dir)
	ctx := inTurn(t, "x")
	_, err := v.Delete(ctx, "Diary/x.md", false)
	mustTest(t, err)
	_, err = v.Move(ctx, "pub.md", "public.md")
	mustTest(t, err)
	_, err = v.Write(ctx, "Diary/New/z.md", []byte("z"), "")
	mustTest(t, err)
	mustTest(t, v.EndTurn("x"))
	after := snapshot(v.dir)
	mustTest(t, v.SetPrivate([]string{"Diary/"}))
	u, err := v.Undo(t.Context(), "")
	if err != nil || len(u.Refused) > 0 || len(u.Lines) != 3 || len(u.About) != 3 || !v.Private(u.About[0][0]) || v.Private(u.About[1][0]) {
		t.Errorf("%+v, %v", u, err)
	}
	if d := differences(snapshot(v.dir), before); len(d) > 0 {
		t.Error(d)
	}
	if u, err := v.Redo(t.Context()); err != nil || len(u.Refused) > 0 {
		t.Errorf("%+v, %v", u, err)
	}
	if d := differences(snapshot(v.dir), after); len(d) > 0 {
		t.Error(d)
	}
	if _, err := v.Read(t.Context(), "Diary/y.md"); err == nil {
		t.Error("it can be read")
	}
}
