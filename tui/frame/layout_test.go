package frame

import (
	"testing"
)

func TestLayoutDropsPartsInOrder(t *testing.T) {
	for h := 1; h <= 60; h++ {
		l := Arrange(80, h, 1, 2, 1, 6)
		if sum := l.Header + l.Transcript + l.Gap + l.Tasks + l.Queue + l.Rule + l.Input + l.Status; sum != h {
			t.Errorf("height %d: the parts take %d lines: %+v", h, sum, l)
		}
		if l.Input < 1 {
			t.Errorf("height %d: no composer", h)
		}
	}
	if l := Arrange(220, 60, 1, 0, 1, 0); l.Width != measure || l.Margin != (220-measure)/2 {
		t.Errorf("a wide screen is not centred: %+v", l)
	}
}
