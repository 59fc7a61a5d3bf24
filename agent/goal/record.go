package goal

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/lock"
	"chatvault/internal/text"
)

// Record is the goal as state.json holds it.
type Record struct {
	event.Goal
	Owner string `json:"owner"` // the process that works toward it, see lock.Owner
	// Conversation is the one it was set in; empty: no turn has worked toward it yet.
	Conversation string `json:"conversation,omitempty"`
	// ToldIn is another conversation, in which the user was told that it stays paused.
	ToldIn string `json:"told_in,omitempty"`
	// Asked says that the newest turn toward it asked the user something.
	Asked bool `json:"asked,omitempty"`
}

// ErrTaken says that another process has a goal in this vault.
var ErrTaken = errors.New("another chatvault has a goal in this vault")

// Record is the goal as it is kept, but for its owner. That it is being checked is not: who
// reads it later finds no check under way.
func (g Run) Record() Record {
	r := Record{Goal: g.Goal, Conversation: g.Home, ToldIn: g.ToldIn, Asked: g.asked}
	if r.Status == event.GoalChecking {
		r.Status = event.GoalActive
	}
	return r
}

// HeldBy is the living process, other than own, that has the goal; empty: none has.
func (r *Record) HeldBy(root *os.Root, own string) string {
	if r.Owner == own || !lock.Alive(root, r.Owner) {
		return ""
	}
	pid, _, _ := strings.Cut(r.Owner, "-")
	return "process " + pid
}

// Left is the goal as a process that ended left it: what was being worked toward is paused.
func (r *Record) Left(now time.Time) Run {
	g := Run{Goal: r.Goal, since: now, Home: r.Conversation, ToldIn: r.ToldIn}
	switch {
	case !g.InProgress():
	case r.Asked:
		g = g.Pause(WhyAsked, now)
	default:
		g = g.Pause(WhyRestarted, now)
	}
	return g
}

// Taken is why a goal of another living process, which is not met, is neither replaced nor
// dropped: that process would go on with it. nil: it may be.
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
