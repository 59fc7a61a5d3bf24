package transcript

import (
	"strings"
	"testing"
)

func TestCutLine(t *testing.T) {
	for _, line := range []string{"", "short", strings.Repeat("\x80", 3*MaxLine), strings.Repeat("é", MaxLine)} {
		n := 0
		for rest := line; rest != ""; n++ {
			part := cutLine(rest)
			if part == "" || len(part) > MaxLine {
				t.Fatalf("%d bytes of %.20q", len(part), line)
			}
			rest = rest[len(part):]
		}
		if n > 4 {
			t.Errorf("%d parts of %.20q", n, line)
		}
	}
}
