package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/inbox"
	"chatvault/agent/lock"
	"chatvault/conversation"
	"chatvault/tools"
)

// maxMessageBytes bounds one message: a larger one fits no model's window.
const maxMessageBytes = 4 << 20

// intake accepts messages: it writes them to the inbox, notes their conversation, and queues them. It is safe for
// concurrent use.
//
// A message belongs to the conversation that it was sent in. Its inbox entry names it, so that it runs there and nowhere
// else, also after the program ended.
type intake struct {
	*core
	inbox     *inbox.Box
	accepting sync.Mutex // one message after another is accepted: an ID is taken once
}

// Submit accepts a message: when it returns nil, the message is on disk and will be run in its turn or, if the program
// ends before, offered at the next start. It fills an empty ID and Time. A message whose ID is already in the inbox is
// accepted again without being handled twice.
func (in *intake) Submit(_ context.Context, m event.Inbound) (event.Inbound, error) {
	switch {
	case strings.TrimSpace(m.Text) == "":
		return m, errors.New("the message is empty")
	case len(m.Text) > maxMessageBytes:
		return m, fmt.Errorf("the message is too long: %d bytes, at most %d are allowed; put the text into a note and refer to it", len(m.Text), maxMessageBytes)
	}
	if m.Time.IsZero() {
		m.Time = time.Now()
	}
	m.Source = cmp.Or(m.Source, event.SourceDirect)
	in.accepting.Lock()
	defer in.accepting.Unlock()
	if in.ctx.Err() != nil {
		return m, errors.New("the program is ending, so the message was not sent")
	}
	if m.ID == "" {
		m.ID = newMessageID(m.Time)
	} else if known, err := in.has(m.ID); known || err != nil {
		return m, err
	}
	entry := inbox.Entry{Inbound: m, Owner: in.owner}
	if err := in.place(&entry); err != nil {
		return m, fmt.Errorf("the message was not sent: %w", err)
	}
	if err := in.inbox.Save(entry); err != nil {
		return m, fmt.Errorf("the message could not be saved, so it was not sent: %w", err)
	}
	in.step("received")
	if err := in.enqueue(entry); err != nil {
		in.opt.Log.Warn("accepted while closing", "message", m.ID, "error", err)
	}
	return m, nil
}

// has reports whether a message is queued, running or in the inbox. Its entry must not be overwritten.
func (in *intake) has(id string) (bool, error) {
	if err := inbox.CheckID(id); err != nil {
		return false, err
	}
	if in.knows(id) {
		return true, nil
	}
	_, err := in.inbox.Load(id)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, inbox.ErrCorrupt) {
		return false, nil
	}
	return err == nil, err
}

func (in *intake) enqueue(e inbox.Entry) error {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.ctx.Err() != nil {
		return errors.New("the program is ending; the message is kept in the inbox")
	}
	queued := in.running != nil && !in.stepping() || len(in.queue) > 0
	in.queue = append(in.queue, e)
	in.cancelStep()
	in.bus.Publish(event.Received{Meta: event.Meta{Time: time.Now()}, Message: e.Inbound, Queued: queued})
	in.wakeWorker()
	return nil
}

// TakeBack removes a waiting message of the user from the queue and the inbox. It returns false if the message no longer
// waits, or another program sent it.
func (in *intake) TakeBack(id string) (event.Inbound, bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	i := slices.IndexFunc(in.queue, func(e inbox.Entry) bool { return e.ID == id })
	if i < 0 || in.queue[i].Source != event.SourceDirect || !in.discard(id) {
		return event.Inbound{}, false
	}
	e := in.queue[i]
	in.queue = slices.Delete(in.queue, i, i+1)
	return e.Inbound, true
}

// discard removes an entry from the inbox and reports whether that worked; a failure is logged.
func (in *intake) discard(id string) bool {
	err := in.inbox.Remove(id)
	if err != nil {
		in.opt.Log.Error("inbox entry not removed", "message", id, "error", err)
	}
	return err == nil
}

// newMessageID returns an ID that sorts by time.
func newMessageID(now time.Time) string {
	return fmt.Sprintf("%s-%06x", now.UTC().Format("20060102-150405.000000"), rand.N(1<<24))
}

