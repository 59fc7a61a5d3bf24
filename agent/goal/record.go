package goal

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/lock"
	"chatvault/internal/base/text"
)

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

// Stored returns the stored form of a goal. A running check is not stored.
func (r Record) Stored() Record {
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
