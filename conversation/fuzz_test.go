package conversation

import (
	"testing"
)

// FuzzFile: no file content causes a panic, every turn can be reached, and writing the conversation again
// round-trips.
func FuzzFile(f *testing.F) {
	c := &Conversation{ID: "20260302-120000-00000000", Started: noon, Turns: []Turn{turn("a", at(1)), asking("b", at(2))}, Title: "T", Summary: "S"}
	if err := c.AddBranch(Branch{Fork: "a", Turns: []Turn{failing("x", at(3)), turn("x", at(4))}}); err != nil {
		f.Fatal(err)
	}
	whole, err := encode(c.records())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add(append(whole[len(whole)/2:], whole...))
	f.Add([]byte(`{"type":"turn","turn":{"id":"a"}}` + "\n" + `{"type":"head","turn":"a","nth":9}` + "\n" + `{"type":"compaction","compaction":{"through":"a","summary":"s"}}` + "\n" + `{"type":"stale","turn":"a"}` + "\n" + `{"type":"ended"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, _, err := parse("20260302-120000-00000000", data)
		if err != nil {
			return // a later version wrote it
		}
		seen := map[int]bool{}
		for _, n := range c.tree.path(c.tree.head) {
			seen[n] = true
		}
		for _, leaf := range c.tree.leaves() {
			for _, n := range c.tree.path(leaf) {
				seen[n] = true
			}
		}
		if len(seen) != len(c.tree.nodes) || len(c.Turns) != len(c.tree.path(c.tree.head)) {
			t.Fatalf("%d of %d turns can be reached", len(seen), len(c.tree.nodes))
		}
		for _, b := range c.Branches() {
			if b.leaf == 0 {
				t.Fatalf("branch %q cannot be switched to", b.ID)
			}
		}
		_, _, _ = c.Entry(), c.PendingQuestion(), c.Compacted()
		lines, err := encode(c.records())
		if err != nil {
			return // JSON cannot represent the time
		}
		d, bad, err := parse(c.ID, lines)
		if err != nil || len(bad) > 0 || shape(d) != shape(c) || d.Ended.IsZero() {
			t.Fatalf("%q again is %q; bad lines: %q", shape(c), shape(d), bad)
		}
	})
}
