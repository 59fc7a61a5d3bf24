package trash

import (
	"strings"
	"testing"
)

func TestNumbered(t *testing.T) {
	long := strings.Repeat("é", 127) + ".md" // 257 bytes with its extension
	for _, c := range []struct {
		name   string
		number int
		folder bool
		want   string
	}{
		{"a.md", 0, false, "a.md"},
		{"a.md", 2, false, "a 2.md"},
		{"v1.2", 1, true, "v1.2 1"},
		{"README", 1, false, "README 1"},
		{long, 3, false, strings.Repeat("é", 120) + " 3.md"},
	} {
		if got := numbered(c.name, c.number, c.folder); got != c.want || len(got)+len(".trashinfo") > 255 {
			t.Errorf("numbered(%q, %d) = %q", c.name, c.number, got)
		}
	}
}
