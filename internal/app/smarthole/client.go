package smarthole

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"

	"chatvault/internal/base/loopback"
	"chatvault/internal/base/routine"
)

const (
	dialTimeout     = 10 * time.Second
	registerTimeout = 10 * time.Second
	writeTimeout    = 10 * time.Second
	farewell        = 300 * time.Millisecond // to close a connection cleanly
)

// run connects, and reconnects, until ctx ends or the registration is refused permanently.
func (s *Source) run(ctx context.Context, ended chan<- struct{}) {
	defer close(ended)
	defer func() {
		if v := recover(); v != nil {
			s.opt.Log.Error("panic in the connection to SmartHole", "panic", v)
			s.board.set(Status{State: Disconnected, Reason: "an internal error ended it; /smarthole on tries again"})
		}
	}()
	for failed := 0; ctx.Err() == nil; {
		s.board.set(Status{State: Connecting, Reason: s.board.get().Reason})
		registered, err := s.connection(ctx)
		if ctx.Err() != nil {
			return
		}
		if registered {
			failed = 0
		}
		failed++
		why := reasonOf(err)
		s.opt.Log.Info("SmartHole is not connected", "reason", why, "attempt", failed)
		s.board.set(Status{State: Disconnected, Reason: why})
		if refused, ok := errors.AsType[*Refused](err); ok && refusals[refused.Code].forGood {
			return
		}
		select {
		case <-time.After(s.opt.delay(failed)):
		case <-ctx.Done():
		}
	}
}

// connection runs one connection to its end; registered reports whether the registration was accepted.
func (s *Source) connection(ctx context.Context) (registered bool, err error) {
	s.mu.Lock()
	err = s.acquireLedger()
	s.mu.Unlock()
	if err != nil {
		return false, err
	}
	conn, at, err := dialTrusted(ctx, s.opt.URL, s.opt.Token)
	if err != nil {
		return false, err
	}
	defer func() { _ = conn.CloseNow() }()
	conn.SetReadLimit(maxFrame)
	if err := s.register(ctx, conn, at); err != nil {
		return false, err
	}
	s.board.set(Status{State: Connected})
	s.opt.Log.Info("connected to SmartHole", "name", s.opt.Registration.Name)
	return true, s.serve(ctx, conn)
}

// serve receives and sends until one of them fails or ctx ends.
func (s *Source) serve(ctx context.Context, conn *websocket.Conn) error {
	// The context of a read or write breaks the connection when it ends, so it outlives ctx until the connection is closed.
	inner, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	failed := make(chan error, 2)
	var all sync.WaitGroup
	for _, do := range []func(context.Context, *websocket.Conn) error{s.listen, s.speak} {
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

// register registers and waits for the answer, which must contain the proof if there is a token. at is the address of
// the other end.
func (s *Source) register(ctx context.Context, conn *websocket.Conn, at netip.AddrPort) error {
	ctx, cancel := context.WithTimeout(ctx, registerTimeout)
	defer cancel()
	registration := s.opt.Registration
	if s.opt.Token != "" {
		registration.Challenge = rand.Text()
	}
	if err := send(ctx, conn, typeRegistration, registration); err != nil {
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
			return &Refused{Code: r.Code, Message: r.Message, Name: s.opt.Registration.Name}
		}
		if s.opt.Token != "" && !hmac.Equal([]byte(r.Proof), []byte(proof(s.opt.Token, registration.Challenge, at))) {
			return reason("the program at " + s.opt.URL + " did not prove that it knows smarthole.token, so no message is taken from it; set the same token in SmartHole, or find out which program listens there")
		}
		return nil
	}
}

// listen handles incoming frames until the connection ends.
func (s *Source) listen(ctx context.Context, conn *websocket.Conn) error {
	for {
		e, err := receive(ctx, conn)
		switch {
		case errors.Is(err, errGarbage):
			s.opt.Log.Warn("SmartHole sent something invalid", "error", err)
			continue
		case err != nil:
			return err
		}
		switch e.Type {
		case typeMessage:
			err = s.message(ctx, conn, e.Payload)
		case typePing:
			err = send(ctx, conn, typePong, struct{}{})
		default:
			s.opt.Log.Debug("SmartHole sent a frame meant for another program", "type", e.Type)
		}
		if err != nil {
			return err
		}
	}
}

// message stores a message durably and then acknowledges it.
func (s *Source) message(ctx context.Context, conn *websocket.Conn, payload json.RawMessage) error {
	var m Message
	if err := json.Unmarshal(payload, &m); err != nil || m.ID == "" {
		s.opt.Log.Warn("SmartHole sent an invalid message, or one without an id", "error", err)
		return nil // an answer needs its id
	}
	if why := s.accept(ctx, m); why != "" {
		return send(ctx, conn, typeResponse, response{m.ID, kindReject, rejection{why}})
	}
	return send(ctx, conn, typeResponse, response{m.ID, kindAck, struct{}{}})
}

// speak sends the waiting notifications in order.
func (s *Source) speak(ctx context.Context, conn *websocket.Conn) error {
	since := time.Now()
	for {
		for {
			k, ok := s.ledger.next()
			if !ok {
				break
			}
			if err := send(ctx, conn, typeResponse, response{k.MessageID, kindNotification, k.rendered(since, time.Now())}); err != nil {
				return err
			}
			s.ledger.sent(k)
		}
		select {
		case <-s.wake:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func send(ctx context.Context, conn *websocket.Conn, kind string, payload any) error {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	return wsjson.Write(ctx, conn, map[string]any{"type": kind, "payload": payload})
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

// reasonOf describes in a few words why a connection failed or ended.
func reasonOf(err error) string {
	var refused *Refused
	var closed websocket.CloseError
	var why reason
	switch {
	case err == nil:
		return ""
	case errors.As(err, &why):
		return why.Error()
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

// reconnectDelay returns the delay after a number of failed attempts, at least 1.
func reconnectDelay(failed int) time.Duration {
	if failed > 5 {
		return 30 * time.Second
	}
	return time.Second << max(failed-1, 0)
}

// dial opens a connection, only to this computer, without a proxy or redirects.
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
