package goal

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"chatvault/agent/event"
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

// Get is the goal as it stands; one without text is none.
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

// Change makes another goal of the one there is, as something happened: also where that cannot be
// written down, which is told as a failure of ours.
func (k *Keeper) Change(change func(Run) Run) { _ = k.change(false, change) } // it tells of its failure itself

// ChangeIf is Change where the goal is in progress and still the one that g was.
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
	if was, is := before.Record(), after.Record(); was != is {
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

// Checking says that it is being found out whether the goal is met, or no longer is. Nothing of that is
// written down.
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

// Again has something done toward the goal that g was before a message comes, as it was not to the end.
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
