package cite

import "testing"

func TestWithLine(t *testing.T) {
	at := func(n int, path string, line int, anchor string) Citation {
		return Citation{Number: n, Path: path, Reference: Reference{Line: line, Anchor: anchor}}
	}
	all := []Citation{at(0, "a.md", 0, ""), at(1, "a.md", 12, ""), at(2, "a.md", 0, ""), at(4, "b.md", 3, ""), at(5, "b.md", 0, "#Part"), at(6, "b.md", 7, "")}
	for i, want := range []int{12, 12, 0, 3, 0, 7} {
		if got := WithLine(all, all[i]).Line; got != want {
			t.Errorf("%d: line %d, want %d", i, got, want)
		}
	}
}
