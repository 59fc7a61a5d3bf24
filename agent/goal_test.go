package agent

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"chatvault/agent/event"

	"pgregory.net/rapid"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func TestGoalAfterTurn(t *testing.T) {
	done := func(e goalEnd) goalEnd { e.Worked, e.Reason = true, event.StopCompleted; return e }
	for _, c := range []struct {
		name   string
		end    goalEnd
		status event.GoalStatus
		why    string
		turns  int
		due    bool
	}{
		{"answered", done(goalEnd{Acted: true, Said: "Tagged two notes."}), event.GoalActive, "", 1, true},
		{"at the limit of tool calls", goalEnd{Worked: true, Reason: event.StopToolLimit, Acted: true}, event.GoalActive, "", 1, true},
		{"going round in circles", goalEnd{Worked: true, Reason: event.StopLoop, Acted: true}, event.GoalActive, "", 1, true},
		{"without an answer", goalEnd{Worked: true, Reason: event.StopNoProgress}, event.GoalActive, "", 1, true},
		{"asked the user", goalEnd{Worked: true, Reason: event.StopWaiting}, event.GoalActive, "", 1, false},
		{"over its budget", goalEnd{Worked: true, Reason: event.StopBudget}, event.GoalPaused, goalBudgetWhy, 1, false},
		{"stopped", goalEnd{Worked: true, Stopped: true}, event.GoalPaused, goalStoppedWhy, 0, false},
		{"another one stopped", goalEnd{Stopped: true}, event.GoalPaused, goalStoppedWhy, 0, false},
		{"failed", goalEnd{Worked: true, Failed: "no network"}, event.GoalPaused, "the turn failed: no network", 0, false},
		{"another one failed", goalEnd{Failed: "no network"}, event.GoalActive, "", 0, false},
		{"about something sent before the goal", goalEnd{Reason: event.StopCompleted}, event.GoalActive, "", 0, false},
		{"a plan was left", done(goalEnd{Left: true}), event.GoalPaused, goalPlanWhy, 0, false},
	} {
		g := newGoal("tag all notes", 10, noon).afterTurn(c.end, noon)
		if g.Status != c.status || g.Why != c.why || g.Turns != c.turns || g.due != c.due {
			t.Errorf("%s: %+v due %v", c.name, g.Goal, g.due)
		}
	}
	for _, g := range []goalRun{{}, newGoal("x", 1, noon).paused("why", noon), newGoal("x", 1, noon).afterCheck(goalVerdict{Clear: true, Met: true}, noon)} {
		if after := g.afterTurn(done(goalEnd{Acted: true}), noon); after.Goal != g.Goal {
			t.Errorf("nothing is pursued, and %+v became %+v", g.Goal, after.Goal)
		}
	}
}

func TestGoalAfterCheck(t *testing.T) {
	turn := func(g goalRun, said string, acted bool) goalRun {
		return g.afterTurn(goalEnd{Worked: true, Own: g.Turns > 0, Reason: event.StopCompleted, Said: said, Acted: acted}, noon)
	}
	not := goalVerdict{Clear: true, Why: "b.md has none"}
	expect := func(g goalRun, status event.GoalStatus, why string) {
		t.Helper()
		if g.Status != status || g.Why != why || g.due {
			t.Errorf("%s (%s), due %v; want %s (%s)", g.Status, g.Why, g.due, status, why)
		}
	}
	one := turn(newGoal("tag all", 3, noon), "Tagged a.md.", true)
	expect(one.afterCheck(goalVerdict{Clear: true, Met: true, Why: "all have tags"}, noon), event.GoalMet, "all have tags")
	expect(one.afterCheck(not, noon), event.GoalActive, "b.md has none")
	expect(one.afterCheck(goalVerdict{}, noon), event.GoalActive, "the check gave no clear answer")
	two := turn(one.afterCheck(goalVerdict{}, noon), "Tagged b.md.", true)
	expect(two.afterCheck(goalVerdict{}, noon), event.GoalPaused, goalUnclearWhy)
	expect(turn(two.afterCheck(not, noon), "Tagged c.md.", true).afterCheck(not, noon), event.GoalPaused,
		"it reached its limit of turns (goal_max_turns = 3); not met yet: b.md has none")
	expect(turn(two.afterCheck(not, noon), "Tagged c.md.", true).afterCheck(goalVerdict{Clear: true, Met: true}, noon), event.GoalMet, "")

	// Words alone, and the same again and again.
	g := newGoal("tag all", 10, noon)
	for i, said := range []string{"I will tag all your notes now.", "I will now tag all of your notes."} {
		g = turn(g, said, false).afterCheck(not, noon)
		if i == 0 {
			expect(g, event.GoalActive, "b.md has none")
		}
	}
	expect(g, event.GoalActive, "b.md has none") // the first said something new
	g = turn(g, "", false).afterCheck(not, noon)
	expect(g, event.GoalPaused, goalIdleWhy+"; not met yet: b.md has none")
	again := g.resumed(noon)
	if again.Status != event.GoalActive || again.Why != "" || !again.due || again.Turns != 0 || again.idle != 0 || again.Set != g.Set {
		t.Errorf("resumed: %+v", again)
	}
	// What the user says meanwhile is no turn that brought nothing new, and does not undo one.
	users := func(g goalRun) goalRun {
		return g.afterTurn(goalEnd{Worked: true, Reason: event.StopCompleted}, noon).afterCheck(not, noon)
	}
	g = turn(newGoal("x", 10, noon), "", false).afterCheck(not, noon)
	for range 3 {
		g = users(g)
	}
	g = users(turn(g, "", false).afterCheck(not, noon))
	expect(g, event.GoalActive, "b.md has none")
	expect(turn(g, "", false).afterCheck(not, noon), event.GoalPaused, goalIdleWhy+"; not met yet: b.md has none")
	// A tool, or something new, begins the count anew.
	g = turn(newGoal("x", 10, noon), "", false).afterCheck(not, noon)
	g = turn(g, "", true).afterCheck(not, noon)
	g = turn(g, "", false).afterCheck(not, noon)
	g = turn(g, "The chapter on gardens begins with soil, seeds and patience.", false).afterCheck(not, noon)
	g = turn(g, "", false).afterCheck(not, noon)
	expect(g, event.GoalActive, "b.md has none")
}

