package goal

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/lock"
	"chatvault/internal/base/text"
)

// Keeper has the goal of this process. What becomes of it is durable, and told, in one place. It is
// safe for concurrent use.
type Keeper struct {
	Save    func(Record) error // writes the goal down; one without text removes it
	Publish func(event.Event)
	Log     *slog.Logger

	changing sync.Mutex // one change after another is made; before mu
	mu       sync.Mutex
	goal     Run
}

// Get returns the goal; no Text means none.
func (k *Keeper) Get() Run {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.goal
}

// Begin takes up the goal that an earlier process left.
func (k *Keeper) Begin(g Run) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.goal = g
}

// Set makes another goal of the one there is, as the user wishes. A change that cannot be written down
// is not made.
func (k *Keeper) Set(change func(Run) Run) error { return k.change(true, change) }

// Change changes the goal, even if it cannot be saved, which is reported to the user.
func (k *Keeper) Change(change func(Run) Run) { _ = k.change(false, change) } // it reports its failure itself

// ChangeIf is Change if the goal is in progress and the same as g.
func (k *Keeper) ChangeIf(g Run, change func(Run) Run) {
	k.Change(func(now Run) Run {
		if !now.InProgress() || !now.Same(g) {
			return now
		}
		return change(now)
	})
}

func (k *Keeper) change(users bool, change func(Run) Run) error {
	k.changing.Lock()
	defer k.changing.Unlock()
	before := k.Get()
	after := change(before)
	var err error
	if was, is := before.stored(), after.stored(); was != is {
		err = k.Save(is)
	}
	if err != nil && users {
		return err
	}
	if errors.Is(err, ErrTaken) {
		after = Run{}
	}
	k.mu.Lock()
	k.goal = after
	if before.Goal != after.Goal {
		k.publish()
	}
	k.mu.Unlock()
	if err != nil {
		k.Log.Error("goal not written", "error", err)
		k.Publish(event.Notice{Meta: event.Meta{Time: time.Now()}, Text: fmt.Sprintf("The state of the goal could not be saved: %v", err)})
	}
	return nil
}

// Checking sets whether a check is running. It is not saved.
func (k *Keeper) Checking(begins bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case begins:
		k.goal.Status = event.GoalChecking
	case k.goal.Status == event.GoalChecking:
		k.goal.Status = event.GoalActive
	default:
		return
	}
	k.publish()
}

// Again schedules a step toward the goal g that did not finish.
func (k *Keeper) Again(g Run) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.goal.InProgress() && k.goal.Same(g) {
		k.goal.Due = true
	}
}

func (k *Keeper) publish() {
	k.Publish(event.GoalChanged{Meta: event.Meta{Time: time.Now()}, Goal: k.goal.Goal})
}

// Record is the goal as state.json holds it.
type Record struct {
	event.Goal
	Owner string `json:"owner"` // the process that works toward it, see lock.Owner
	// Conversation is its conversation; empty until a turn has worked toward it.
	Conversation string `json:"conversation,omitempty"`
	// ToldIn is the other conversation in which the user was notified that the goal stays paused.
	ToldIn string `json:"told_in,omitempty"`
	Asked  bool   `json:"asked,omitempty"` // the newest turn asked the user something
}

// ErrTaken is returned if another process has a goal in this vault.
var ErrTaken = errors.New("another chatvault has a goal in this vault")

// stored returns the stored form of a goal. A running check is not stored.
func (r Record) stored() Record {
	if r.Status == event.GoalChecking {
		r.Status = event.GoalActive
	}
	return r
}

// HeldBy returns the living process, other than own, that has the goal; empty if there is none.
func (r *Record) HeldBy(root *os.Root, own string) string {
	if r.Owner == own || !lock.Alive(root, r.Owner) {
		return ""
	}
	pid, _, _ := strings.Cut(r.Owner, "-")
	return "process " + pid
}

// Left returns the goal for a process that loads it: a goal in progress is paused.
func (r *Record) Left(now time.Time) Run {
	why := WhyRestarted
	if r.Asked {
		why = WhyAsked
	}
	g := Run{Record: *r, since: now}
	if g.Asked = false; g.InProgress() {
		g = g.Pause(why, now)
	}
	return g
}

// Taken returns an error if another living process works on the goal.
func (r *Record) Taken(root *os.Root, own string) error {
	by := ""
	if r != nil && r.Text != "" && r.Status != event.GoalMet {
		by = r.HeldBy(root, own)
	}
	if by == "" {
		return nil
	}
	verb := "works toward"
	if !r.InProgress() {
		verb = "has paused"
	}
	return fmt.Errorf("%w: %s %s “%s”; drop it there first, or end that chatvault", ErrTaken, by, verb, text.Excerpt(r.Text, 80))
}
