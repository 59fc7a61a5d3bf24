package tui

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"chatvault/agent/event"
	"chatvault/internal/app/session"
	"chatvault/tui/chat"
)

// goals is a fake goal.
type goals struct {
	set     []string
	resumed int
	err     error
}

func (g *goals) options(o *Options) {
	goalOf(o).set = func(text string) (event.Goal, error) {
		g.set = append(g.set, text)
		return event.Goal{Text: text, Status: event.GoalActive, MaxTurns: 10}, g.err
	}
	goalOf(o).resume = func() error {
		g.resumed++
		return g.err
	}
}

func TestGoalText(t *testing.T) {
	t.Parallel()
	g := func(status event.GoalStatus, why string) event.Goal {
		return event.Goal{Text: "tidy", Status: status, Why: why, Turns: 3, MaxTurns: 10}
	}
	for _, tt := range []struct {
		g    event.Goal
		room int
		want string
	}{
		{event.Goal{}, 80, ""},
		{g(event.GoalActive, ""), 80, "goal 3/10"},
		{g(event.GoalActive, "two notes\nare left"), 80, "goal 3/10 · not met: two notes are left"},
		{g(event.GoalActive, "two notes are left"), 33, "goal 3/10 · not met: two notes a…"},
		{g(event.GoalActive, "two notes are left"), 18, "goal 3/10"},
		{g(event.GoalActive, "two notes are left"), 8, ""},
		{g(event.GoalChecking, "two notes are left"), 80, "goal 3/10"},
		{g(event.GoalMet, "all is tidy"), 80, ""},
		{g(event.GoalPaused, "stopped"), 80, "goal paused · /goal resume · stopped"},
		{g(event.GoalPaused, "10 turns worked toward it"), 39, "goal paused · /goal resume"},
		{g(event.GoalPaused, "10 turns worked toward it"), 42, "goal paused · /goal resume · 10 turns wor…"},
		{g(event.GoalPaused, "10 turns worked toward it"), 20, "goal paused · /goal…"},
		{g(event.GoalPaused, ""), 80, "goal paused · /goal resume"},
		{g(event.GoalPaused, "\x1b[2Ja\u202eb"), 80, "goal paused · /goal resume · ␛[2Jab"},
		{event.Goal{Text: "tidy", Status: event.GoalActive}, 80, "goal"},
	} {
		if got := goalText(tt.g, tt.room); got != tt.want {
			t.Errorf("goalText(%+v, %d) = %q, want %q", tt.g, tt.room, got, tt.want)
		}
	}
}

func TestSettingAGoalSendsIt(t *testing.T) {
	t.Parallel()
	var g goals
	s := newScreen(t, g.options)
	s.typeText("/goal tidy my recipes")
	s.key("enter")
	if len(g.set) != 1 || g.set[0] != "tidy my recipes" || len(s.f.sent) != 1 || s.f.sent[0].Text != "tidy my recipes" {
		t.Fatalf("set %q, sent %+v", g.set, s.f.sent)
	}
	s.wants("▌ goal", "▌ tidy my recipes")
	s.deliver(event.Received{Message: s.f.sent[0]}, event.TurnStarted{MessageIDs: []string{"m1"}}, event.StateChanged{State: event.StateThinking})
	s.wants("Thinking…", "goal 0/10")
}

func TestAGoalThatIsNotSetIsNotLost(t *testing.T) {
	t.Parallel()
	g := goals{err: errors.New("no space left on device")}
	s := newScreen(t, g.options)
	s.typeText("/goal tidy my recipes")
	s.key("enter")
	s.wants("The goal was not set: no space left on device", "› /goal tidy my recipes")
	if len(s.f.sent) != 0 {
		t.Error("it was sent")
	}
}