// Recover returns the messages that ended processes left unfinished, for Retry or Drop (see inbox.Box.Recover), and
// drops expired questions. It is called once, at the start.
func (in *intake) Recover() (pending []inbox.Entry, warnings []string, err error) {
	pending, warnings, err = in.inbox.Recover(in.examined)
	lock.Sweep(in.opt.Root)
	if staleErr := in.dropStale(); staleErr != nil {
		warnings = append(warnings, fmt.Sprintf("It is unknown whether a question is still open: %v", staleErr))
	}
	return pending, warnings, err
}

// Unfinished lists the messages that Retry and Drop can decide about now, oldest first.
func (in *intake) Unfinished() (pending []inbox.Entry, warnings []string, err error) {
	return in.inbox.Unfinished(in.knows, in.examined)
}

// made returns the calls that changed something in earlier attempts at messages.
func (in *intake) made(ctx context.Context, entries ...inbox.Entry) (calls []tools.Call, err error) {
	var turns []string
	for _, e := range entries {
		calls, turns = append(calls, e.Calls...), append(turns, e.ID, e.Turn)
	}
	slices.Sort(turns)
	for _, turn := range slices.Compact(turns) {
		if turn == "" || in.opt.Made == nil {
			continue
		}
		of, err := in.opt.Made(ctx, turn)
		if err != nil {
			return nil, fmt.Errorf("what an earlier attempt changed could not be read: %w", err)
		}
		calls = append(calls, of...)
	}
	return calls, nil
}

// examined is answered, also for the program's own messages. It also adds the changes that the journal has but a power
// failure took from the entry.
func (in *intake) examined(e *inbox.Entry) (bool, error) {
	if e.Source == event.SourceGoal {
		return true, nil
	}
	done, err := in.answered(*e)
	if done || err != nil || e.ToolsRan {
		return done, err
	}
	calls, err := in.made(in.ctx, *e)
	for _, c := range calls {
		if e.ToolsRan = true; c.Result != "" {
			e.Changes = e.With([]string{c.Result})
		}
	}
	return false, err
}

// answered reports whether the answer to a message is on record.
func (in *intake) answered(e inbox.Entry) (bool, error) {
	if e.LastTried.IsZero() {
		return false, nil
	}
	return in.opt.Conversations.Answered(e.ID, e.LastTried)
}

// Retry runs an unfinished message in its conversation, as a turn of its own. It opens that conversation if necessary.
func (in *intake) Retry(id string) error {
	in.accepting.Lock()
	defer in.accepting.Unlock()
	if in.knows(id) {
		return nil
	}
	e, err := in.inbox.Load(id)
	if err == nil && !in.inbox.Others(e) { // else Claim returns the error
		err = in.GoTo(e)
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		e, err = in.inbox.Claim(id)
	}
	if err != nil {
		return err
	}
	if e.Retried = true; e.Conversation == "" {
		if err := in.place(&e); err != nil {
			return err
		}
	}
	return in.enqueue(e)
}

// Drop removes an unfinished message and notifies its source.
func (in *intake) Drop(id string) error {
	in.accepting.Lock()
	defer in.accepting.Unlock()
	if in.knows(id) {
		return fmt.Errorf("message %s is being worked on", id)
	}
	e, loadErr := in.inbox.Load(id)
	if err := in.inbox.Drop(id); err != nil {
		return err
	}
	if loadErr == nil {
		in.report(e.Inbound, event.TurnFinished{Meta: event.Meta{Time: time.Now()}, Result: event.Result{Success: true, MessageID: id, Dropped: true}})
	}
	return nil
}

// mark changes the inbox entries of a turn. If durable is false, the change may be lost in a power failure.
func (in *intake) mark(t *turn, durable bool, change func(*inbox.Entry)) error {
	for i := range t.entries {
		change(&t.entries[i])
		if err := in.inbox.Update(t.entries[i], durable); err != nil {
			return fmt.Errorf("the inbox could not be written: %w", err)
		}
	}
	return nil
}

