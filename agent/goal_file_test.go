package agent

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/goal"
	"chatvault/agent/inbox"
	"chatvault/agent/lock"
	"chatvault/agent/pending"
	"chatvault/internal/base/statefile"
)

func TestGoalSurvivesARestart(t *testing.T) {
	root := state(t)
	h, _ := toward(t, root, []reply{say("Begun.")}, []reply{hang}, nil)
	h.set("tag all notes")
	wait[event.TurnFinished](h)
	h.stop()

	h, model := toward(t, root, []reply{write, say("Done.")}, []reply{say("MET: done")}, nil)
	if g := h.Goal(); g.Text != "tag all notes" || g.Status != event.GoalPaused || g.Why != goal.WhyRestarted || g.Turns != 1 {
		t.Errorf("after the restart: %+v", g)
	}
	time.Sleep(20 * time.Millisecond)
	if len(h.model.calls())+len(model.checks.calls()) > 0 {
		t.Error("it works by itself")
	}
	if err := h.ResumeGoal(); err != nil {
		t.Fatal(err)
	}
	if g := h.goal(event.GoalMet); g.Turns != 1 {
		t.Errorf("%+v", g)
	}
	if m := h.turns()[1].Messages[0]; m.Content != "Keep working toward the goal." || m.Source != string(event.SourceGoal) {
		t.Errorf("resumed by %+v", m)
	}
	if err := h.ResumeGoal(); err == nil || !strings.Contains(err.Error(), "is met") {
		t.Error(err)
	}
	h.idle()
	h.stop()
	h, _ = toward(t, root, []reply{say("x")}, []reply{hang}, nil)
	if g := h.Goal(); g.Status != event.GoalMet {
		t.Errorf("after another restart: %+v", g)
	}
	if _, err := h.SetGoal(""); err != nil || h.Goal() != (event.Goal{}) {
		t.Error(h.Goal(), err)
	}
	if err := h.ResumeGoal(); err == nil {
		t.Error("no goal is resumed")
	}
	h.stop()
	h, _ = toward(t, root, []reply{say("x")}, []reply{hang}, nil)
	if g := h.Goal(); g != (event.Goal{}) {
		t.Errorf("dropped, and there again: %+v", g)
	}
}

// Two processes on one vault: the goal is of one of them.
func TestGoalOfAnotherProcess(t *testing.T) {
	root := state(t)
	one, _ := toward(t, root, []reply{say("Begun.")}, []reply{hang}, nil)
	one.set("tag all notes")
	wait[event.TurnFinished](one)
	two, model := toward(t, root, []reply{say("Fine.")}, []reply{say("MET")}, nil)
	if g := two.Goal(); g.Text != "" {
		t.Errorf("it took %+v", g)
	}
	if _, err := two.SetGoal("sort all notes"); err == nil || !strings.Contains(err.Error(), "“tag all notes”") || two.Goal().Text != "" {
		t.Error(err, two.Goal())
	}
	two.send("hello")
	wait[event.TurnFinished](two)
	sent := two.model.calls()[0].Messages
	if strings.Contains(sent[len(sent)-1].Prompt(), "Goal") || len(model.checks.calls()) > 0 {
		t.Error("its turn was told of the goal of another")
	}
	if g := one.Goal(); !g.InProgress() {
		t.Errorf("%+v", g)
	}
	one.Stop()
	one.goal(event.GoalPaused)
	one.idle()
	if _, err := two.SetGoal("sort all notes"); !errors.Is(err, goal.ErrTaken) {
		t.Error(err) // the one that has it would still show it
	}
	if _, err := two.SetGoal(""); !errors.Is(err, goal.ErrTaken) {
		t.Error("dropped:", err)
	}
	if g, by, err := pending.Goal(root); g.Text != "tag all notes" || g.Why != goal.WhyStopped || by != fmt.Sprint("process ", os.Getpid()) || err != nil {
		t.Error(g, by, err)
	}
	if _, err := one.SetGoal(""); err != nil {
		t.Fatal(err)
	}
	two.set("sort all notes")
	two.goal(event.GoalMet)
	one.set("tag all notes") // one that is met may be replaced

	ask, _ := toward(t, root, []reply{say("Fine.")}, []reply{hang}, func(o *Options) { o.LeaveGoal = true })
	if g := ask.Goal(); g.Text != "" {
		t.Errorf("it took %+v", g)
	}
}