// A goal from its first turn to its end.
func TestTheGoalInTheStatusLine(t *testing.T) {
	t.Parallel()
	var g goals
	s := newScreen(t, g.options)
	s.typeText("/goal tidy my recipes")
	s.key("enter")
	goal := event.Goal{Text: "tidy my recipes", Status: event.GoalActive, Turns: 1, MaxTurns: 10}
	with := func(status event.GoalStatus, why string) event.GoalChanged {
		goal.Status, goal.Why = status, why
		return event.GoalChanged{Goal: goal}
	}
	s.deliver(event.Received{Message: s.f.sent[0]}, event.TurnStarted{MessageIDs: []string{"m1"}}, event.TurnFinished{},
		with(event.GoalChecking, ""))
	s.wants("Checking the goal…", "Esc stops", "goal 1/10")
	s.deliver(with(event.GoalActive, "the plum tart has no title"),
		event.Received{Message: event.Inbound{ID: "g1", Source: event.SourceGoal, Text: "Go on: the plum tart has no title."}})
	s.lacks("queued", "→")
	s.deliver(event.TurnStarted{MessageIDs: []string{"g1"}}, event.StateChanged{State: event.StateThinking})
	s.wants("↻ goal · Go on: the plum tart has no title.", "Thinking…", "goal 1/10 · not met: the plum")
	s.lacks("▌ Go on")
	s.deliver(event.TextDelta{Text: "Done."}, event.TurnFinished{}, with(event.GoalChecking, "the plum tart has no title"), with(event.GoalMet, "every recipe has a title"))
	s.wants("✓ Goal met: tidy my recipes", "every recipe has a title")
	s.deliver(event.GoalChanged{Goal: goal}) // repeated event: shown once
	if n := strings.Count(s.text(), "Goal met"); n != 1 {
		t.Errorf("said %d times", n)
	}
	s.lacks("◎ goal")
}

func TestAPausedGoal(t *testing.T) {
	t.Parallel()
	var g goals
	s := newScreen(t, g.options)
	s.ask("x")
	paused := event.Goal{Text: "tidy", Status: event.GoalPaused, Why: "you stopped it", Turns: 2, MaxTurns: 10}
	s.deliver(event.TurnStopped{MessageIDs: []string{"m1"}}, event.GoalChanged{Goal: paused})
	s.wants("‖ Goal paused: tidy", "You stopped it.", "goal paused · /goal resume · you stopped it")
	s.typeText("/goal resume")
	s.key("enter")
	if g.resumed != 1 {
		t.Error("not resumed")
	}
	s.typeText("/goal drop")
	s.key("enter")
	if len(g.set) != 1 || g.set[0] != "" {
		t.Errorf("set %q", g.set)
	}
	s.wants("The goal is dropped.")
	s.lacks("◎ goal")
}

func TestStoppingTheCheck(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.ask("x")
	goal := event.Goal{Text: "tidy", Status: event.GoalChecking, Turns: 1, MaxTurns: 10}
	s.deliver(event.TurnFinished{}, event.GoalChanged{Goal: goal})
	s.now = s.now.Add(3 * time.Second)
	s.send(tickMsg{})
	s.wants("Checking the goal… 3s")
	s.key("esc")
	s.wants("Stopping…")
	goal.Status, goal.Why = event.GoalPaused, "stopped"
	s.deliver(event.GoalChanged{Goal: goal})
	s.lacks("Stopping…")
	s.ask("go on")
	s.lacks("Stopping…")
	if s.f.stopped() != 1 {
		t.Errorf("%d stops", s.f.stopped())
	}
}

// Stopping the check does not affect a message sent in the meantime.
func TestStoppingTheCheckKeepsTheQueue(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.ask("x")
	goal := event.Goal{Text: "tidy", Status: event.GoalChecking, Turns: 1, MaxTurns: 10}
	s.deliver(event.TurnFinished{}, event.GoalChanged{Goal: goal})
	s.typeText("and the plums")
	s.key("enter", "esc")
	goal.Status = event.GoalPaused
	s.deliver(event.Received{Message: s.f.sent[1]}, event.GoalChanged{Goal: goal}, event.TurnStarted{MessageIDs: []string{"m2"}})
	if s.f.stopped() != 1 {
		t.Errorf("%d stops", s.f.stopped())
	}
	s.lacks("Stopping…")
}

func TestAStoppedGoalTurnBringsNoMessageBack(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.deliver(event.Received{Message: event.Inbound{ID: "g1", Source: event.SourceGoal, Text: "Go on."}}, event.TurnStarted{MessageIDs: []string{"g1"}},
		event.TurnStopped{MessageIDs: []string{"g1"}})
	s.wants("Stopped · /goal resume continues")
}

func TestGoalShown(t *testing.T) {
	t.Parallel()
	var g goals
	s := newScreen(t, g.options)
	show := func() {
		s.typeText("/goal")
		s.key("enter")
	}
	show()
	s.wants("There is no goal. /goal TEXT sets one")
	for status, want := range map[event.GoalStatus]string{
		event.GoalActive: "Goal: tidy my recipes (active, turn 3 of 10): two are left.",
		event.GoalPaused: "/goal resume",
		event.GoalMet:    "(met, turn 3 of 10)",
	} {
		s.deliver(event.GoalChanged{Goal: event.Goal{Text: "tidy my recipes", Status: status, Why: "two are left", Turns: 3, MaxTurns: 10}})
		show()
		s.wants(want, "tidy my recipes", "/goal")
	}
}

