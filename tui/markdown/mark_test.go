package markdown

import (
	"slices"
	"testing"
)

func TestMarks(t *testing.T) {
	for line, want := range map[string][]Mark{
		"See " + openRef(1) + "\x1b[4m日本\x1b[0m" + markEnd + " and " + openRef(2) + "Jam" + markEnd + ".": {{0, 4, 8}, {1, 13, 16}},
		"": nil, "no mark": nil, markStart: {{-1, 0, 0}}, markStart + "x" + markStop + "text" + markEnd: {{-1, 0, 4}},
	} {
		if got := Marks(line); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", line, got, want)
		}
	}
}
