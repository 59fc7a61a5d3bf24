// Package hubtest is a SmartHole for tests. It checks every frame, records protocol violations, and can be made to
// fail.
package hubtest

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// Response is a client's response to a message.
type Response struct {
	MessageID string `json:"messageId"`
	Type      string `json:"type"`
	Payload   struct {
		Reason   string `json:"reason"`
		Title    string `json:"title"`
		Body     string `json:"body"`
		Priority string `json:"priority"`
	} `json:"payload"`
	At time.Time `json:"-"`
}

// Refusal is a negative answer to a registration.
type Refusal struct{ Code, Message string }

// Hub is a running SmartHole.
type Hub struct {
	addr string

	mu         sync.Mutex
	changed    *sync.Cond
	server     *http.Server
	conn       *websocket.Conn // the registered client, or nil
	refuse     []Refusal       // answers to the next registrations
	mute       bool            // do not answer registrations
	unanswered []*websocket.Conn
	token      string // empty means challenges are not answered
	proofs     map[*websocket.Conn]string
	pongs      int // answers to "ping" frames
	registered []json.RawMessage
	responses  []Response
	dials      []time.Time
	violations []string
}

// Start starts a hub on a free port of this computer.
func Start() (*Hub, error) { return StartAt("127.0.0.1:0") }

// StartAt starts a hub at an address.
func StartAt(addr string) (*Hub, error) {
	h := &Hub{proofs: map[*websocket.Conn]string{}}
	h.changed = sync.NewCond(&h.mu)
	return h, h.listen(addr)
}

// SetToken sets the token with which challenges are answered.
func (h *Hub) SetToken(token string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.token = token
}

func (h *Hub) listen(addr string) error {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.addr = l.Addr().String()
	h.server = &http.Server{Handler: http.HandlerFunc(h.serve), ReadHeaderTimeout: 5 * time.Second}
	go func(s *http.Server) { _ = s.Serve(l) }(h.server)
	return nil
}

// URL returns the hub's address, which stays the same after Away.
func (h *Hub) URL() string { return "ws://" + h.addr }

// Away stops listening and cuts every connection, like a program that exits.
func (h *Hub) Away() {
	h.mu.Lock()
	s, c := h.server, h.conn
	h.server, h.conn = nil, nil
	h.mu.Unlock()
	if s != nil {
		_ = s.Close()
	}
	if c != nil {
		_ = c.CloseNow()
	}
}

// Back listens at the same address again.
func (h *Hub) Back() error { return h.listen(h.addr) }

// Close stops the hub.
func (h *Hub) Close() { h.Away() }

// Refuse refuses the next registrations, one for each argument.
func (h *Hub) Refuse(r ...Refusal) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.refuse = append(h.refuse, r...)
}

// Mute leaves registrations unanswered while on.
func (h *Hub) Mute(on bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.mute = on
	if on {
		return
	}
	for _, conn := range h.unanswered {
		h.answer(conn)
	}
	h.unanswered = nil
}

