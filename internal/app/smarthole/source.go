// Package smarthole receives messages that the SmartHole program on this computer routes here, spoken or written, over a
// WebSocket.
//
// A message is acknowledged when it is durable in the inbox, and handled once even if it is delivered twice. Notifications
// are stored on disk until SmartHole is connected, and then sent with their time. It connects to this computer only.
package smarthole

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"strings"
	"sync"
	"time"

	"chatvault/agent/event"
	"chatvault/internal/base/routine"
)

// MetaID is the key of SmartHole's id in a routed message's metadata.
const MetaID = "smarthole_id"

// processor is implemented by agent.Processor.
type processor interface {
	Submit(ctx context.Context, m event.Inbound) (event.Inbound, error)
}

// Options configure a Source. Root and Registration are required.
type Options struct {
	Root         *os.Root // the vault's state folder
	URL          string
	Token        string // secret that SmartHole must prove to know; empty if none
	Enabled      bool   // Changes connects
	Offline      bool   // nothing connects
	Registration Registration
	Title        string // of notifications: the vault's name
	Log          *slog.Logger
	Warn         func(string) // warns the user

	delay func(failed int) time.Duration // between attempts; nil means reconnectDelay
}

// Source receives routed messages and sends notifications about them. It is safe for concurrent use.
type Source struct {
	opt     Options
	wake    chan struct{} // a notification may be sent
	changes chan Status   // the newest status that was not taken

	mu     sync.Mutex
	status Status
	proc   processor
	ledger *ledger
	stop   context.CancelFunc // ends the connection; nil if it is off
	ended  chan struct{}      // closed when the connection has ended
	closed bool
}

// New returns a source that is off.
func New(opt Options) *Source {
	opt.Log = cmp.Or(opt.Log, slog.New(slog.DiscardHandler))
	if opt.delay == nil {
		opt.delay = reconnectDelay
	}
	return &Source{opt: opt, status: Status{State: Disabled}, changes: make(chan Status, 1), wake: make(chan struct{}, 1)}
}

// Status returns the state of the connection.
func (s *Source) Status() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.status
}

func (s *Source) setStatus(now Status) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.status == now {
		return
	}
	s.status = now
	select {
	case <-s.changes:
	default:
	}
	s.changes <- now
}

// Changes connects if that is configured and returns a channel with the changes of the status; one that is not taken is
// replaced by the next.
func (s *Source) Changes(context.Context) <-chan Status {
	if s.opt.Enabled {
		if err := s.On(); err != nil {
			s.setStatus(Status{State: Disabled, Reason: err.Error()})
		}
	}
	return s.changes
}

// Attach sets the processor of messages. It must be called before On.
func (s *Source) Attach(p processor) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.proc = p
}

// On connects and stays connected. If it is on but not connected, it tries again at once. The options must be valid.
func (s *Source) On() error {
	if s.Status().State == Disconnected {
		s.Off()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.opt.Offline:
		return errOffline
	case s.closed:
		return errEnding
	case s.stop != nil:
		return nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	s.stop, s.ended = cancel, ended
	routine.Go("smarthole", func() { s.run(ctx, ended) })
	return nil
}

// Off disconnects. Running turns continue, and their notifications are stored.
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
	s.setStatus(Status{State: Disabled})
}

// Settle waits up to d until all notifications have been sent, if SmartHole is connected.
func (s *Source) Settle(d time.Duration) {
	s.mu.Lock()
	l := s.ledger
	s.mu.Unlock()
	for end := time.Now().Add(d); l != nil && l.waiting() > 0 && s.Status().State == Connected && time.Now().Before(end); {
		time.Sleep(5 * time.Millisecond)
	}
}

// Close ends the source. The caller closes the processor afterwards.
func (s *Source) Close() {
	s.Off()
	s.mu.Lock()
	l, closed := s.ledger, s.closed
	s.closed = true
	s.mu.Unlock()
	if l != nil && !closed {
		l.close()
	}
}

const (
	errEnding  = reason("the program is ending")
	errOffline = reason("offline is set, so no connection is opened")
)

