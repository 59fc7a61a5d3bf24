// Package smarthole is the second way in: messages that the SmartHole program on this computer
// routes here, spoken or written, over a WebSocket.
//
// It promises that a message is acknowledged only when it is durable in the inbox, that one which
// is delivered twice is handled once, and that what has to be said while nobody listens is kept on
// disk and said, with its time, when somebody does. It connects to this computer only.
package smarthole

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"chatvault/agent/event"
	"chatvault/internal/routine"
)

// Keys of a routed message's metadata.
const (
	MetaID         = "smarthole_id"
	MetaConfidence = "confidence"
	MetaReason     = "routing_reason"
)

// processor is what the source needs of agent.Processor.
type processor interface {
	Submit(ctx context.Context, m event.Inbound) (event.Inbound, error)
	Subscribe() *event.Subscription
}

// Options of a Source. Root, Processor and Registration are required.
type Options struct {
	Root         *os.Root // the vault's state folder
	URL          string   // empty: DefaultURL
	Token        string   // that SmartHole has to prove it knows; empty: no proof is asked for
	Registration Registration
	Title        string // of notifications: the vault's name
	Log          *slog.Logger
	Warn         func(string) // told what the user should know; nil: nobody

	delay func(failed int) time.Duration // between attempts; nil: reconnectDelay
}

// Source takes routed messages and tells what becomes of them. Notify may be wired before Attach
// gives it a processor. It is safe for concurrent use. Close it when done.
type Source struct {
	opt   Options
	board *statusBoard
	wake  chan struct{}

	mu       sync.Mutex
	proc     processor
	ledger   *ledger
	stop     context.CancelFunc // of the connection; nil: off
	ended    chan struct{}      // closed when it is
	follow   *event.Subscription
	followed chan struct{}
	closed   bool
}

// New returns a source that is off.
func New(opt Options) *Source {
	opt.URL = cmp.Or(opt.URL, DefaultURL)
	opt.Log = cmp.Or(opt.Log, slog.New(slog.DiscardHandler))
	if opt.Warn == nil {
		opt.Warn = func(string) {}
	}
	if opt.delay == nil {
		opt.delay = reconnectDelay
	}
	return &Source{opt: opt, board: &statusBoard{now: Status{State: Disabled}, news: make(chan struct{}, 1)}, wake: make(chan struct{}, 1)}
}

// Status is how the connection stands.
func (s *Source) Status() Status { return s.board.get() }

// Next waits for the status to be another than at the last call; an error when ctx ends.
func (s *Source) Next(ctx context.Context) (Status, error) {
	select {
	case <-s.board.news:
		return s.board.get(), nil
	case <-ctx.Done():
		return Status{}, ctx.Err()
	}
}

// Attach says who works on the messages.
func (s *Source) Attach(p processor) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.proc = p
}

// On connects, and keeps connected; an error says why that cannot be. Where it is on already and not
// connected, it tries at once, also what was given up.
func (s *Source) On() error {
	if s.Status().State == Disconnected {
		s.Off()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return errors.New("the program is ending")
	case s.stop != nil:
		return nil
	}
	if err := errors.Join(CheckURL(s.opt.URL), s.opt.Registration.Check()); err != nil {
		return err
	}
	_ = s.own() // tried again by run where another process has it
	ctx, cancel := context.WithCancel(context.Background())
	s.stop, s.ended = cancel, make(chan struct{})
	s.board.set(Status{State: Connecting})
	ended := s.ended
	routine.Go("smarthole", func() { s.run(ctx, ended) })
	return nil
}

// Off disconnects. What is worked on goes on, and what there is to say of it is kept.
func (s *Source) Off() {
	s.mu.Lock()
	stop, ended := s.stop, s.ended
	s.stop = nil
	s.mu.Unlock()
	if stop == nil {
		return
	}
	stop()
	<-ended
	s.board.set(Status{State: Disabled})
}

// Settle waits until what there is to say has been sent, for d at most, where anybody listens.
func (s *Source) Settle(d time.Duration) {
	s.mu.Lock()
	l := s.ledger
	s.mu.Unlock()
	for end := time.Now().Add(d); l != nil && l.waiting() > 0 && s.Status().State == Connected && time.Now().Before(end); {
		time.Sleep(5 * time.Millisecond)
	}
}

// Close ends the source. The processor is closed after it, or goes on without it.
func (s *Source) Close() {
	s.Off()
	s.mu.Lock()
	s.closed = true
	follow, followed, l := s.follow, s.followed, s.ledger
	s.follow = nil
	s.mu.Unlock()
	if follow != nil {
		follow.Close()
		<-followed
		l.close()
	}
}