func TestGoalCommandsWithoutAGoal(t *testing.T) {
	t.Parallel()
	var g goals
	s := newScreen(t, g.options)
	s.typeText("/goal drop")
	s.key("enter")
	s.wants("There is no goal to drop")
	s.deliver(event.GoalChanged{Goal: event.Goal{Text: "tidy", Status: event.GoalPaused}})
	g.err = errors.New("its turns are used up")
	s.typeText("/goal resume")
	s.key("enter")
	s.wants("The goal was not resumed: its turns are used up")
	if len(g.set) != 0 {
		t.Errorf("set %q", g.set)
	}
}

func TestTheGoalSurvivesARestart(t *testing.T) {
	t.Parallel()
	load := func(status event.GoalStatus) *screen {
		return newScreen(t, func(o *Options) {
			o.Load = func(context.Context) (session.Loaded, error) {
				return session.Loaded{
					Page: session.Page{Items: []session.HistoryItem{{Role: session.HistoryUser, Content: "tidy my recipes"}, {Role: session.HistoryGoal, Content: "Go on."}}},
					Goal: event.Goal{Text: "tidy my recipes", Status: status, Why: "stopped", Turns: 2, MaxTurns: 10},
				}, nil
			}
		})
	}
	s := load(event.GoalPaused)
	s.wants("goal paused · /goal resume · stopped", "▌ goal", "↻ goal · Go on.")
	s.lacks("‖ Goal paused")
	load(event.GoalMet).lacks("goal met")
}

func TestUsage(t *testing.T) {
	t.Parallel()
	conversation := event.Totals{Calls: 12, Prompt: 123456, Cached: 100000, Completion: 2345, Reasoning: 345, Cost: 0.4123, Priced: true}
	day := event.Totals{Calls: 30, Prompt: 1234567, Completion: 5000, Cost: 1.5, Priced: true, Estimated: true}
	var err error
	s := newScreen(t, func(o *Options) {
		usageOf(o).usage = func() (a, b event.Totals, e error) { return conversation, day, err }
	})
	s.ask("x")
	s.deliver(event.UsageReported{Turn: event.Totals{Calls: 1, Prompt: 1200, Completion: 34, Cost: 0.0042, Priced: true}})
	s.typeText("/usage")
	s.key("enter")
	s.wants("turn  conversation       today", "Tokens sent          1,200       123,456  ~1,234,567", "of them cached           0       100,000           0",
		"Tokens written          34         2,345      ~5,000", "Cost               $0.0042         $0.41      ~$1.50", "estimated")
	s.key("esc")
	err = errors.New("it is locked")
	s.typeText("/usage")
	s.key("enter")
	s.wants("The usage could not be read: it is locked")
}

func TestUsageFitsANarrowScreen(t *testing.T) {
	t.Parallel()
	s := newScreen(t, func(o *Options) {
		usageOf(o).usage = func() (a, b event.Totals, e error) { return event.Totals{Prompt: 123456}, b, nil }
	})
	s.typeText("/usage")
	s.key("enter")
	for _, width := range []int{40, 20, 10} {
		s.send(tea.WindowSizeMsg{Width: width, Height: 40})
		checkFrame(t, s.m)
	}
	s.send(tea.WindowSizeMsg{Width: 40, Height: 40})
	s.wants("turn", "today", "123,456", "–")
}

func TestCompactIsRefusedWhileATurnRuns(t *testing.T) {
	t.Parallel()
	compacted := 0
	s := newScreen(t, func(o *Options) {
		conversationOf(o).compact = func() error { compacted++; return errors.New("nothing was said yet") }
	})
	s.typeText("/compact")
	s.key("enter")
	if compacted != 1 {
		t.Error("not compacted")
	}
	s.wants("Nothing was summarised: nothing was said yet")
	s.ask("x")
	s.typeText("/compact")
	s.key("enter")
	s.wants("A turn is running")
	if compacted != 1 {
		t.Error("compacted while a turn runs")
	}
}

// The text of a goal step is sanitized and shortened.
func TestAGoalStepIsShort(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	step := chat.NewGoalStep(s.m.env, strings.Repeat("word ", 200)+"\x1b[2J")
	if lines := step.Lines(40); len(lines) != 1 || strings.Contains(lines[0], "\x1b[2J") {
		t.Errorf("%q", lines)
	}
}
