// Package spend is what model calls cost: what they used by conversation and day, on disk (Ledger), what
// a turn and its sub-agents may use (Budget, Spent), and the telling where it cannot be counted.
package spend

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/agent/lock"
	"chatvault/internal/atomicfile"
	"chatvault/internal/statefile"
)

const (
	// File is where it is kept.
	File        = "usage.json"
	usageSchema = 1
	maxUsage    = 16 << 20 // bytes

	// What the ledger keeps: totals of the newest local days and conversations.
	maxUsageDays          = 400
	maxUsageConversations = 500
)

// Record is what the model calls of a vault have used, as it stands in usage.json.
type Record struct {
	Schema        int                        `json:"schema"`
	Days          map[string]event.Totals    `json:"days"` // by local date, "2026-11-21"
	Conversations map[string]conversationUse `json:"conversations"`
}

type conversationUse struct {
	event.Totals
	Last time.Time `json:"last"` // when something was last counted
	// Context is how many tokens of the model's Window it took with the last call of a turn; 0: not
	// known.
	Context int `json:"context,omitempty"`
	Window  int `json:"window,omitempty"`
}

// Ledger counts what model calls use, by conversation and by local day. What is counted is in
// memory until it is saved, which is after each model call. It is safe for concurrent use, and
// several processes may count in one file. What fails is told: it fails no turn, and what cannot be written
// now may be later.
type Ledger struct {
	Publish func(event.Event)
	Log     *slog.Logger

	root *os.Root

	mu    sync.Mutex
	disk  Record // as it was last read or written
	fresh Record // counted since

	told atomic.Bool // that it cannot be counted
}

// Open returns the ledger of a vault. root is its state folder.
func Open(root *os.Root) *Ledger { return &Ledger{root: root} }

// day is the day a moment belongs to, in the local time of that moment.
func day(t time.Time) string { return t.Local().Format(time.DateOnly) }

// Count adds a model call that ended at a time, and returns the totals of its conversation and
// its day.
func (l *Ledger) Count(conversation string, u llm.Usage, at time.Time) (inConversation, inDay event.Totals) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var t event.Totals
	t.Add(u)
	l.fresh.add(conversation, day(at), t, at)
	return l.totals(conversation, day(at))
}

// Fill notes how full a conversation's window is. It is saved with the call that is counted next.
func (l *Ledger) Fill(conversation string, context, window int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fresh.begin()
	c := l.fresh.Conversations[conversation]
	c.Context, c.Window = context, window
	l.fresh.Conversations[conversation] = c
}

// Filled is how full a conversation's window was with its last call; 0: not known.
func (l *Ledger) Filled(conversation string) (context, window int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.all().Conversations[conversation]
	return c.Context, c.Window
}

// totals are those of a conversation and a day. It is called with mu held.
func (l *Ledger) totals(conversation, day string) (inConversation, inDay event.Totals) {
	sum := l.all()
	return sum.Conversations[conversation].Totals, sum.Days[day]
}

// Today returns the totals of a conversation and of the day it is.
func (l *Ledger) Today(conversation string) (inConversation, inDay event.Totals) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.totals(conversation, day(time.Now()))
}

// Refresh reads what is on disk, where other processes may have counted too.
func (l *Ledger) Refresh() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	u, err := Load(l.root)
	if err == nil || errors.Is(err, ErrAside) {
		l.disk = u
	}
	return err
}

// Save adds what was counted to the file, durably. What cannot be written is kept for the next
// time. The error also tells of a file that made no sense and was set aside.
func (l *Ledger) Save() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fresh.empty() {
		return nil
	}
	var aside error
	err := lock.State(l.root, func() error {
		u, err := Load(l.root)
		if errors.Is(err, ErrAside) {
			aside, err = err, nil
		}
		if err != nil {
			return err
		}
		u.merge(l.fresh)
		u.prune(day(time.Now()))
		if err := u.write(l.root); err != nil {
			return err
		}
		l.disk, l.fresh = u, Record{}
		return nil
	})
	return errors.Join(aside, err)
}

// begin makes the maps of a record that has none.
func (u *Record) begin() {
	if u.Days == nil {
		u.Days, u.Conversations = map[string]event.Totals{}, map[string]conversationUse{}
	}
}

func (u *Record) empty() bool { return len(u.Days) == 0 && len(u.Conversations) == 0 }

// add counts totals in a conversation and a day.
func (u *Record) add(conversation, day string, t event.Totals, at time.Time) {
	u.begin()
	u.Days[day] = u.Days[day].Plus(t)
	if conversation == "" {
		return
	}
	c := u.Conversations[conversation]
	c.Totals = c.Plus(t)
	if at.After(c.Last) {
		c.Last = at
	}
	u.Conversations[conversation] = c
}

// merge adds what another record counted.
func (u *Record) merge(other Record) {
	u.begin()
	for day, t := range other.Days {
		u.Days[day] = u.Days[day].Plus(t)
	}
	for id, o := range other.Conversations {
		c := u.Conversations[id]
		c.Totals = c.Plus(o.Totals)
		if o.Last.After(c.Last) {
			c.Last = o.Last
		}
		if o.Window > 0 {
			c.Context, c.Window = o.Context, o.Window
		}
		u.Conversations[id] = c
	}
}