// acquireLedger makes this process the one that connects for the vault, until it ends.
func (s *Source) acquireLedger() (*ledger, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.ledger != nil:
		return s.ledger, nil
	case s.closed:
		return nil, errEnding
	}
	l, err := openLedger(s.opt.Root, s.opt.Warn)
	if err != nil {
		return nil, reason(err.Error())
	}
	s.ledger = l
	return l, nil
}

// accept puts a message into the inbox. It returns the reason for the sender if that fails, else "".
func (s *Source) accept(ctx context.Context, m Message) string {
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
	s.ledger.take(m.ID) // if that fails, the inbox recognizes a repeated message
	return ""
}

// inboundID returns the id of a message in the inbox, which is valid as a file name.
func inboundID(id string) string {
	sum := sha256.Sum256([]byte(id))
	return "routed-" + hex.EncodeToString(sum[:12])
}

func metadata(m Message) map[string]string {
	meta := map[string]string{MetaID: m.ID, event.MetaInput: m.Metadata.InputMethod, event.MetaSender: m.Metadata.Sender}
	maps.DeleteFunc(meta, func(_, value string) bool { return value == "" })
	return meta
}

// Notify implements agent.Options.Notify: it sends what comes of a routed message. The notification is on disk when it
// returns.
func (s *Source) Notify(in event.Inbound, e event.Event) {
	id := in.Metadata[MetaID]
	if in.Source != event.SourceWebSocket || id == "" {
		return
	}
	k := kept{MessageID: id, What: notification(e)}
	if k.What.Body = shorten(k.What.Body); k.What.Body != "" {
		k.What.Title = s.opt.Title
		s.store(k)
	}
}

// notification returns the text about an event, without its title.
func notification(e event.Event) Notification {
	switch e := e.(type) {
	case event.AgentMessage:
		if !e.IsQuestion {
			return Notification{Body: e.Content, Priority: Normal}
		}
		for i, o := range e.Options {
			e.Content += fmt.Sprintf("\n%d. %s", i+1, o)
		}
		return Notification{Body: e.Content, Priority: High}
	case event.Requested:
		return Notification{Body: "Not done, because it needs your consent in the chat: " + string(e.Request.Change.Kind) + " " + e.Request.Change.Subject(), Priority: High}
	case event.TurnFinished:
		switch {
		case e.Stopped:
			return Notification{Body: "The user stopped this before it finished.", Priority: Normal}
		case e.Dropped:
			return Notification{Body: droppedText, Priority: Normal}
		case !e.Success:
			return Notification{Body: "This failed: " + e.Error, Priority: High}
		case e.IsWaitingForResponse:
			return Notification{Body: e.Response, Priority: High}
		}
		return Notification{Body: e.Response, Priority: Normal}
	}
	return Notification{}
}

const droppedText = "The user dropped this; nothing more will be done about it."

// TellDropped stores the notification that a routed message was dropped, without a running processor. It does nothing for
// other messages. title is the title of notifications.
func TellDropped(root *os.Root, title string, in event.Inbound) error {
	id := in.Metadata[MetaID]
	if in.Source != event.SourceWebSocket || id == "" {
		return nil
	}
	l, err := openLedger(root, func(string) {})
	if err != nil {
		return err
	}
	defer l.close()
	l.put(kept{MessageID: id, What: Notification{Title: title, Body: droppedText, Priority: Normal}})
	return nil
}

// store stores a notification until it is sent.
func (s *Source) store(k kept) {
	l, err := s.acquireLedger()
	if err != nil {
		s.opt.Log.Warn("a notification about a routed message was not stored", "error", err)
		return
	}
	l.put(k)
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// State is the state of the connection.
type State string

// The states.
const (
	Disabled     State = "disabled"
	Connecting   State = "connecting"
	Connected    State = "connected"
	Disconnected State = "disconnected" // will be retried
)

// Status is a State with its reason.
type Status struct {
	State  State
	Reason string // for the user; may be empty
}
