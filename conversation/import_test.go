package conversation

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestImport(t *testing.T) {
	m, own := said(t, "mine")
	tree := &Conversation{ID: "20260101-000000-00000001", Started: at(-500), Title: "A\ntree", Summary: "S", Turns: []Turn{turn("a", at(-500)), turn("b2", at(-490))}}
	for _, b := range []Branch{{Fork: "a", Turns: []Turn{turn("b", at(-495)), turn("c", at(-494))}}, {Turns: []Turn{turn("a0", at(-600))}}} {
		if err := tree.AddBranch(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := tree.AddBranch(Branch{Fork: "z", Turns: []Turn{turn("d", at(0))}}); err == nil {
		t.Error("a branch from nowhere was taken")
	}
	open := &Conversation{ID: "20260101-000000-00000002", Started: at(-400), Turns: []Turn{asking("q", at(-400))}, Compaction: &Compaction{Through: "q", Summary: "S", Time: at(-399)}}
	convs := []*Conversation{tree, open}
	if added, skipped, err := m.Import(convs); added != 2 || skipped != 0 || err != nil {
		t.Fatal(added, skipped, err)
	}
	for _, m := range []*Manager{m, restarted(t, m)} {
		c := get(t, m, tree.ID)
		if got := shape(c); got != "a b2 | a>b,c >a0" || c.Title != "A tree" || c.Summary != "S" || !c.Ended.Equal(at(-490)) || !c.Started.Equal(at(-500)) {
			t.Errorf("%s %+v", got, c)
		}
		c = get(t, m, open.ID)
		if !c.Ended.Equal(at(-400)) || c.PendingQuestion() != nil || compacted(c) != "S:q " {
			t.Errorf("%+v", c)
		}
		if c := active(t, m); c == nil || c.ID != own {
			t.Errorf("active is %v", c)
		}
	}
	convs = append(convs, &Conversation{ID: "20260101-000000-00000003", Started: at(-300), Ended: at(-200), Turns: []Turn{turn("n", at(-300))}})
	if added, skipped, err := restarted(t, m).Import(convs); added != 1 || skipped != 2 || err != nil {
		t.Errorf("again: %d, %d, %v", added, skipped, err)
	}
	if added, _, err := m.Import([]*Conversation{{ID: "20260101-000000-00000004"}, {ID: "../x"}}); added != 1 || err == nil || !strings.Contains(err.Error(), "../x") {
		t.Errorf("%d, %v", added, err)
	}
	if list, err := m.Recent(0); err != nil || len(list) != 4 {
		t.Errorf("%+v, %v", list, err)
	}
	mode := func(name string) os.FileMode {
		info, err := os.Stat(filepath.Join(m.store.root.Name(), name))
		if err != nil {
			t.Fatal(err)
		}
		return info.Mode().Perm()
	}
	if f, d := mode(file(tree.ID)), mode(folder); f != 0o600 || d != 0o700 {
		t.Errorf("modes %v, %v", f, d)
	}
}

// TestExportAndImport: what the records of a conversation say is what it was.
func TestExportAndImport(t *testing.T) {
	m, id := said(t, "a", "b", "c")
	for _, err := range []error{m.Fork(id, "b"), m.Append(id, turn("d", at(9))), m.Fork(id, "d"), m.SetTitle(id, "T", "S")} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := m.End(at(20), "new"); err != nil {
		t.Fatal(err)
	}
	c := get(t, m, id)
	n := NewManager(openRoot(t, memory(t)), Options{})
	if added, _, err := n.Import([]*Conversation{c}); added != 1 || err != nil {
		t.Fatal(added, err)
	}
	d := get(t, n, id)
	if shape(d) != shape(c) || d.Title != "T" || d.Summary != "S" || !d.Ended.Equal(c.Ended) {
		t.Errorf("%s of %+v, was %s", shape(d), d, shape(c))
	}
	if !slices.EqualFunc(d.Turns, c.Turns, func(x, y Turn) bool { return x.ID == y.ID && x.Ended.Equal(y.Ended) }) {
		t.Error("turns differ")
	}
	if d.Last().After(d.Ended.Add(time.Second)) {
		t.Errorf("last %v after its end %v", d.Last(), d.Ended)
	}
}
