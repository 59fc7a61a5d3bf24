package agent

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/conversation"
)

func TestFirstInLine(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	ago := func(d time.Duration) *conversation.StandIn {
		return &conversation.StandIn{For: "a/x", Since: now.Add(-d)}
	}
	names := []string{"a/x", "b/y", "c/z"}
	for _, c := range []struct {
		about    string
		names    []string
		provider string
		standIn  *conversation.StandIn
		chosen   time.Time
		want     int
	}{
		{"nobody stands in", names, "b/y", nil, time.Time{}, 0},
		{"just now", names, "b/y", ago(0), time.Time{}, 1},
		{"the last in line", names, "c/z", ago(time.Minute), time.Time{}, 2},
		{"just below ten minutes", names, "b/y", ago(10*time.Minute - 1), time.Time{}, 1},
		{"ten minutes", names, "b/y", ago(10 * time.Minute), time.Time{}, 0},
		{"the clock went back", names, "b/y", ago(-time.Minute), time.Time{}, 0},
		{"another was chosen", []string{"d/w", "b/y"}, "b/y", ago(0), time.Time{}, 0},
		{"the stand-in was chosen", []string{"b/y", "b/y"}, "b/y", ago(0), time.Time{}, 0},
		{"chosen anew since", names, "b/y", ago(time.Minute), now, 0},
		{"chosen before", names, "b/y", ago(time.Minute), now.Add(-time.Hour), 1},
		{"taken out of the line", []string{"a/x", "c/z"}, "b/y", ago(0), time.Time{}, 0},
		{"its model is not known yet", []string{"a", "b"}, "b/y", ago(0), time.Time{}, 1},
		{"another of the same maker", []string{"a/x1", "b/y"}, "b/y", ago(0), time.Time{}, 0},
	} {
		if got := firstProvider(c.names, conversation.Turn{Provider: c.provider, StandIn: c.standIn}, c.chosen, now); got != c.want {
			t.Errorf("%s: %d, want %d", c.about, got, c.want)
		}
	}
}

func TestStandIn(t *testing.T) {
	then, now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC), time.Date(2026, 11, 22, 12, 5, 0, 0, time.UTC)
	before := &conversation.StandIn{For: "a/x", Since: then}
	for _, c := range []struct {
		about  string
		out    Outcome
		before *conversation.StandIn
		want   *conversation.StandIn
	}{
		{"the chosen one answered", Outcome{Provider: "a/x", Answered: true}, nil, nil},
		{"it answers again", Outcome{Provider: "a/x", Answered: true}, before, nil},
		{"another took over", Outcome{Provider: "b/y", Answered: true, Failed: now}, nil, &conversation.StandIn{For: "a/x", Since: now}},
		{"it failed once more", Outcome{Provider: "b/y", Answered: true, Failed: now}, before, &conversation.StandIn{For: "a/x", Since: now}},
		{"it was not tried", Outcome{Provider: "b/y", Answered: true}, before, before},
		{"all failed", Outcome{Provider: "b/y", Failed: now}, nil, nil},
		{"the one in its place failed, too", Outcome{Provider: "a/x", Failed: now}, before, nil},
		{"none was called", Outcome{}, before, before},
		{"it stood in for another", Outcome{Provider: "b/y", Answered: true}, &conversation.StandIn{For: "d/w", Since: then}, nil},
	} {
		got := standIn("a/x", c.out, c.before)
		if (got == nil) != (c.want == nil) || got != nil && *got != *c.want {
			t.Errorf("%s: %+v, want %+v", c.about, got, c.want)
		}
	}
}

// The provider that took over answers the rest of the conversation; the one that was chosen is tried
// again at the beginning of a turn, ten minutes later, and at once where it is chosen again or the
// conversation is another.
func TestStandInAnswersTheConversation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := failWith(llm.Error{Kind: llm.KindAuth, Status: 401, Message: "bad key"})
		second := &fakeModel{t: t, replies: []reply{say("two")}}
		root := state(t)
		h := start(t, root, box(), down, say("one"), down, say("one"))
		defer h.stop()
		h.opt.Fallback = []llm.Provider{named{second, "second"}}
		var told []string
		ask := func() string {
			h.send("go on")
			f := wait[event.TurnFinished](h)
			for _, e := range h.seen {
				switch e := e.(type) {
				case event.FellBack:
					what := "fell back to " + e.To
					if e.Earlier {
						what = "still " + e.To
					}
					told = append(told, what)
				case event.Notice:
					told = append(told, e.Text)
				}
			}
			h.seen = nil
			return f.Response
		}
		step := func(after time.Duration, answer string, calls int, want ...string) {
			t.Helper()
			time.Sleep(after)
			told = nil
			if got := ask(); got != answer || len(h.model.calls()) != calls || !slices.Equal(told, want) {
				t.Errorf("answered %q after %d calls of the first, told %q; want %q after %d, told %q", got, len(h.model.calls()), told, answer, calls, want)
			}
		}
		const took = "fake failed (auth_error (HTTP 401): bad key). second takes over."
		step(0, "two", 1, "fell back to second", took)
		step(5*time.Minute, "two", 1, "still second")
		step(4*time.Minute, "two", 1, "still second")
		step(time.Minute, "one", 2, "fake answers again.")
		step(0, "two", 3, "fell back to second", took)
		time.Sleep(time.Second)
		h.SetProvider(h.model)
		step(0, "one", 4, "fake answers again.")
	})
}