var namePattern = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,63}$`)

func (h *Hub) serve(w http.ResponseWriter, r *http.Request) {
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer func() { _ = conn.CloseNow() }()
	conn.SetReadLimit(4 << 20)
	h.mu.Lock()
	h.dials = append(h.dials, time.Now())
	h.mu.Unlock()
	at := r.Context().Value(http.LocalAddrContextKey).(net.Addr).String()
	for {
		_, data, err := conn.Read(context.Background())
		if err != nil {
			h.mu.Lock()
			if h.conn == conn {
				h.conn = nil
			}
			h.changed.Broadcast()
			h.mu.Unlock()
			return
		}
		h.take(conn, at, data)
	}
}

func (h *Hub) take(conn *websocket.Conn, at string, data []byte) {
	var e struct {
		Type    string          `json:"type"`
		Payload json.RawMessage `json:"payload"`
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	defer h.changed.Broadcast()
	if err := json.Unmarshal(data, &e); err != nil {
		h.violate("a frame that is not JSON: %.100q", data)
		return
	}
	switch e.Type {
	case "registration":
		h.register(conn, at, e.Payload)
	case "response":
		h.response(conn, e.Payload)
	case "pong":
		h.pongs++
	default:
		h.violate("a frame of type %q", e.Type)
	}
}

func (h *Hub) register(conn *websocket.Conn, at string, payload json.RawMessage) {
	var r struct {
		Name         string    `json:"name"`
		Description  string    `json:"description"`
		Version      string    `json:"version"`
		Capabilities *[]string `json:"capabilities"`
		Challenge    string    `json:"challenge"`
	}
	if err := json.Unmarshal(payload, &r); err != nil || !namePattern.MatchString(r.Name) || r.Description == "" || len([]rune(r.Description)) > 1024 || r.Version == "" || r.Capabilities == nil {
		h.violate("a registration that is not complete: %s", payload)
	}
	h.registered = append(h.registered, slices.Clone(payload))
	if h.token != "" && r.Challenge != "" {
		mac := hmac.New(sha256.New, []byte(h.token))
		fmt.Fprint(mac, r.Challenge, " ", at)
		h.proofs[conn] = hex.EncodeToString(mac.Sum(nil))
	}
	switch {
	case h.mute:
		h.unanswered = append(h.unanswered, conn)
		return
	case len(h.refuse) > 0:
		f := h.refuse[0]
		h.refuse = h.refuse[1:]
		h.write(conn, "registration_response", map[string]any{"success": false, "code": f.Code, "message": f.Message})
		return
	}
	h.answer(conn)
}

// answer accepts a registration. The caller holds mu.
func (h *Hub) answer(conn *websocket.Conn) {
	h.conn = conn
	h.write(conn, "registration_response", map[string]any{"success": true, "clientId": "client-1", "proof": h.proofs[conn]})
}

func (h *Hub) response(conn *websocket.Conn, payload json.RawMessage) {
	var r Response
	if err := json.Unmarshal(payload, &r); err != nil {
		h.violate("a response that makes no sense: %s", payload)
		return
	}
	bad := r.MessageID == "" || conn != h.conn
	switch r.Type {
	case "ack":
	case "reject":
		bad = bad || r.Payload.Reason == ""
	case "notification":
		bad = bad || r.Payload.Title == "" || r.Payload.Body == "" || !slices.Contains([]string{"low", "normal", "high"}, r.Payload.Priority)
	default:
		bad = true
	}
	if bad {
		h.violate("a response that is not allowed: %s", payload)
	}
	r.At = time.Now()
	h.responses = append(h.responses, r)
}

func (h *Hub) violate(format string, args ...any) {
	h.violations = append(h.violations, fmt.Sprintf(format, args...))
}

func (h *Hub) write(conn *websocket.Conn, kind string, payload any) {
	data, err := json.Marshal(map[string]any{"type": kind, "payload": payload})
	if err != nil {
		panic(err) // plain values always marshal
	}
	_ = conn.Write(context.Background(), websocket.MessageText, data)
}

// Raw sends an unchecked frame to the registered client.
func (h *Hub) Raw(kind websocket.MessageType, data []byte) error {
	h.mu.Lock()
	c := h.conn
	h.mu.Unlock()
	if c == nil {
		return errors.New("no client is registered")
	}
	return c.Write(context.Background(), kind, data)
}

// Send routes a message to the client. method is "voice" or "text".
func (h *Hub) Send(id, text, method string) error {
	data, err := json.Marshal(map[string]any{"type": "message", "payload": map[string]any{
		"id": id, "text": text, "timestamp": time.Now().UTC().Format(time.RFC3339),
		"metadata": map[string]any{"inputMethod": method, "directRouted": false, "confidence": 0.93, "routingReason": "it is about notes"},
	}})
	if err != nil {
		return err
	}
	return h.Raw(websocket.MessageText, data)
}

// Cut breaks the connection in the middle of a frame.
func (h *Hub) Cut() {
	h.mu.Lock()
	c := h.conn
	h.conn = nil
	h.mu.Unlock()
	if c == nil {
		return
	}
	if w, err := c.Writer(context.Background(), websocket.MessageText); err == nil {
		_, _ = w.Write([]byte(`{"type":"message","payl`))
	}
	_ = c.CloseNow()
}

// Ping sends the registered client a WebSocket ping and a frame of type "ping", and waits at most d for each answer.
func (h *Hub) Ping(d time.Duration) error {
	h.mu.Lock()
	c, before := h.conn, h.pongs
	h.mu.Unlock()
	if c == nil {
		return errors.New("no client is registered")
	}
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	if err := c.Ping(ctx); err != nil {
		return err
	}
	if err := h.Raw(websocket.MessageText, []byte(`{"type":"ping"}`)); err != nil {
		return err
	}
	if !h.Await(d, func(int, []Response) bool { return h.pongs > before }) {
		return errors.New("the frame of type ping was not answered")
	}
	return nil
}

// Await waits until cond is true of the hub's state. It returns false after d.
func (h *Hub) Await(d time.Duration, cond func(registered int, responses []Response) bool) bool {
	late := false
	timer := time.AfterFunc(d, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		late = true
		h.changed.Broadcast()
	})
	defer timer.Stop()
	h.mu.Lock()
	defer h.mu.Unlock()
	for !cond(len(h.registered), h.responses) {
		if late {
			return false
		}
		h.changed.Wait()
	}
	return true
}

// Connected reports whether a client is registered.
func (h *Hub) Connected() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.conn != nil
}

// Responses returns the client's responses so far.
func (h *Hub) Responses() []Response {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.responses)
}

// Registration returns the last registration.
func (h *Hub) Registration() json.RawMessage {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.registered) == 0 {
		return nil
	}
	return h.registered[len(h.registered)-1]
}

// Violations returns the frames that violated the protocol.
func (h *Hub) Violations() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.violations)
}

// Dials returns the times at which connections were made.
func (h *Hub) Dials() []time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.dials)
}
