package markdown

import "testing"

func TestMarkAt(t *testing.T) {
	line := "See " + openRef(1) + "\x1b[4m日本\x1b[0m" + markEnd + " and " + openRef(2) + "Jam" + markEnd + "."
	for cell, want := range []int{-1, -1, -1, -1, 0, 0, 0, 0, -1, -1, -1, -1, -1, 1, 1, 1, -1, -1} {
		if got := MarkAt(line, cell); got != want {
			t.Errorf("cell %d: %d, want %d", cell, got, want)
		}
	}
	for _, line := range []string{"", "no mark", markStart, markStart + "x" + markStop + "text" + markEnd} {
		if got := MarkAt(line, 0); got != -1 {
			t.Errorf("%q: %d", line, got)
		}
	}
}
