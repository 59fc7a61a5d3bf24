package smarthole

import (
	"cmp"
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
)

// run connects, and reconnects, until ctx ends.
func (s *Source) run(ctx context.Context, ended chan<- struct{}) {
	defer close(ended)
	for failed := 0; ctx.Err() == nil; {
		s.setStatus(Status{State: Connecting, Reason: s.Status().Reason})
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
		s.setStatus(Status{State: Disconnected, Reason: why})
		routine.Sleep(ctx, s.opt.delay(failed))
	}
}

// connection runs one connection to its end; registered reports whether the registration was accepted.
func (s *Source) connection(ctx context.Context) (registered bool, err error) {
	defer func() {
		if v := recover(); v != nil {
			s.opt.Log.Error("panic in the connection to SmartHole", "panic", v)
			err = reason("an internal error broke the connection")
		}
	}()
	if _, err := s.acquireLedger(); err != nil {
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
	s.setStatus(Status{State: Connected})
	s.opt.Log.Info("connected to SmartHole", "name", s.opt.Registration.Name)
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	var sender routine.Group
	sender.Go("smarthole connection", func() {
		defer func() { _ = conn.CloseNow() }()
		s.speak(inner, conn)
	})
	err = s.listen(inner, conn)
	cancel()
	sender.Wait()
	return true, err
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
	if err := send(ctx, conn, "registration", registration); err != nil {
		return err
	}
	for {
		e, err := receive(ctx, conn)
		if err != nil && !errors.Is(err, errGarbage) {
			return err
		}
		if e.Type != "registration_response" {
			continue
		}
		var r registrationResponse
		if err := json.Unmarshal(e.Payload, &r); err != nil {
			return fmt.Errorf("its answer to the registration is invalid: %w", err)
		}
		if !r.Success {
			return reason(fmt.Sprintf("SmartHole refused to register %q (%s): %s; smarthole.name and smarthole.description are what it got", registration.Name, r.Code, cmp.Or(r.Message, "no reason")))
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
		case "message":
			err = s.message(ctx, conn, e.Payload)
		case "ping":
			err = send(ctx, conn, "pong", struct{}{})
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
		return send(ctx, conn, "response", response{m.ID, "reject", map[string]string{"reason": why}})
	}
	return send(ctx, conn, "response", response{m.ID, "ack", struct{}{}})
}

// speak sends the waiting notifications in order until the connection ends.
func (s *Source) speak(ctx context.Context, conn *websocket.Conn) {
	since := time.Now()
	for ctx.Err() == nil {
		k, ok := s.ledger.next()
		if !ok {
			select {
			case <-s.wake:
			case <-ctx.Done():
			}
			continue
		}
		if send(ctx, conn, "response", response{k.MessageID, "notification", k.rendered(since)}) != nil {
			return
		}
		s.ledger.sent(k)
	}
}

func send(ctx context.Context, conn *websocket.Conn, kind string, payload any) error {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	return wsjson.Write(ctx, conn, map[string]any{"type": kind, "payload": payload})
}

var errGarbage = errors.New("it is not a frame of the protocol")

// receive reads a frame. Unlike wsjson.Read, it leaves the connection open after garbage.
func receive(ctx context.Context, conn *websocket.Conn) (e envelope, err error) {
	kind, data, err := conn.Read(ctx)
	switch {
	case err != nil:
		return e, err
	case kind != websocket.MessageText:
		return e, fmt.Errorf("%w: %d bytes that are not text", errGarbage, len(data))
	}
	if err := json.Unmarshal(data, &e); err != nil {
		return e, fmt.Errorf("%w: %w", errGarbage, err)
	}
	return e, nil
}

// reasonOf describes in a few words why a connection failed or ended.
func reasonOf(err error) string {
	var closed websocket.CloseError
	var why reason
	switch {
	case errors.As(err, &why):
		return string(why)
	case errors.Is(err, syscall.ECONNREFUSED):
		return "SmartHole is not running, or listens on another address"
	case errors.Is(err, context.DeadlineExceeded):
		return "SmartHole does not answer"
	case errors.Is(err, websocket.ErrMessageTooBig), websocket.CloseStatus(err) == websocket.StatusMessageTooBig:
		return "SmartHole sent a frame larger than 1 MB, which was refused"
	case errors.As(err, &closed):
		return strings.TrimSuffix("SmartHole closed the connection: "+closed.Reason, ": ")
	}
	text := err.Error()
	return "the connection broke (" + strings.TrimSpace(text[strings.LastIndex(text, ": ")+1:]) + ")"
}

// reconnectDelay returns the delay after a number of failed attempts, at least 1.
func reconnectDelay(failed int) time.Duration {
	return min(time.Second<<min(failed-1, 5), 30*time.Second)
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
