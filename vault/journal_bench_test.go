package vault

import (
	"fmt"
	"testing"
)

// BenchmarkJournalEdit measures an edit without and with a journal.
func BenchmarkJournalEdit(b *testing.B) {
	for _, kept := range []bool{false, true} {
		b.Run(fmt.Sprint("journal=", kept), func(b *testing.B) {
			v := newTest(b, map[string]string{"a.md": "text"})
			if kept {
				keepJournal(b, v)
			}
			for n := 0; b.Loop(); n++ {
				ctx := WithOrigin(b.Context(), Origin{Turn: fmt.Sprint("turn-", n/5), Source: "chat"})
				if _, err := v.Write(ctx, "a.md", fmt.Appendf(nil, "text %d\n", n), ""); err != nil {
					b.Fatal(err)
				}
				if n%5 == 4 {
					mustTest(b, v.History.EndTurn(fmt.Sprint("turn-", n/5)))
				}
			}
		})
	}
}

// BenchmarkJournalRewrites compares the journal's share of a move that rewrites 500 notes of 4 KB with the move
// itself.
func BenchmarkJournalRewrites(b *testing.B) {
	v := newTest(b, map[string]string{"a.md": "text"})
	keepJournal(b, v)
	c := Change{Op: "move", Path: "a.md", NewPath: "b.md"}
	n := 0
	for b.Loop() {
		c.Rewrites = nil
		for range 500 {
			n++
			before, after := fmt.Appendf(nil, "%04096d", n), fmt.Appendf(nil, "%04096d!", n)
			c.Rewrites = append(c.Rewrites, Rewrite{Path: fmt.Sprintf("Folder/Sub/note %d.md", n), Links: 1, Before: before, After: after})
		}
		begun, err := beginChange(b.Context(), v, c, nil)
		mustTest(b, err)
		_ = v.end(b.Context(), begun, "", nil)
	}
}