func TestGoalMessages(t *testing.T) {
	g := newGoal("tag all", 10, noon)
	early := event.Inbound{Text: "hello", Source: event.SourceDirect, Time: noon.Add(-time.Second)}
	late := event.Inbound{Text: "hello", Source: event.SourceDirect, Time: noon.Add(time.Second)}
	for _, c := range []struct {
		name    string
		message event.Inbound
		works   bool // toward the goal set at noon
		resumes bool // the goal paused at noon
	}{
		{"sent before", early, false, false},
		{"sent after", late, true, true},
		{"the goal itself", event.Inbound{Text: "tag all", Source: event.SourceDirect, Time: early.Time}, true, false},
		{"routed", event.Inbound{Text: "hello", Source: event.SourceWebSocket, Time: late.Time}, false, false},
		{"to go on", event.Inbound{Text: "go on", Source: event.SourceGoal, Time: late.Time}, true, true},
		{"to go on, from before", event.Inbound{Text: "go on", Source: event.SourceGoal, Time: early.Time}, false, true},
		{"for a plan", event.Inbound{Text: "hello", Source: event.SourceDirect, Time: late.Time, Mode: event.ModePlan}, true, false},
	} {
		if got := g.worksOn(c.message); got != c.works {
			t.Errorf("%s: works on it %v", c.name, got)
		}
		if got := g.paused("x", noon).resumedBy(c.message); got != c.resumes {
			t.Errorf("%s: resumes it %v", c.name, got)
		}
	}
	if (goalRun{}).resumedBy(late) || g.resumedBy(late) {
		t.Error("a message resumes what is not paused")
	}
	if got := g.nextText(); got != "Go on toward the goal." {
		t.Error(got)
	}
	if got := g.afterCheck(goalVerdict{Clear: true, Why: "b.md has none"}, noon).nextText(); got != "Go on toward the goal. Not met yet: b.md has none" {
		t.Error(got)
	}
}

// Whatever happens, work toward a goal ends: it is met or paused after at most so many turns,
// and nothing but the user makes it go on.
func TestGoalEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 12).Draw(t, "limit")
		g := newGoal("x", limit, noon)
		for turns := 0; g.InProgress(); turns++ {
			if turns > limit {
				t.Fatalf("%d turns of %d", turns, limit)
			}
			reason := rapid.SampledFrom([]event.StopReason{event.StopCompleted, event.StopToolLimit, event.StopLoop, event.StopNoProgress}).Draw(t, "reason")
			before := g
			g = g.afterTurn(goalEnd{
				Reason: reason, Worked: true, Acted: rapid.Bool().Draw(t, "acted"), Said: rapid.StringN(0, 40, -1).Draw(t, "said"),
			}, noon)
			if !g.due || before.Turns+1 != g.Turns {
				t.Fatalf("after a turn: %+v", g)
			}
			g.Status = event.GoalChecking
			g = g.afterCheck(goalVerdict{Clear: rapid.Bool().Draw(t, "clear"), Why: rapid.String().Draw(t, "why")}, noon)
			if g.due || g.Status == event.GoalChecking || utf8.RuneCountInString(g.Why) > maxGoalWhy {
				t.Fatalf("after a check: %+v", g)
			}
			if len(g.said) > maxGoalSaid {
				t.Fatalf("%d turns are remembered", len(g.said))
			}
		}
		if after := g.afterCheck(goalVerdict{Clear: true, Met: true}, noon); after.Goal != g.Goal {
			t.Fatalf("a check changed a goal nobody works toward: %+v", after)
		}
	})
}

func TestSaysNew(t *testing.T) {
	before := []map[string]bool{wordsOf("I tagged the first note and will go on with the second one.")}
	for text, want := range map[string]bool{
		"":                                   false,
		"I will go on with the second note.": false,
		"I tagged THE first note — and will go on.":              false,
		"The bakery opens at eight, the library closes at noon.": true,
		"Done now":                               false,
		strings.Repeat("word", 3) + " more text": true,
	} {
		if got := saysNew(wordsOf(text), before); got != want {
			t.Errorf("%q says something new: %v", text, got)
		}
	}
	if !saysNew(wordsOf("Ok"), nil) || saysNew(wordsOf("…"), nil) {
		t.Error("the first turn")
	}
}