// Place is the conversation of an unfinished message.
type Place struct {
	Conversation *conversation.Conversation // nil: it has no turn yet, or it is unknown
	Here         bool                       // it continues here, or begins here
	Same         bool                       // Here, and no message was sent there after this one
}

// place notes in the entry of a message that is sent now which conversation it belongs to.
func (in *intake) place(e *inbox.Entry) error {
	if e.Conversation = in.nextID(); e.Conversation != "" {
		return nil
	}
	if in.isFree() {
		if err := in.dropStale(); err != nil {
			in.warn(event.Meta{Time: time.Now()}, "It is unknown whether a question is still open", err)
		}
	}
	id, c, err := in.opt.Conversations.Next(time.Now())
	if err != nil {
		return fmt.Errorf("the conversation could not be opened: %w", err)
	}
	if c == nil {
		in.setNextID(id)
	}
	e.Conversation, e.After = id, c.LastTurn()
	return nil
}

// Where returns the conversation of an unfinished message. The error explains why the message cannot run in it.
func (in *intake) Where(e inbox.Entry) (Place, error) {
	here, err := in.opt.Conversations.Active()
	if err != nil || e.Conversation == "" { // an older version recorded none
		return Place{Here: here == nil}, err
	}
	c, err := in.opt.Conversations.Get(e.Conversation)
	switch {
	case errors.Is(err, fs.ErrNotExist) && e.After != "":
		return Place{}, errors.New("its conversation has been deleted")
	case errors.Is(err, fs.ErrNotExist):
		id := in.opt.Conversations.ID()
		empty := here == nil && (id == "" || id == e.Conversation)
		return Place{Here: empty, Same: empty}, nil
	case err != nil:
		return Place{}, err
	}
	for _, b := range c.Branches() {
		if e.After != "" && slices.ContainsFunc(b.Turns, func(t conversation.Turn) bool { return t.ID == e.After }) {
			return Place{Conversation: c}, errors.New("it was sent in another branch of its conversation: switch to that branch first")
		}
	}
	at := Place{Conversation: c, Here: here != nil && here.ID == c.ID}
	at.Same = at.Here && !slices.ContainsFunc(c.Turns, func(t conversation.Turn) bool { return len(t.Messages) > 0 && t.Messages[0].Time.After(e.Time) })
	return at, nil
}

// GoTo makes the conversation of an unfinished message the active one; a message without one gets a new one. It fails
// while a turn runs or messages wait.
func (in *intake) GoTo(e inbox.Entry) error {
	at, err := in.Where(e)
	switch {
	case err != nil:
		return err
	case at.Here && at.Conversation != nil:
		return nil
	case !at.Here && !in.isFree():
		return errBusy
	case !at.Here:
		if _, err := in.opt.Conversations.Open(cmp.Or(e.Conversation, conversation.NewID(time.Now())), time.Now()); err != nil {
			return err
		}
	}
	in.recorded(in.nextID())
	return nil
}

// dropStale drops the open question if it has expired: at the start, when a message comes, and every
// staleEvery while no turn runs.
func (in *intake) dropStale() error {
	dropped, err := in.opt.Conversations.DropStale(time.Now(), in.opt.StateTimeout)
	if dropped != nil {
		in.bus.Publish(event.QuestionDropped{Meta: event.Meta{Time: time.Now()}, ConversationID: dropped.ConversationID, Question: dropped.Question})
	}
	return err
}

// Usage returns the usage of the active conversation and of the local day, including the running turn.
func (in *intake) Usage() (conversation, day event.Totals, err error) {
	err = in.accounts.Refresh()
	id, activeErr := in.goingOn()
	conversation, day = in.accounts.Today(id)
	return conversation, day, errors.Join(err, activeErr)
}

// goingOn returns the ID of the conversation that the next message continues; empty if there is none.
func (in *intake) goingOn() (string, error) {
	in.mu.Lock()
	var c *conversation.Conversation
	if in.running != nil {
		c = in.running.conv
	}
	in.mu.Unlock()
	var err error
	if c == nil {
		c, err = in.opt.Conversations.Active()
	}
	if c == nil || err != nil {
		return in.nextID(), err
	}
	return c.ID, nil
}
