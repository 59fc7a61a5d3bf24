// Package spend tracks what model calls cost: the usage of conversations and days on disk (Ledger), and the budget of
// a turn (Budget, Spent).
package spend

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/agent/lock"
	"chatvault/internal/base/statefile"
)

const (
	// File is the ledger's file in the vault's state folder.
	File        = "usage.json"
	usageSchema = 1
	maxUsage    = 16 << 20 // bytes

	maxUsageConversations = 500 // the newest are kept
)

// Record is the content of usage.json.
type Record struct {
	Schema        int                        `json:"schema"`
	Days          map[string]event.Totals    `json:"days"` // by local date, "2026-11-21"
	Conversations map[string]conversationUse `json:"conversations"`
}

type conversationUse struct {
	event.Totals
	Last time.Time `json:"last"` // time of the last call
}

// Ledger counts the usage of model calls by conversation and by local day. It is safe for concurrent use, and several
// processes may share a file. A failure is reported to the user once and does not fail the turn.
type Ledger struct {
	Publish func(event.Event)
	Log     *slog.Logger

	root *os.Root

	mu   sync.Mutex
	sum  Record // as last read or written
	told bool   // the user knows that it cannot be written
}

// Open returns the ledger in root, a vault's state folder.
func Open(root *os.Root) *Ledger {
	return &Ledger{root: root, Publish: func(event.Event) {}, Log: slog.New(slog.DiscardHandler)}
}

// day returns the local date of a time.
func day(t time.Time) string { return t.Local().Format(time.DateOnly) }

// Count adds a model call that ended at the given time, and returns the totals of its conversation and day.
func (l *Ledger) Count(conversation string, u llm.Usage, at time.Time) (inConversation, inDay event.Totals) {
	var t event.Totals
	t.Add(u)
	more := Record{Days: map[string]event.Totals{day(at): t}}
	if conversation != "" {
		more.Conversations = map[string]conversationUse{conversation: {Totals: t, Last: at}}
	}
	l.add(more)
	return l.totals(conversation, at)
}

// Today returns the totals of a conversation and of the current day.
func (l *Ledger) Today(conversation string) (inConversation, inDay event.Totals) {
	return l.totals(conversation, time.Now())
}

func (l *Ledger) totals(conversation string, at time.Time) (inConversation, inDay event.Totals) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.sum.Conversations[conversation].Totals, l.sum.Days[day(at)]
}

// Refresh reads the file, which other processes may have changed. A file that was set aside is reported to the user.
func (l *Ledger) Refresh() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	u, err := Load(l.root)
	if statefile.SetAside(err) {
		l.Publish(event.Notice{Meta: event.Meta{Time: time.Now()}, Text: err.Error()})
		err = nil
	}
	if err == nil {
		l.sum = u
	}
	return err
}

// add adds usage to the file, or only in memory if it cannot be written. It survives the end of the process, but the
// newest may be lost in a power failure.
func (l *Ledger) add(more Record) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var aside error
	err := lock.State(l.root, func() error {
		u, err := Load(l.root)
		if statefile.SetAside(err) {
			aside, err = err, nil
		}
		if err != nil {
			return err
		}
		u.merge(more)
		u.prune()
		if err := statefile.WriteJSONLazily(l.root, File, u); err != nil {
			return err
		}
		l.sum = u
		return nil
	})
	if err != nil {
		l.sum.merge(more)
	}
	if err = errors.Join(aside, err); err == nil {
		return
	}
	l.Log.Error("usage not counted", "error", err)
	if !l.told || aside != nil {
		l.told = true
		l.Publish(event.Notice{Meta: event.Meta{Time: time.Now()}, Text: err.Error()})
	}
}

// merge adds the usage of another record.
func (u *Record) merge(other Record) {
	if u.Days == nil {
		u.Days, u.Conversations = map[string]event.Totals{}, map[string]conversationUse{}
	}
	for day, t := range other.Days {
		u.Days[day] = u.Days[day].Plus(t)
	}
	for id, o := range other.Conversations {
		o.Totals = o.Plus(u.Conversations[id].Totals)
		if last := u.Conversations[id].Last; last.After(o.Last) {
			o.Last = last
		}
		u.Conversations[id] = o
	}
}

// prune drops the oldest conversations above the limit.
func (u *Record) prune() {
	ids := slices.SortedFunc(maps.Keys(u.Conversations), func(a, b string) int {
		return u.Conversations[a].Last.Compare(u.Conversations[b].Last)
	})
	for _, id := range ids[:max(0, len(ids)-maxUsageConversations)] {
		delete(u.Conversations, id)
	}
}

// Load reads usage.json, or returns an empty record if there is none. An invalid file is set aside; statefile.SetAside then
// reports that of the error.
func Load(root *os.Root) (Record, error) {
	u, fresh := Record{}, Record{Schema: usageSchema}
	err := statefile.ReadOrSetAside(root, File, maxUsage, usageSchema, &u)
	if err != nil {
		return fresh, fmt.Errorf("the usage cannot be read: %w", err)
	}
	fresh.merge(u)
	return fresh, nil
}

// Meter returns a function that counts a model call of a conversation, as Count.
func (l *Ledger) Meter(conversation string) func(llm.Usage) (inConversation, inDay event.Totals) {
	return func(u llm.Usage) (inConversation, inDay event.Totals) { return l.Count(conversation, u, time.Now()) }
}
