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
	if _, err := two.SetGoal(""); err != nil {
		t.Error(err)
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
	if n, err := pending.Load(root); err != nil || n.Goal == nil || n.Goal.Text != "tag all notes" {
		t.Error(n, err)
	}

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

// TestGoalMessagesOfAnEndedProcess: the program's own messages are not offered, whether they changed something or not: a
// paused goal sends another when it is resumed.
func TestGoalMessagesOfAnEndedProcess(t *testing.T) {
	root := state(t)
	for i, ran := range []bool{false, true} {
		m := event.Inbound{ID: fmt.Sprint("m", i), Text: "Keep working toward the goal.", Source: event.SourceGoal, Time: noon}
		if err := inbox.Open(root).Save(inbox.Entry{Inbound: m, Owner: "1-gone", ToolsRan: ran}); err != nil {
			t.Fatal(err)
		}
	}
	h, _ := toward(t, root, []reply{say("x")}, []reply{hang}, nil)
	if pending, warnings, err := h.Unfinished(); err != nil || len(warnings)+len(pending) > 0 {
		t.Errorf("%+v, %v, %v", pending, warnings, err)
	}
	pending, warnings, err := h.Recover()
	if err != nil || len(warnings)+len(pending) > 0 || len(h.inboxIDs()) > 0 {
		t.Errorf("%+v, %v, %v; inbox %v", pending, warnings, err, h.inboxIDs())
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
