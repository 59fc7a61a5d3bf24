package agent

import (
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"chatvault/agent/event"
)

// ReadCosts reads what a vault's model calls have used from its state folder.
func ReadCosts(root *os.Root) (event.Costs, error) {
	u, err := loadUsage(root)
	if err != nil && !errors.Is(err, errUsageAside) {
		return event.Costs{}, err
	}
	return u.costs(), err
}

// Costs is what the model calls of the vault have used, with those of the turn under way.
func (p *Processor) Costs() (event.Costs, error) {
	err := p.ledger.refresh()
	if errors.Is(err, errUsageAside) {
		p.bus.Publish(event.Notice{Meta: event.Meta{Time: time.Now()}, Text: err.Error()})
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

func (u usageRecord) costs() event.Costs {
	var c event.Costs
	for _, day := range slices.Backward(slices.Sorted(maps.Keys(u.Days))) {
		c.Days = append(c.Days, event.DayCost{Day: day, Totals: u.Days[day]})
	}
	for id, use := range u.Conversations {
		c.Conversations = append(c.Conversations, event.ConversationCost{ID: id, Last: use.Last, Totals: use.Totals})
	}
	slices.SortFunc(c.Conversations, func(a, b event.ConversationCost) int {
		if n := b.Last.Compare(a.Last); n != 0 {
			return n
		}
		return strings.Compare(b.ID, a.ID)
	})
	return c
}
