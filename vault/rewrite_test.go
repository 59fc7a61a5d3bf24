package vault

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// rewriteOf returns the request that replaces a by b in files.
func rewriteOf(t testing.TB, v *Vault, names ...string) Request {
	t.Helper()
	r := Request{Op: OpRewrite}
	for _, name := range names {
		text := readFromDisk(t, v, name)
		r.Rewrites = append(r.Rewrites, Rewrite{Path: name, NewPath: name, Links: 1, Before: []byte(text), After: []byte(strings.ReplaceAll(text, "a", "b"))})
	}
	return r
}

// TestRewriteLeavesWhatChanged: of files rewritten together, those that cannot be written or that changed since the
// plan are left and named; the others are one change, which one undo restores.
func TestRewriteLeavesWhatChanged(t *testing.T) {
	v := journaledTest(t, map[string]string{"a.md": "a1", "b.md": "a2", "c.md": "a3", "ro.md": "a4", "Diary/d.md": "a5"})
	r := rewriteOf(t, v, "a.md", "b.md", "c.md", "ro.md", "Diary/d.md")
	mustTest(t, os.Chmod(filepath.Join(v.dir, "ro.md"), 0o444))
	mustTest(t, v.SetPrivate([]string{"Diary"}))
	ctx := inTurn(t, "one")
	plan, err := v.Plan(ctx, r)
	mustTest(t, err)
	if n := len(plan.Change.Rewrites); n != 3 || len(plan.Change.Refused) != 2 {
		t.Fatalf("the plan has %d files and leaves %+v", n, plan.Change.Refused)
	}
	mustTest(t, os.WriteFile(filepath.Join(v.dir, "b.md"), []byte("theirs a"), 0o644))
	mustTest(t, os.Chmod(filepath.Join(v.dir, "ro.md"), 0o644)) // it was not shown, so it stays
	c, err := v.Commit(ctx, plan, nil)
	mustTest(t, err)
	if len(c.Rewrites) != 2 || len(c.Refused) != 3 {
		t.Errorf("%d files were rewritten; left: %+v", len(c.Rewrites), c.Refused)
	}
	mustTest(t, v.History.EndTurn("one"))
	want := map[string]string{"a.md": "b1", "b.md": "theirs a", "c.md": "b3", "ro.md": "a4", "Diary/d.md": "a5"}
	for name, text := range want {
		if got := readFromDisk(t, v, name); got != text {
			t.Errorf("%s holds %q, want %q", name, got, text)
		}
	}
	if n := len(lastChange(t, v).Files); n != 2 {
		t.Errorf("the change has %d files", n)
	}
	_, err = v.History.Undo(t.Context(), "")
	mustTest(t, err)
	if readFromDisk(t, v, "a.md") != "a1" || readFromDisk(t, v, "c.md") != "a3" {
		t.Error("it was not undone")
	}
	c, err = v.Do(t.Context(), Request{Op: OpRewrite, Rewrites: r.Rewrites[1:2]}, nil)
	if err != nil || c.Op != "" || len(c.Refused) != 1 {
		t.Errorf("nothing is left to write: %+v, %v", c, err)
	}
}

// TestRewriteFollowsHeadings: links to the headings that a change of many notes renames follow in the same change, in
// the notes of the request and in others; a note that is left keeps its heading and the links to it.
func TestRewriteFollowsHeadings(t *testing.T) {
	before := map[string]string{
		"1.md": "# a\n\n[[2#a]] [[#a]]\n", "2.md": "# a\n\n# b\n", "ro.md": "# a\n", "x.md": "[[1#a]] [[2#a]] [[2#b]] [[ro#a]]\n",
		"c.canvas": `{"nodes":[{"id":"1","type":"file","file":"2.md","subpath":"#a"}]}`,
	}
	after := map[string]string{
		"1.md": "# c\n\n[[2#c]] [[#c]]\n", "2.md": "# c\n\n# b\n", "ro.md": "# a\n", "x.md": "[[1#c]] [[2#c]] [[2#b]] [[ro#a]]\n",
		"c.canvas": `{"nodes":[{"id":"1","type":"file","file":"2.md","subpath":"#c"}]}`,
	}
	v := journaledTest(t, before)
	mustTest(t, os.Chmod(filepath.Join(v.dir, "ro.md"), 0o444))
	r := Request{Op: OpRewrite, Rewrites: []Rewrite{{Path: "1.md", NewPath: "1.md", Links: 1}, {Path: "2.md", NewPath: "2.md", Links: 2}, {Path: "ro.md", NewPath: "ro.md", Links: 1}}}
	for i, text := range []string{"# c\n\n[[2#a]] [[#a]]\n", "# c\n\n# b\n", "# c\n"} {
		w := &r.Rewrites[i]
		w.Before, w.After = []byte(before[w.Path]), []byte(text)
	}
	plan, err := v.Plan(t.Context(), r)
	mustTest(t, err)
	_, err = v.Commit(inTurn(t, "one"), plan, nil)
	mustTest(t, err)
	mustTest(t, v.History.EndTurn("one"))
	check := func(want map[string]string) {
		t.Helper()
		for name, text := range want {
			if got := readFromDisk(t, v, name); got != text {
				t.Errorf("%s holds %q, want %q", name, got, text)
			}
		}
	}
	check(after)
	_, err = v.History.Undo(t.Context(), "")
	mustTest(t, err)
	check(before)
	_, err = v.Do(inTurn(t, "two"), r, nil)
	mustTest(t, err)
	check(after)
}

