package goal

import (
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"chatvault/agent/event"
	"chatvault/agent/inbox"
)

var midday = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func TestGoalAfterTurn(t *testing.T) {
	done := func(e TurnEnd) TurnEnd { e.Worked, e.Reason = true, event.StopCompleted; return e }
	for _, c := range []struct {
		name   string
		end    TurnEnd
		status event.GoalStatus
		why    string
		turns  int
		due    bool
	}{
		{"answered", done(TurnEnd{}), event.GoalActive, "", 1, true},
		{"at the limit of tool calls", TurnEnd{Worked: true, Reason: event.StopToolLimit}, event.GoalActive, "", 1, true},
		{"going round in circles", TurnEnd{Worked: true, Reason: event.StopLoop}, event.GoalActive, "", 1, true},
		{"without an answer", TurnEnd{Worked: true, Reason: event.StopNoProgress}, event.GoalActive, "", 1, true},
		{"asked the user", TurnEnd{Worked: true, Reason: event.StopWaiting}, event.GoalActive, "", 1, false},
		{"over its budget", TurnEnd{Worked: true, Reason: event.StopBudget}, event.GoalPaused, WhyBudget, 1, false},
		{"stopped", TurnEnd{Worked: true, Stopped: true}, event.GoalPaused, WhyStopped, 0, false},
		{"another turn stopped", TurnEnd{Stopped: true}, event.GoalPaused, WhyStopped, 0, false},
		{"failed", TurnEnd{Worked: true, Failed: "no network"}, event.GoalPaused, "the turn failed: no network", 0, false},
		{"another turn failed", TurnEnd{Failed: "no network"}, event.GoalActive, "", 0, false},
		{"about something sent before the goal", TurnEnd{Reason: event.StopCompleted}, event.GoalActive, "", 0, false},
		{"a plan is pending", done(TurnEnd{Left: true}), event.GoalPaused, WhyPlan, 0, false},
	} {
		g := New("tag all notes", 10, midday).AfterTurn(c.end, midday)
		if g.Status != c.status || g.Why != c.why || g.Turns != c.turns || g.Due != c.due {
			t.Errorf("%s: %+v due %v", c.name, g.Goal, g.Due)
		}
	}
	for _, g := range []Run{{}, New("x", 1, midday).Pause("why", midday), New("x", 1, midday).AfterCheck(Verdict{Met: true}, midday)} {
		if after := g.AfterTurn(done(TurnEnd{}), midday); after.Goal != g.Goal {
			t.Errorf("without an active goal, %+v became %+v", g.Goal, after.Goal)
		}
	}
}

func TestGoalAfterCheck(t *testing.T) {
	turn := func(g Run) Run {
		return g.AfterTurn(TurnEnd{Worked: true, Reason: event.StopCompleted}, midday)
	}
	not := Verdict{Why: "b.md has none"}
	expect := func(g Run, status event.GoalStatus, why string) {
		t.Helper()
		if g.Status != status || g.Why != why || g.Due {
			t.Errorf("%s (%s), due %v; want %s (%s)", g.Status, g.Why, g.Due, status, why)
		}
	}
	one := turn(New("tag all", 3, midday))
	expect(one.AfterCheck(Verdict{Met: true, Why: "all have tags"}, midday), event.GoalMet, "all have tags")
	expect(one.AfterCheck(not, midday), event.GoalActive, "b.md has none")
	expect(one.AfterCheck(Verdict{Unknown: true}, midday), event.GoalPaused, WhyUnknown)
	two := turn(one.AfterCheck(not, midday))
	g := turn(two.AfterCheck(not, midday)).AfterCheck(not, midday)
	expect(g, event.GoalPaused, "it reached its limit of turns (goal_max_turns = 3); not met yet: b.md has none")
	expect(turn(two.AfterCheck(not, midday)).AfterCheck(Verdict{Met: true}, midday), event.GoalMet, "")
	again := g.Resume(midday)
	if again.Status != event.GoalActive || again.Why != "" || !again.Due || again.Turns != 0 || again.Set != g.Set {
		t.Errorf("resumed: %+v", again)
	}
}

func TestGoalMessages(t *testing.T) {
	g := New("tag all", 10, midday)
	early := event.Inbound{Text: "hello", Source: event.SourceDirect, Time: midday.Add(-time.Second)}
	late := event.Inbound{Text: "hello", Source: event.SourceDirect, Time: midday.Add(time.Second)}
	for _, c := range []struct {
		name    string
		message event.Inbound
		works   bool // toward the goal set at midday
		resumes bool // the goal paused at midday
	}{
		{"sent before", early, false, false},
		{"sent after", late, true, true},
		{"the goal itself", event.Inbound{Text: "tag all", Source: event.SourceDirect, Time: early.Time}, true, false},
		{"routed", event.Inbound{Text: "hello", Source: event.SourceWebSocket, Time: late.Time}, false, false},
		{"to go on", event.Inbound{Text: "go on", Source: event.SourceGoal, Time: late.Time}, true, true},
		{"to go on, from before", event.Inbound{Text: "go on", Source: event.SourceGoal, Time: early.Time}, false, true},
		{"for a plan", event.Inbound{Text: "hello", Source: event.SourceDirect, Time: late.Time, Mode: event.ModePlan}, true, false},
	} {
		if got := g.WorksOn(c.message); got != c.works {
			t.Errorf("%s: works on the goal: %v", c.name, got)
		}
		if got := g.Pause("x", midday).ResumedIn("c", inbox.Entry{Inbound: c.message}); got != c.resumes {
			t.Errorf("%s: resumes the goal: %v", c.name, got)
		}
	}
	if (Run{}).ResumedIn("c", inbox.Entry{Inbound: late}) || g.ResumedIn("c", inbox.Entry{Inbound: late}) {
		t.Error("a message resumes a goal that is not paused")
	}
	if got := g.NextText(); got != "Keep working toward the goal." {
		t.Error(got)
	}
	if got := g.AfterCheck(Verdict{Why: "b.md has none"}, midday).NextText(); got != "Keep working toward the goal. Not met yet: b.md has none" {
		t.Error(got)
	}
}

// TestGoalEnds: in any sequence of events, work toward a goal ends: it is met, or paused after the maximum number of
// turns, and only the user resumes it.
func TestGoalEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 12).Draw(t, "limit")
		g := New("x", limit, midday)
		for turns := 0; g.InProgress(); turns++ {
			if turns > limit {
				t.Fatalf("%d turns of %d", turns, limit)
			}
			reason := rapid.SampledFrom([]event.StopReason{event.StopCompleted, event.StopToolLimit, event.StopLoop, event.StopNoProgress}).Draw(t, "reason")
			before := g
			g = g.AfterTurn(TurnEnd{
				Reason: reason, Worked: true,
			}, midday)
			if !g.Due || before.Turns+1 != g.Turns {
				t.Fatalf("after a turn: %+v", g)
			}
			g.Status = event.GoalChecking
			g = g.AfterCheck(Verdict{Unknown: rapid.Bool().Draw(t, "unknown"), Why: rapid.String().Draw(t, "why")}, midday)
			if g.Due || g.Status == event.GoalChecking || utf8.RuneCountInString(g.Why) > maxWhy {
				t.Fatalf("after a check: %+v", g)
			}
		}
		if after := g.AfterCheck(Verdict{Met: true}, midday); after.Goal != g.Goal {
			t.Fatalf("a check changed an inactive goal: %+v", after)
		}
	})
}
