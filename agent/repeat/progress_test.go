package repeat

import "testing"

func TestJudge(t *testing.T) {
	for _, c := range []struct {
		name string
		step Reply
		want Verdict
	}{
		{"an answer", Reply{Answer: true}, Complete},
		{"an answer after a nudge", Reply{Answer: true, Empty: 0, Told: true}, Complete},
		{"nothing, once", Reply{Empty: 1}, Nudge},
		{"nothing, twice", Reply{Empty: 2}, Stuck},
		{"nothing, again and again", Reply{Empty: 3}, Stuck},
		{"nothing after a message to the user", Reply{Told: true, Empty: 1}, Complete},
		{"nothing where no further call is allowed", Reply{Last: true, Empty: 1}, Complete},
	} {
		if got := After(c.step); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