// TestRedoNamesTheNote: undone and redone, a change with links in other notes names the note that was changed.
func TestRedoNamesTheNote(t *testing.T) {
	v := journaledTest(t, map[string]string{"n.md": "# a\n\nx\n", "a.md": "[[n#a]]\n"})
	_, err := v.Do(inTurn(t, "one"), Request{Op: OpWrite, Path: "n.md", Data: []byte("x\n"), Section: &Section{End: 4, To: "m.md", Host: []byte{}, Text: []byte("# a\n")}}, nil)
	mustTest(t, err)
	mustTest(t, v.History.EndTurn("one"))
	for i, back := range []func() (Undone, error){
		func() (Undone, error) { return v.History.Undo(t.Context(), "") },
		func() (Undone, error) { return v.History.Redo(t.Context()) },
	} {
		done, err := back()
		mustTest(t, err)
		if got := strings.Join(done.Lines, "; "); got != "restored n.md, with 1 link in 1 note" {
			t.Errorf("%d: %s", i, got)
		}
	}
}

// TestUndoOfTheRest: what an undo left is undone later, though an older turn was undone since in the files it restored.
func TestUndoOfTheRest(t *testing.T) {
	v := journaledTest(t, map[string]string{"a.md": "0", "b.md": "0a"})
	_, err := v.Write(inTurn(t, "one"), "b.md", []byte("1a"), "")
	mustTest(t, err)
	mustTest(t, v.History.EndTurn("one"))
	_, err = v.Do(inTurn(t, "two"), Request{Op: OpRewrite, Rewrites: []Rewrite{{Path: "a.md", NewPath: "a.md", Before: []byte("0"), After: []byte("2")}, {Path: "b.md", NewPath: "b.md", Before: []byte("1a"), After: []byte("1b")}}}, nil)
	mustTest(t, err)
	mustTest(t, v.History.EndTurn("two"))
	mustTest(t, os.WriteFile(filepath.Join(v.dir, "a.md"), []byte("mine"), 0o644))
	done, err := v.History.UndoSince(t.Context(), time.Now().Add(-time.Hour))
	mustTest(t, err)
	for _, u := range done {
		for _, no := range u.Refused {
			if no.Path != "a.md" {
				t.Errorf("%+v", no)
			}
		}
	}
	mustTest(t, os.WriteFile(filepath.Join(v.dir, "a.md"), []byte("2"), 0o644))
	done, err = v.History.UndoSince(t.Context(), time.Now().Add(-time.Hour))
	mustTest(t, err)
	if len(done) != 1 || len(done[0].Refused) > 0 || readFromDisk(t, v, "a.md") != "0" || readFromDisk(t, v, "b.md") != "0a" {
		t.Errorf("%+v", done)
	}
}

// TestUndoSince: turns that changed a file in turn are undone together, back to the time; what is older stays, what a
// person changed since is left.
func TestUndoSince(t *testing.T) {
	v := journaledTest(t, map[string]string{"a.md": "0", "b.md": "0", "p.md": "0"})
	set := func(turn, name, text string) time.Time {
		t.Helper()
		time.Sleep(2 * time.Millisecond)
		_, err := v.Write(inTurn(t, turn), name, []byte(text), "")
		mustTest(t, err)
		time.Sleep(2 * time.Millisecond)
		return time.Now()
	}
	from := set("one", "a.md", "1")
	set("one", "b.md", "1") // a turn that began before
	set("two", "a.md", "2")
	set("one", "a.md", "3")
	set("two", "p.md", "2")
	if _, err := v.History.UndoSince(t.Context(), from); err == nil {
		t.Error("a turn was undone that has not ended")
	}
	mustTest(t, v.History.EndTurn("one"))
	mustTest(t, v.History.EndTurn("two"))
	mustTest(t, os.WriteFile(filepath.Join(v.dir, "p.md"), []byte("mine"), 0o644))
	turns, err := v.History.Turns(t.Context(), 0)
	mustTest(t, err)
	if list := Since(turns, from); len(list) != 2 || len(list[0].Changes)+len(list[1].Changes) != 4 {
		t.Errorf("since then: %+v", list)
	}
	done, err := v.History.UndoSince(t.Context(), from)
	mustTest(t, err)
	refused := 0
	for _, u := range done {
		refused += len(u.Refused)
	}
	if len(done) != 2 || refused != 1 {
		t.Errorf("%+v", done)
	}
	for name, text := range map[string]string{"a.md": "1", "b.md": "0", "p.md": "mine"} {
		if got := readFromDisk(t, v, name); got != text {
			t.Errorf("%s holds %q, want %q", name, got, text)
		}
	}
	for range done {
		_, err = v.History.Redo(context.Background())
		mustTest(t, err)
	}
}
