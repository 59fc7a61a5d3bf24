package smarthole

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/coder/websocket"

	"chatvault/internal/loopback"
	"chatvault/internal/routine"
)

const (
	dialTimeout     = 10 * time.Second
	registerTimeout = 10 * time.Second
	writeTimeout    = 10 * time.Second
	pingInterval    = 30 * time.Second
	farewell        = 300 * time.Millisecond // to close a connection in order
)

// errReject says that a message cannot be taken, in words for who sent it.
type errReject struct{ reason string }

func (e *errReject) Error() string { return e.reason }

// client keeps one connection of a source, and makes it anew when it breaks.
type client struct {
	*Source
	out *ledger // what is to be told
}

// run connects until ctx ends, or until the registration was refused for good.
func (c *client) run(ctx context.Context) {
	for failed := 0; ctx.Err() == nil; {
		c.board.set(Status{State: Connecting, Reason: c.board.get().Reason})
		registered, err := c.connection(ctx)
		if ctx.Err() != nil {
			return
		}
		if registered {
			failed = 0
		}
		failed++
		reason := reasonOf(err)
		c.opt.Log.Info("SmartHole is not connected", "reason", reason, "attempt", failed)
		c.board.set(Status{State: Disconnected, Reason: reason})
		var refused *Refused
		if errors.As(err, &refused) && refused.forGood() {
			return
		}
		select {
		case <-time.After(c.opt.delay(failed)):
		case <-ctx.Done():
		}
	}
}

// connection is the life of one connection; registered says whether it got as far as that.
func (c *client) connection(ctx context.Context) (registered bool, err error) {
	dialing, done := context.WithTimeout(ctx, dialTimeout)
	defer done()
	conn, err := dial(dialing, c.opt.URL)
	if err != nil {
		return false, err
	}
	defer func() { _ = conn.CloseNow() }()
	conn.SetReadLimit(maxFrame)
	if err := c.introduce(ctx, conn); err != nil {
		return false, err
	}
	c.board.set(Status{State: Connected})
	c.opt.Log.Info("connected to SmartHole", "name", c.opt.Registration.Name)
	return true, c.serve(ctx, conn)
}

// serve listens, speaks and keeps alive until one of them fails or ctx ends.
func (c *client) serve(ctx context.Context, conn *websocket.Conn) error {
	// Ending the context of a read or write breaks the connection, so it outlives ctx: first comes
	// a farewell.
	inner, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	failed := make(chan error, 3)
	var all sync.WaitGroup
	for _, do := range []func(context.Context, *websocket.Conn) error{c.listen, c.speak, c.keepAlive} {
		routine.Join(&all, "smarthole connection", func() {
			defer func() {
				if v := recover(); v != nil {
					failed <- fmt.Errorf("internal error: %v", v)
				}
			}()
			failed <- do(inner, conn)
		})
	}
	var err error
	select {
	case err = <-failed:
	case <-ctx.Done():
		err = ctx.Err()
		bye := time.AfterFunc(farewell, routine.Guard("smarthole farewell", func() { _ = conn.CloseNow() }))
		_ = conn.Close(websocket.StatusNormalClosure, "") // who does not answer it is gone anyway
		bye.Stop()
	}
	cancel()
	_ = conn.CloseNow()
	all.Wait()
	return err
}

// introduce registers and waits for the answer.
func (c *client) introduce(ctx context.Context, conn *websocket.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, registerTimeout)
	defer cancel()
	if err := send(ctx, conn, typeRegistration, c.opt.Registration); err != nil {
		return err
	}
	for {
		e, err := receive(ctx, conn)
		switch {
		case errors.Is(err, errGarbage):
			continue
		case err != nil && ctx.Err() != nil:
			return errors.New("it did not answer the registration")
		case err != nil:
			return err
		case e.Type != typeRegistered:
			continue
		}
		var r registrationResponse
		if err := json.Unmarshal(e.Payload, &r); err != nil {
			return fmt.Errorf("its answer to the registration is invalid: %w", err)
		}
		if !r.Success {
			return &Refused{Code: r.Code, Message: r.Message, Name: c.opt.Registration.Name}
		}
		return nil
	}
}

// listen takes what comes until the connection ends.
func (c *client) listen(ctx context.Context, conn *websocket.Conn) error {
	for {
		e, err := receive(ctx, conn)
		switch {
		case errors.Is(err, errGarbage):
			c.opt.Log.Warn("SmartHole sent something invalid", "error", err)
			continue
		case err != nil:
			return err
		}
		switch e.Type {
		case typeMessage:
			err = c.message(ctx, conn, e.Payload)
		case typePing:
			err = send(ctx, conn, typePong, struct{}{})
		default:
			c.opt.Log.Debug("SmartHole sent a frame meant for another program", "type", e.Type)
		}
		if err != nil {
			return err
		}
	}
}

