package agent

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestGoalSurvivesARestart(t *testing.T) {
	root := state(t)
	h, _ := pursuing(t, root, []reply{say("Begun.")}, []reply{hang}, nil)
	h.set("tag all notes")
	wait[TurnFinished](h)
	h.stop()

	h, model := pursuing(t, root, []reply{write, say("Done.")}, []reply{say("MET: done")}, nil)
	if g := h.Goal(); g.Text != "tag all notes" || g.Status != GoalPaused || g.Why != goalRestartedWhy || g.Turns != 1 {
		t.Errorf("after the restart: %+v", g)
	}
	time.Sleep(20 * time.Millisecond)
	if len(h.model.calls())+len(model.checks.calls()) > 0 {
		t.Error("it works by itself")
	}
	if err := h.ResumeGoal(); err != nil {
		t.Fatal(err)
	}
	if g := h.goal(GoalMet); g.Turns != 1 {
		t.Errorf("%+v", g)
	}
	if m := h.turns()[1].Messages[0]; m.Content != "Go on toward the goal." || m.Source != string(SourceGoal) {
		t.Errorf("resumed by %+v", m)
	}
	if err := h.ResumeGoal(); err == nil || !strings.Contains(err.Error(), "is met") {
		t.Error(err)
	}
	h.idle()
	h.stop()
	h, _ = pursuing(t, root, []reply{say("x")}, []reply{hang}, nil)
	if g := h.Goal(); g.Status != GoalMet {
		t.Errorf("after another restart: %+v", g)
	}
	if _, err := h.SetGoal(""); err != nil || h.Goal() != (Goal{}) {
		t.Error(h.Goal(), err)
	}
	if err := h.ResumeGoal(); err == nil {
		t.Error("no goal is resumed")
	}
	h.stop()
	h, _ = pursuing(t, root, []reply{say("x")}, []reply{hang}, nil)
	if g := h.Goal(); g != (Goal{}) {
		t.Errorf("dropped, and there again: %+v", g)
	}
}

// Two processes on one vault: the goal is of one of them.
func TestGoalOfAnotherProcess(t *testing.T) {
	root := state(t)
	one, _ := pursuing(t, root, []reply{say("Begun.")}, []reply{hang}, nil)
	one.set("tag all notes")
	wait[TurnFinished](one)
	two, model := pursuing(t, root, []reply{say("Fine.")}, []reply{say("MET")}, nil)
	if g := two.Goal(); g.Text != "" {
		t.Errorf("it took %+v", g)
	}
	if _, err := two.SetGoal("sort all notes"); err == nil || !strings.Contains(err.Error(), "“tag all notes”") || two.Goal().Text != "" {
		t.Error(err, two.Goal())
	}
	two.send("hello")
	wait[TurnFinished](two)
	sent := two.model.calls()[0].Messages
	if strings.Contains(sent[len(sent)-1].Prompt(), "Goal") || len(model.checks.calls()) > 0 {
		t.Error("its turn was told of the goal of another")
	}
	if g := one.Goal(); !g.pursued() {
		t.Errorf("%+v", g)
	}
	one.Stop()
	one.goal(GoalPaused)
	one.idle()
	two.set("sort all notes") // a paused goal may be replaced
	two.goal(GoalMet)
	if err := one.ResumeGoal(); err != nil {
		t.Error(err) // and the other way round, once that is met
	}

	ask, _ := pursuing(t, root, []reply{say("Fine.")}, []reply{hang}, func(o *Options) { o.LeaveGoal = true })
	if g := ask.Goal(); g.Text != "" {
		t.Errorf("it took %+v", g)
	}
}

func TestGoalTexts(t *testing.T) {
	h, _ := pursuing(t, state(t), []reply{say("x")}, []reply{hang}, nil)
	if _, err := h.SetGoal(strings.Repeat("x", maxGoalText+1)); err == nil || !strings.Contains(err.Error(), "at most 4000") {
		t.Error(err)
	}
	if g, err := h.SetGoal("  tag all \n"); err != nil || g.Text != "tag all" {
		t.Error(g, err)
	}
	if err := h.ResumeGoal(); err == nil || !strings.Contains(err.Error(), "already") {
		t.Error(err)
	}
	// A goal that cannot be written down is not set.
	if err := h.root.Remove("state.lock"); err != nil {
		t.Fatal(err)
	}
	if err := h.root.Mkdir("state.lock", 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := h.SetGoal("another"); err == nil || h.Goal().Text != "tag all" {
		t.Error(err, h.Goal())
	}
}

// What an ended process left in the inbox to go on toward its goal is offered only where it had
// begun to change something.
func TestGoalMessagesOfAnEndedProcess(t *testing.T) {
	root := state(t)
	for i, ran := range []bool{false, true} {
		m := Inbound{ID: fmt.Sprint("m", i), Text: "Go on toward the goal.", Source: SourceGoal, Time: noon}
		if err := NewInbox(root).Save(Pending{Inbound: m, Owner: "1-gone", ToolsRan: ran}); err != nil {
			t.Fatal(err)
		}
	}
	h, _ := pursuing(t, root, []reply{say("x")}, []reply{hang}, nil)
	pending, warnings, err := h.Recover()
	if err != nil || len(warnings) > 0 || len(pending) != 1 || pending[0].ID != "m1" || len(h.inboxIDs()) != 1 {
		t.Errorf("%+v, %v, %v; inbox %v", pending, warnings, err, h.inboxIDs())
	}
}