// prune drops the oldest days and conversations above the bounds; today stays, whatever the
// clock says of the others.
func (u *Record) prune(today string) {
	days := slices.Sorted(maps.Keys(u.Days))
	for _, d := range days {
		if len(u.Days) <= maxUsageDays {
			break
		}
		if d != today {
			delete(u.Days, d)
		}
	}
	if len(u.Conversations) <= maxUsageConversations {
		return
	}
	ids := slices.SortedFunc(maps.Keys(u.Conversations), func(a, b string) int {
		return u.Conversations[a].Last.Compare(u.Conversations[b].Last)
	})
	for _, id := range ids[:len(ids)-maxUsageConversations] {
		delete(u.Conversations, id)
	}
}

// ErrAside is the error of a usage.json that made no sense: it is out of the way, and
// counting starts over.
var ErrAside = errors.New("counting starts over")

// Load reads usage.json; none is an empty record.
func Load(root *os.Root) (Record, error) {
	fresh := Record{Schema: usageSchema, Days: map[string]event.Totals{}, Conversations: map[string]conversationUse{}}
	u := fresh
	err := statefile.ReadJSON(root, File, maxUsage, usageSchema, &u)
	switch _, senseless := errors.AsType[statefile.Senseless](err); {
	case err == nil:
		if err = u.check(); err == nil {
			return u, nil
		}
	case errors.Is(err, fs.ErrNotExist):
		return fresh, nil
	case errors.Is(err, statefile.ErrLater):
		return fresh, fmt.Errorf("the usage cannot be counted: %s: %w", File, err)
	case !senseless:
		return fresh, fmt.Errorf("the usage cannot be read: %w", err)
	}
	name, asideErr := atomicfile.SetAside(root, File)
	if asideErr != nil {
		return fresh, fmt.Errorf("usage.json is invalid (%w) and could not be set aside: %w", err, asideErr)
	}
	return fresh, fmt.Errorf("usage.json was invalid (%w) and was set aside as %s: %w", err, filepath.Join(root.Name(), name), ErrAside)
}

// check says what in a record cannot be.
func (u *Record) check() error {
	if u.Days == nil || u.Conversations == nil {
		return errors.New("days or conversations are missing")
	}
	for d, t := range u.Days {
		if _, err := time.Parse(time.DateOnly, d); err != nil {
			return fmt.Errorf("%q is not a date", d)
		}
		if t.Negative() {
			return fmt.Errorf("%s has negative usage", d)
		}
	}
	for id, c := range u.Conversations {
		if c.Negative() || c.Context < 0 || c.Window < 0 {
			return fmt.Errorf("conversation %q has negative usage", id)
		}
	}
	return nil
}

func (u *Record) write(root *os.Root) error {
	u.Schema = usageSchema
	return statefile.WriteJSONLazily(root, File, u)
}

// Read reads what a vault's model calls have used from its state folder.
func Read(root *os.Root) (event.Costs, error) {
	u, err := Load(root)
	if err != nil && !errors.Is(err, ErrAside) {
		return event.Costs{}, err
	}
	return u.costs(), err
}

// all is what is on disk, and what was counted since. It is called with mu held.
func (l *Ledger) all() Record {
	var sum Record
	sum.merge(l.disk)
	sum.merge(l.fresh)
	return sum
}

// Costs is what the model calls of the vault have used.
func (l *Ledger) Costs() event.Costs {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all().costs()
}

func (u Record) costs() event.Costs {
	var c event.Costs
	for _, day := range slices.Backward(slices.Sorted(maps.Keys(u.Days))) {
		c.Days = append(c.Days, event.DayCost{Day: day, Totals: u.Days[day]})
	}
	for id, use := range u.Conversations {
		c.Conversations = append(c.Conversations, event.ConversationCost{ID: id, Last: use.Last, Totals: use.Totals})
	}
	slices.SortFunc(c.Conversations, func(a, b event.ConversationCost) int {
		return cmp.Or(b.Last.Compare(a.Last), strings.Compare(b.ID, a.ID))
	})
	return c
}

// Meter counts the model calls of a conversation, in and beside its turns. What it counted is on
// disk when it returns, so that nothing is lost with the process; what cannot be written is
// written with the next call, or by Flush.
func (l *Ledger) Meter(conversation string) func(llm.Usage) (inConversation, inDay event.Totals) {
	return func(u llm.Usage) (inConversation, inDay event.Totals) {
		now := time.Now()
		l.Count(conversation, u, now)
		l.Flush(event.Meta{Time: now})
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.totals(conversation, day(now))
	}
}

// Flush writes down what was counted and is not on disk yet.
func (l *Ledger) Flush(m event.Meta) {
	err := l.Save()
	if err == nil {
		return
	}
	l.Log.Error("usage not counted", "error", err)
	if !l.told.Swap(true) || errors.Is(err, ErrAside) {
		l.Publish(event.Notice{Meta: m, Text: err.Error()})
	}
}

// Look brings the totals up to date for somebody who asks for them. What was set aside is told, and no
// error.
func (l *Ledger) Look() error {
	err := l.Refresh()
	if errors.Is(err, ErrAside) {
		l.Publish(event.Notice{Meta: event.Meta{Time: time.Now()}, Text: err.Error()})
		return nil
	}
	return err
}
