package tui

import "testing"

// TestPickAmongNumbers: the text sent for an option picks that option, even if options are numbers.
func TestPickAmongNumbers(t *testing.T) {
	p := &pick{options: []string{"2", "4", "6", "1"}}
	for n := range p.options {
		if i, ok := p.number(p.words(n)); !ok || i != n {
			t.Errorf("option %d is sent as %q, which is option %d", n+1, p.words(n), i+1)
		}
	}
	if i, ok := p.number("2"); !ok || i != 1 {
		t.Errorf("2 is option %d", i+1)
	}
}