// message makes a message durable, and acknowledges it only then.
func (c *client) message(ctx context.Context, conn *websocket.Conn, payload json.RawMessage) error {
	var m Message
	if err := json.Unmarshal(payload, &m); err != nil || m.ID == "" {
		c.opt.Log.Warn("SmartHole sent an invalid message, or one without an id", "error", err)
		return nil // there is nothing that could be answered
	}
	err := c.deliver(ctx, m)
	var reject *errReject
	switch {
	case err == nil:
		return send(ctx, conn, typeResponse, response{m.ID, kindAck, struct{}{}})
	case errors.As(err, &reject):
		return send(ctx, conn, typeResponse, response{m.ID, kindReject, rejection{reject.reason}})
	}
	c.opt.Log.Error("a routed message could not be saved", "error", err)
	return send(ctx, conn, typeResponse, response{m.ID, kindReject, rejection{"It could not be saved: " + err.Error()}})
}

// speak sends what waits, in order, as it comes.
func (c *client) speak(ctx context.Context, conn *websocket.Conn) error {
	since := c.opt.now()
	for {
		for {
			k, ok := c.out.next()
			if !ok {
				break
			}
			if err := send(ctx, conn, typeResponse, response{k.MessageID, kindNotification, k.told(since, c.opt.now())}); err != nil {
				return err
			}
			c.out.sent(k)
		}
		select {
		case <-c.wake:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// keepAlive notices a connection whose other end is gone without a word.
func (c *client) keepAlive(ctx context.Context, conn *websocket.Conn) error {
	tick := time.NewTicker(pingInterval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
		ping, cancel := context.WithTimeout(ctx, writeTimeout)
		err := conn.Ping(ping)
		cancel()
		if err != nil {
			return err
		}
	}
}

func send(ctx context.Context, conn *websocket.Conn, kind string, payload any) error {
	data, err := frame(kind, payload)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	return conn.Write(ctx, websocket.MessageText, data)
}

var errGarbage = errors.New("it is not a frame of the protocol")

func receive(ctx context.Context, conn *websocket.Conn) (envelope, error) {
	kind, data, err := conn.Read(ctx)
	if err != nil {
		return envelope{}, err
	}
	var e envelope
	if kind != websocket.MessageText {
		return e, fmt.Errorf("%w: %d bytes that are not text", errGarbage, len(data))
	}
	if err := json.Unmarshal(data, &e); err != nil {
		return e, fmt.Errorf("%w: %w", errGarbage, err)
	}
	return e, nil
}

// reasonOf says in a few words why a connection ended or was not made.
func reasonOf(err error) string {
	var refused *Refused
	var closed websocket.CloseError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &refused):
		return refused.Error()
	case errors.Is(err, syscall.ECONNREFUSED):
		return "SmartHole is not running, or listens on another address"
	case errors.Is(err, context.DeadlineExceeded):
		return "SmartHole does not answer"
	case errors.Is(err, websocket.ErrMessageTooBig), websocket.CloseStatus(err) == websocket.StatusMessageTooBig:
		return "SmartHole sent a frame larger than 1 MB, which was refused"
	case errors.As(err, &closed):
		if closed.Reason != "" {
			return "SmartHole closed the connection: " + closed.Reason
		}
		return "SmartHole closed the connection"
	}
	text := err.Error()
	if i := strings.LastIndex(text, ": "); i >= 0 {
		text = text[i+2:]
	}
	return "the connection broke (" + text + ")"
}

// reconnectDelay is how long to wait before the attempt after this many failed ones, 1 or more.
func reconnectDelay(failed int) time.Duration {
	if failed > 5 {
		return 30 * time.Second
	}
	return time.Second << max(failed-1, 0)
}

// dial opens a connection to this computer, wherever the address leads: no proxy, no redirect.
func dial(ctx context.Context, url string) (*websocket.Conn, error) {
	transport := &http.Transport{DialContext: loopback.Within(&net.Dialer{}).DialContext}
	defer transport.CloseIdleConnections()
	conn, _, err := websocket.Dial(ctx, url, &websocket.DialOptions{HTTPClient: &http.Client{ //nolint:bodyclose // the library closes it
		Transport: transport,
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return errors.New("it redirects to another address, which is not followed")
		},
	}})
	return conn, err
}
