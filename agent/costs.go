package agent

import (
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"time"
)

// Costs is what the model calls of a vault have used, newest first, in all processes.
type Costs struct {
	Days          []DayCost
	Conversations []ConversationCost
}

// DayCost is what a local day used.
type DayCost struct {
	Day string `json:"day"` // "2026-11-21"
	Totals
}

// ConversationCost is what a conversation used.
type ConversationCost struct {
	ID   string    `json:"id"`
	Last time.Time `json:"last"` // when something was last counted
	Totals
}

// ReadCosts reads what a vault's model calls have used from its state folder.
func ReadCosts(root *os.Root) (Costs, error) {
	u, err := loadUsage(root)
	if err != nil && !errors.Is(err, errUsageAside) {
		return Costs{}, err
	}
	return u.costs(), err
}

// Costs is what the model calls of the vault have used, with those of the turn under way.
func (p *Processor) Costs() (Costs, error) {
	err := p.ledger.refresh()
	if errors.Is(err, errUsageAside) {
		p.bus.publish(Notice{Meta{Time: time.Now()}, err.Error()})
		err = nil
	}
	return p.ledger.all().costs(), err
}

// all is what is on disk, and what was counted since.
func (l *ledger) all() usageRecord {
	l.mu.Lock()
	defer l.mu.Unlock()
	var sum usageRecord
	for _, u := range []usageRecord{l.disk, l.writing, l.fresh} {
		sum.merge(u)
	}
	return sum
}

func (u usageRecord) costs() Costs {
	var c Costs
	for _, day := range slices.Backward(slices.Sorted(maps.Keys(u.Days))) {
		c.Days = append(c.Days, DayCost{day, u.Days[day]})
	}
	for id, use := range u.Conversations {
		c.Conversations = append(c.Conversations, ConversationCost{id, use.Last, use.Totals})
	}
	slices.SortFunc(c.Conversations, func(a, b ConversationCost) int {
		if n := b.Last.Compare(a.Last); n != 0 {
			return n
		}
		return strings.Compare(b.ID, a.ID)
	})
	return c
}
