package provider

import (
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	for _, c := range []struct{ effort, can, want string }{
		{"high", "low medium high", "high"},
		{"xhigh", "low medium high", "high"},
		{"max", "none low medium high xhigh", "xhigh"},
		{"minimal", "none low medium high", "low"}, // not off
		{"medium", "low high max", "low"},          // of two the lower
		{"xhigh", "high max", "high"},
		{"none", "minimal low", "minimal"},
		{"low", "none high", "high"},
		{"low", "none", "none"},
		{"none", "none low", "none"},
	} {
		if got := nearest(c.effort, strings.Fields(c.can)); got != c.want {
			t.Errorf("%s of %s: %s, not %s", c.effort, c.can, got, c.want)
		}
	}
}
