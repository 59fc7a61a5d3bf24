package vault

import (
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"chatvault/vault/journal"
)

// oddNames returns names of notes that no operation accepts but a vault may contain.
func oddNames(t *testing.T) []string {
	if runtime.GOOS == "windows" {
		t.Skip("the file system rejects such names")
	}
	return []string{`F/AC\DC.md`, "Data: things.md", "File:x.md", "C:x.md", "mailto:me.md", "http:/x/y.md"}
}

// TestUndoOfOddNames: the rewrites of a move can be undone and redone.
func TestUndoOfOddNames(t *testing.T) {
	files := map[string]string{"t.md": "t"}
	for _, name := range oddNames(t) {
		files[name] = "[[t]]"
	}
	v := journaledTest(t, files)
	before := snapshot(v.dir)
	c, err := v.Move(inTurn(t, "x"), "t.md", "T2.md")
	mustTest(t, err)
	if len(c.Rewrites) != len(files)-1 {
		t.Fatalf("%d notes were rewritten", len(c.Rewrites))
	}
	mustTest(t, v.History.EndTurn("x"))
	after := snapshot(v.dir)
	if u, err := v.History.Undo(t.Context(), ""); err != nil || len(u.Refused) > 0 {
		t.Errorf("%+v, %v", u, err)
	}
	if d := differences(snapshot(v.dir), before); len(d) > 0 {
		t.Error(d)
	}
	if u, err := v.History.Redo(t.Context()); err != nil || len(u.Refused) > 0 {
		t.Errorf("%+v, %v", u, err)
	}
	if d := differences(snapshot(v.dir), after); len(d) > 0 {
		t.Error(d)
	}
}

// TestRecoverOddNames does the same for an interrupted move.
func TestRecoverOddNames(t *testing.T) {
	files, c := map[string]string{"t.md": "t"}, Change{Op: "move", Path: "t.md", NewPath: "T2.md"}
	for _, name := range oddNames(t) {
		files[name] = "[[t]]"
		c.Rewrites = append(c.Rewrites, Rewrite{Path: name, NewPath: name, Links: 1, Before: []byte("[[t]]"), After: []byte("[[T2]]")})
	}
	v := journaledTest(t, files)
	before := snapshot(v.dir)
	interruptChange(t, v, c, nil)
	for _, r := range c.Rewrites[:3] {
		mustTest(t, os.WriteFile(filepath.Join(v.dir, r.Path), r.After, 0o644))
	}
	mustTest(t, v.History.Recover(t.Context()))
	if got := lastChange(t, v); got.State != journal.Failed {
		t.Errorf("%+v", got)
	}
	if d := differences(snapshot(v.dir), before); len(d) > 0 {
		t.Error(d)
	}
}

// TestPrivateOddNames: such names in the journal can be private too.
func TestPrivateOddNames(t *testing.T) {
	v := newTest(t, nil)
	mustTest(t, v.SetPrivate([]string{"F/", "Data*", "C:x.md"}))
	for _, name := range oddNames(t) {
		if want := name[0] != 'm' && name[0] != 'h' && !strings.HasPrefix(name, "File"); v.Private(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}

// TestUndoOfPrivateFiles: files that have become private since stay unchanged and unnamed, and the rest is undone and
// redone.
func TestUndoOfPrivateFiles(t *testing.T) {
	v := journaledTest(t, map[string]string{
		"Diary/x.md": "x", "Diary/y.md": "y [[pub]]", "pub.md": "p", "open.md": "o", "Box/pay.md": "pay", "Box/b.md": "b", "G/g.md": "g", "G/pay.md": "gpay",
	})
	ctx := inTurn(t, "x")
	_, err := v.Delete(ctx, "Diary/x.md", false)
	mustTest(t, err)
	_, err = v.Move(ctx, "pub.md", "public.md")
	mustTest(t, err)
	_, err = v.Write(ctx, "Diary/New/z.md", []byte("z"), "")
	mustTest(t, err)
	_, err = v.Write(ctx, "open.md", []byte("O"), "")
	mustTest(t, err)
	_, err = v.Delete(ctx, "Box", true)
	mustTest(t, err)
	_, err = v.Move(ctx, "G", "H")
	mustTest(t, err)
	_, err = v.Move(ctx, "open.md", "Diary/open.md")
	mustTest(t, err)
	mustTest(t, v.History.EndTurn("x"))
	after := snapshot(v.dir)
	mustTest(t, v.SetPrivate([]string{"Diary/", "pay.md"}))
	u, err := v.History.Undo(t.Context(), "")
	if err != nil || !slices.Equal(u.Lines, []string{"restored Box/ (1 of 2 files)", "moved public.md back to pub.md"}) || len(u.Refused) != 2 {
		t.Errorf("%v, %v, %v", u.Lines, u.Refused, err)
	}
	for _, no := range u.Refused {
		if strings.Contains(no.Why, "Diary") || strings.Contains(no.Why, "pay") || no.Path != "" && no.Path != "open.md" {
			t.Errorf("%+v", no)
		}
	}
	want := maps.Clone(after)
	want["pub.md"] = want["public.md"]
	delete(want, "public.md")
	want["Box"], want["Box/b.md"] = "folder -rwxr-xr-x", "file -rw-r--r-- b"
	if d := differences(snapshot(v.dir), want); len(d) > 0 {
		t.Error(d)
	}
	if !existsOnDisk(v, ".trash/Box/pay.md") {
		t.Error("the private file is no longer in the trash")
	}
	u, err = v.History.Redo(t.Context())
	if err != nil || len(u.Refused) > 0 {
		t.Errorf("%+v, %v", u, err)
	}
	if d := differences(snapshot(v.dir), after); len(d) > 0 {
		t.Error(d)
	}
	mustTest(t, v.SetPrivate(nil))
	u, err = v.History.Undo(t.Context(), "x")
	if err != nil || len(u.Refused) > 0 || readFromDisk(t, v, "Diary/x.md") != "x" || readFromDisk(t, v, "open.md") != "o" || readFromDisk(t, v, "Box/pay.md") != "pay" || readFromDisk(t, v, "G/pay.md") != "gpay" {
		t.Errorf("%+v, %v", u, err)
	}
}
