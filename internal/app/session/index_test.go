package session

import (
	"testing"
)

func TestCollectPercent(t *testing.T) {
	for _, c := range []struct {
		text int64
		user string
		want int
		ok   bool
	}{
		{0, "", 100, true},
		{16 << 20, "", 50, true},
		{48 << 20, "", 25, true},
		{64 << 20, "", 20, true},
		{64 << 20, "100", 0, false},
		{64 << 20, "off", 0, false},
	} {
		if got, ok := collectPercent(c.text, c.user); got != c.want || ok != c.ok {
			t.Errorf("%d bytes of text, GOGC %q: %d %v", c.text, c.user, got, ok)
		}
	}
}
