package acp

import (
	"testing"

	"chatvault/internal/app/session"
)

// TestAnswered checks that a choice is found after other text, and that nothing else is taken for a choice.
func TestAnswered(t *testing.T) {
	q := session.Question{Asked: true, Options: []string{"Carry it out", "Leave it"}}
	for _, c := range []struct {
		q          session.Question
		text, want string
	}{
		{q, "1", "1"},
		{q, "A note is open.\n\n@[[Home]]\n1", "1"},
		{q, "@[[Home]]\nleave it.\n", "leave it."},
		{q, "@[[Home]]\n3", "@[[Home]]\n3"},
		{q, "1\nbut with figs", "1\nbut with figs"},
		{q, "", ""},
		{session.Question{Asked: true}, "open\n1", "open\n1"},
		{session.Question{Options: q.Options}, "open\n1", "open\n1"},
	} {
		if got := answered(c.q, c.text); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}