func TestGoalTexts(t *testing.T) {
	h, _ := toward(t, state(t), []reply{say("x")}, []reply{hang}, nil)
	if _, err := h.SetGoal(strings.Repeat("x", goal.MaxText+1)); err == nil || !strings.Contains(err.Error(), "at most 4000") {
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
// entered to change something.
func TestGoalMessagesOfAnEndedProcess(t *testing.T) {
	root := state(t)
	for i, ran := range []bool{false, true} {
		m := event.Inbound{ID: fmt.Sprint("m", i), Text: "Keep working toward the goal.", Source: event.SourceGoal, Time: noon}
		if err := inbox.Open(root).Save(inbox.Entry{Inbound: m, Owner: "1-gone", ToolsRan: ran}); err != nil {
			t.Fatal(err)
		}
	}
	h, _ := toward(t, root, []reply{say("x")}, []reply{hang}, nil)
	pending, warnings, err := h.Recover()
	if err != nil || len(warnings) > 0 || len(pending) != 1 || pending[0].ID != "m1" || len(h.inboxIDs()) != 1 {
		t.Errorf("%+v, %v, %v; inbox %v", pending, warnings, err, h.inboxIDs())
	}
}

// What a process that was killed in a goal's turn left in the inbox goes with the goal: when that
// is resumed, or dropped.
func TestGoalMessagesGoWithTheGoal(t *testing.T) {
	for _, drop := range []bool{false, true} {
		root := state(t)
		err := pending.Change(root, func(n *pending.Notes) {
			n.Goal = &goal.Record{Goal: event.Goal{Text: "tag all", Status: event.GoalActive, Turns: 2, Set: noon}, Owner: "1-gone"}
		})
		m := event.Inbound{ID: "m", Text: "Keep working toward the goal.", Source: event.SourceGoal, Time: noon}
		if err := errors.Join(err, inbox.Open(root).Save(inbox.Entry{Inbound: m, Owner: "1-gone", ToolsRan: true})); err != nil {
			t.Fatal(err)
		}
		h, _ := toward(t, root, []reply{say("Done.")}, []reply{say("MET: done")}, nil)
		if g := h.Goal(); g.Why != goal.WhyRestarted {
			t.Errorf("%+v", g)
		}
		if drop {
			if _, err := h.SetGoal(""); err != nil {
				t.Error(err)
			}
		} else {
			h.send("go on")
			h.goal(event.GoalMet)
			h.idle()
		}
		if ids := h.inboxIDs(); len(ids) > 0 {
			t.Errorf("drop %v: inbox %v", drop, ids)
		}
	}
}

// TestDropNoGoal: dropping a goal where there is none writes nothing.
func TestDropNoGoal(t *testing.T) {
	root := state(t)
	h, _ := toward(t, root, nil, nil, nil)
	if _, err := h.SetGoal(""); err != nil {
		t.Fatal(err)
	}
	if _, err := root.Stat(pending.File); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is there: %v", pending.File, err)
	}
}

// TestStopWhileGoalIsSaved: Stop does not wait for a change of the goal that waits for another process.
func TestStopWhileGoalIsSaved(t *testing.T) {
	root := state(t)
	saved, release := make(chan error, 1), func() {}
	var h *harness
	var once sync.Once
	h, _ = toward(t, root, []reply{say("Begun."), hang}, []reply{say("NOT MET: not yet"), hang}, func(o *Options) {
		o.step = func(step string) { // the worker is about to begin the second turn
			if step != "received" || len(h.turns()) == 0 {
				return
			}
			once.Do(func() {
				var err error
				if release, err = statefile.Lock(root, lock.StateLockFile, time.Second); err != nil {
					t.Error(err)
				}
				go func() {
					_, err := h.SetGoal("another")
					saved <- err
				}()
				for h.changing.TryLock() {
					h.changing.Unlock()
					time.Sleep(time.Millisecond)
				}
				go func() {
					time.Sleep(100 * time.Millisecond) // the worker has come to the lock by now
					began := time.Now()
					h.Stop()
					if took := time.Since(began); took > 500*time.Millisecond {
						t.Errorf("Stop took %v", took)
					}
					release()
				}()
			})
		}
	})
	h.set("tag all notes")
	if err := <-saved; err != nil {
		t.Error(err)
	}
	h.idle()
}