// own makes this process the one that is connected for the vault, which it stays until it ends;
// with mu held.
func (s *Source) own() error {
	switch {
	case s.ledger != nil:
		return nil
	case s.closed:
		return reason("the program is ending")
	}
	l, err := openLedger(s.opt.Root, s.opt.Warn)
	if err != nil {
		return reason(err.Error())
	}
	s.ledger = l
	s.follow, s.followed = s.proc.Subscribe(), make(chan struct{})
	follow, followed := s.follow, s.followed
	routine.Go("smarthole watch", func() { s.watch(follow, followed) })
	return nil
}

// refused puts a message into the inbox, or says to who sent it why it cannot be taken; empty: it is there.
func (s *Source) refused(ctx context.Context, m Message) string {
	if s.ledger.seen(m.ID) {
		return ""
	}
	if strings.TrimSpace(m.Text) == "" {
		return "The message is empty."
	}
	in := event.Inbound{ID: inboundID(m.ID), Text: m.Text, Source: event.SourceWebSocket, Metadata: metadata(m)}
	if _, err := s.proc.Submit(ctx, in); err != nil {
		return err.Error()
	}
	s.ledger.take(m.ID) // where that fails, one that comes again is known in the inbox
	return ""
}

// inboundID is the id of a message in the inbox, where ids name files.
func inboundID(id string) string {
	sum := sha256.Sum256([]byte(id))
	return "routed-" + hex.EncodeToString(sum[:12])
}

func metadata(m Message) map[string]string {
	meta := map[string]string{MetaID: m.ID}
	if m.Metadata.InputMethod != "" {
		meta[event.MetaInput] = m.Metadata.InputMethod
	}
	if m.Metadata.Confidence != 0 {
		meta[MetaConfidence] = strconv.FormatFloat(m.Metadata.Confidence, 'f', -1, 64)
	}
	if m.Metadata.RoutingReason != "" {
		meta[MetaReason] = m.Metadata.RoutingReason
	}
	if t := strings.Trim(string(m.Timestamp), `"`); t != "" && json.Valid(m.Timestamp) && t != "null" {
		meta["timestamp"] = t
	}
	return meta
}

// Notify tells how a routed message ended: agent.Options.Notify. It is kept on disk when it
// returns, and sent after what the turn said before its end.
func (s *Source) Notify(in event.Inbound, r event.Result) {
	id := in.Metadata[MetaID]
	if in.Source != event.SourceWebSocket || id == "" {
		return
	}
	n := Notification{Title: s.opt.Title, Body: r.Response, Priority: Normal}
	switch {
	case r.Stopped:
		n.Body = "The user stopped this before it finished."
	case r.Dropped:
		n.Body = droppedText
	case !r.Success:
		n.Body, n.Priority = "This failed: "+r.Error, High
	case r.IsWaitingForResponse:
		n.Priority = High
	}
	if strings.TrimSpace(n.Body) == "" { // a question that was told when it was asked
		return
	}
	n.Body = shorten(n.Body)
	s.keep(kept{MessageID: id, Key: endKey(in.ID), What: n, held: !r.Dropped})
}

const droppedText = "The user dropped this; nothing more will be done about it."

// TellDropped keeps the news that a routed message was dropped where no processor runs, to be sent when
// a process connects. title is that of notifications. Of a message that was not routed there is none.
func TellDropped(root *os.Root, title string, in event.Inbound) error {
	if in.Source != event.SourceWebSocket || in.Metadata[MetaID] == "" {
		return nil
	}
	l, err := openLedger(root, func(string) {})
	if err != nil {
		return err
	}
	defer l.close()
	l.put(kept{MessageID: in.Metadata[MetaID], Key: endKey(in.ID), What: Notification{Title: title, Body: droppedText, Priority: Normal}, Time: time.Now()})
	return nil
}

func endKey(id string) string { return "end " + id }

// keep puts a notification where it waits to be sent.
func (s *Source) keep(k kept) {
	s.mu.Lock()
	err := s.own()
	l := s.ledger
	s.mu.Unlock()
	if err != nil {
		s.opt.Log.Warn("what a routed message came to is not told", "error", err)
		return
	}
	k.Time = time.Now()
	l.put(k)
	s.ring()
}

func (s *Source) ring() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// State is how the connection stands.
type State string

// The states.
const (
	Disabled     State = "disabled"
	Connecting   State = "connecting"
	Connected    State = "connected"
	Disconnected State = "disconnected" // and tried again, unless Reason says that it cannot help
)

// Status is a State and, where there is one, the reason for it.
type Status struct {
	State  State
	Reason string // for the user; empty: none
}

// statusBoard shows the newest status to whoever looks, and wakes one that waits for news.
type statusBoard struct {
	mu   sync.Mutex
	now  Status
	news chan struct{} // holds a token when now changed
}

func (b *statusBoard) set(s Status) {
	b.mu.Lock()
	changed := b.now != s
	b.now = s
	b.mu.Unlock()
	if changed {
		select {
		case b.news <- struct{}{}:
		default: // somebody was told already and will see this one
		}
	}
}

func (b *statusBoard) get() Status {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.now
}
