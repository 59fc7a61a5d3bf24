package llmtest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Options configures a Server. The zero value listens on a free port of 127.0.0.1.
type Options struct {
	Addr         string        // listen address; empty means "127.0.0.1:0"
	Listener     net.Listener  // replaces Addr if not nil; a Pipe avoids sockets
	Models       []string      // models that /v1/models lists; nil means the Endpoint's Model
	Unlisted     bool          // /v1/models returns 404
	APIKey       string        // if not empty, requests without it get 401
	Pace         time.Duration // pause between pieces for steps without one
	AllowInvalid bool          // malformed requests are answered, though still recorded as violations
	Endpoint     *Endpoint     // provider to imitate; nil means an unknown one
}

// Request is a recorded HTTP request.
type Request struct {
	Time   time.Time
	Method string
	Path   string
	Header http.Header
	Body   []byte
	Chat   *Chat     // nil if the request is not a model call
	Step   int       // index of the step that answered the request; -1 if none did
	Gone   time.Time // when the client disconnected before the end of the answer; zero if it did not
	Done   time.Time // when either side ended the answer; zero while it is being sent

	fields map[string]any // decoded Body of a model call
}

// Server answers model calls from a script. Its methods are safe for concurrent use.
type Server struct {
	opts   Options
	steps  []Step
	http   *http.Server
	url    string
	cancel context.CancelFunc
	busy   sync.WaitGroup // running handlers; hijacked ones outlive http.Server.Close
	served chan struct{}  // closed when http.Server.Serve returns
	memory memory
	native nativeMemory

	mu         sync.Mutex
	changed    chan struct{} // closed and replaced at each change of the fields below
	requests   []*Request
	used       []int // number of calls that each step has answered
	violations []string
	calls      int // number of call ids made
}

// New starts a server that is closed at the end of the test. Each violation is a test error.
func New(t testing.TB, steps ...Step) *Server {
	t.Helper()
	return NewWith(t, Options{}, steps...)
}

// NewWith is like New with options. With AllowInvalid, violations are not test errors.
func NewWith(t testing.TB, opts Options, steps ...Step) *Server {
	t.Helper()
	s, err := Start(steps, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Close()
		if opts.AllowInvalid {
			return
		}
		for _, v := range s.Violations() {
			t.Errorf("llmtest: %s", v)
		}
	})
	return s
}

// Start starts a server, which the caller must close. It returns an error if a step is invalid or the address cannot
// be used.
func Start(steps []Step, opts Options) (*Server, error) {
	for i, step := range steps {
		if err := errors.Join(step.problems...); err != nil {
			return nil, fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	l := opts.Listener
	if l == nil {
		addr := opts.Addr
		if addr == "" {
			addr = "127.0.0.1:0"
		}
		var err error
		if l, err = net.Listen("tcp", addr); err != nil {
			return nil, fmt.Errorf("llmtest: %w", err)
		}
	}
	if opts.Endpoint == nil {
		opts.Endpoint = &Endpoints[0]
	}
	if opts.Models == nil {
		opts.Models = []string{opts.Endpoint.Model}
	}
	ctx, cancel := context.WithCancel(context.Background())
	s := &Server{
		opts: opts, steps: slices.Clone(steps), used: make([]int, len(steps)),
		url: "http://" + l.Addr().String() + "/v1", cancel: cancel,
		served: make(chan struct{}), changed: make(chan struct{}),
	}
	s.http = &http.Server{
		Handler:           http.HandlerFunc(s.handle),
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: time.Minute,
	}
	go func() {
		defer close(s.served)
		_ = s.http.Serve(l) // returns ErrServerClosed after Close
	}()
	return s, nil
}

// URL returns the base URL for clients: http://HOST:PORT/v1.
func (s *Server) URL() string { return s.url }

// Close aborts all answers, closes the connections and waits for the handlers to return.
func (s *Server) Close() {
	s.cancel()
	_ = s.http.Close()
	<-s.served
	s.busy.Wait()
}

// Requests returns the model calls so far, oldest first. Calls that got the default title answer are left out.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	var chats []Request
	for _, r := range s.requests {
		if r.Chat != nil {
			chats = append(chats, *r)
		}
	}
	return chats
}

// AllRequests returns all requests so far, oldest first, model calls or not.
func (s *Server) AllRequests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Request
	for _, r := range s.requests {
		all = append(all, *r)
	}
	return all
}

// Violations returns a message for each malformed request, failed expectation and call without a step left.
func (s *Server) Violations() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.violations)
}

// Unserved returns the number of answers in the script that no call has used. A step that repeats
// forever counts once, until its first use.
func (s *Server) Unserved() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for i, step := range s.steps {
		n += max(0, max(1, step.Times)-s.used[i])
	}
	return n
}

// Await waits up to d until cond returns true for the model calls so far. It reports whether cond did.
func (s *Server) Await(d time.Duration, cond func([]Request) bool) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	for {
		s.mu.Lock()
		changed := s.changed
		s.mu.Unlock()
		if cond(s.Requests()) {
			return true
		}
		select {
		case <-changed:
		case <-timer.C:
			return cond(s.Requests())
		}
	}
}

// AwaitRequests waits up to d until n model calls have taken their step or ended. It reports whether they have.
func (s *Server) AwaitRequests(n int, d time.Duration) bool {
	return s.Await(d, func(r []Request) bool {
		taken := 0 // arrival is not enough: a call canceled before it takes its step leaves the step to the next call
		for i := range r {
			if r[i].Step >= 0 || !r[i].Done.IsZero() {
				taken++
			}
		}
		return taken >= n
	})
}

// AwaitGone waits up to d until the client has disconnected from unfinished model call n, counted from 0. It reports
// whether the client has.
func (s *Server) AwaitGone(n int, d time.Duration) bool {
	return s.Await(d, func(r []Request) bool { return len(r) > n && !r[n].Gone.IsZero() })
}

// change calls f with the lock held and wakes the callers of Await.
func (s *Server) change(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *Server) violate(format string, args ...any) {
	s.change(func() { s.violations = append(s.violations, fmt.Sprintf(format, args...)) })
}

func (s *Server) handle(w http.ResponseWriter, r *http.Request) {
	s.busy.Add(1)
	defer s.busy.Done()
	const largest = 64 << 20
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, largest))
	if err != nil {
		refuse(w, http.StatusBadRequest, "unreadable request: "+err.Error())
		return
	}
	rec := &Request{Time: time.Now(), Method: r.Method, Path: r.URL.Path, Header: r.Header.Clone(), Body: body, Step: -1}
	api := apiOf(r)
	call := api != nil
	var bad error
	if call {
		rec.Chat = &Chat{}
		if bad = json.Unmarshal(body, &rec.fields); bad == nil {
			bad = api.read(rec)
		}
	}
	s.change(func() { s.requests = append(s.requests, rec) })
	defer s.change(func() { rec.Done = time.Now() })

	switch {
	case s.opts.APIKey != "" && r.Header.Get("Authorization") != "Bearer "+s.opts.APIKey && r.Header.Get("X-Api-Key") != s.opts.APIKey:
		refuse(w, http.StatusUnauthorized, "Incorrect API key provided.")
	case call && bad != nil:
		s.violate("the request is not a chat completion: %v", bad)
		refuse(w, http.StatusBadRequest, bad.Error())
	case call:
		s.answer(w, r, rec, api)
	case r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/models") && !s.opts.Unlisted:
		s.listModels(w)
	default:
		refuse(w, http.StatusNotFound, fmt.Sprintf("Unknown request URL: %s %s", r.Method, r.URL.Path))
	}
}

// answer sends the next step for a model call, or refuses the call.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, rec *Request, api *api) {
	if s.takeForget(rec) {
		s.native.forget(s.memory.forget())
	}
	if s.native.hasForgotten(rec.Body) {
		s.reject(w, api, "")
		return
	}
	problems := api.problems(s, rec)
	for _, p := range problems {
		s.violate("%s refuses the request: %s", s.opts.Endpoint.Name, p)
	}
	if len(problems) > 0 && !s.opts.AllowInvalid {
		s.reject(w, api, strings.Join(problems, "; "))
		return
	}
	p := &player{srv: s, w: w, rc: http.NewResponseController(w), ctx: r.Context(), chat: rec.Chat, size: len(rec.Body)}
	i := s.takeStep(rec)
	switch {
	case i >= 0:
		p.step = s.steps[i]
		s.change(func() { rec.Step = i })
	case rec.Chat.Title(): // a nil Chat excludes it from Requests
		p.step = Reply(titleAnswer)
		s.change(func() { rec.Chat = nil })
	default:
		s.violate("no step is left for model call %d: %s", len(s.Requests()), clip(rec.Chat.text()))
		refuse(w, http.StatusBadRequest, "the script has no step left for this call")
		return
	}
	for _, c := range p.step.Expect {
		if err := c.check(p.chat, rec.Header, rec.Body); err != nil {
			where := fmt.Sprintf("step %d", i+1)
			if p.step.Line > 0 {
				where += fmt.Sprintf(" (line %d)", p.step.Line)
			}
			s.violate("%s: %v", where, err)
			refuse(w, http.StatusBadRequest, fmt.Sprintf("%s: %v", where, err))
			return
		}
	}
	p.step.Pace = cmp.Or(p.step.Pace, s.opts.Pace)
	p.voice = api.voice(p, rec)
	if !p.play() {
		s.change(func() { rec.Gone = time.Now() })
	}
}

// takeForget reports whether the next step for a model call has Forget set, and clears it.
func (s *Server) takeForget(rec *Request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.nextStep(rec)
	if i < 0 || !s.steps[i].Forget {
		return false
	}
	s.steps[i].Forget = false
	return true
}

// takeStep returns the index of the next step for a model call and counts its use. It returns -1 if no step is left.
func (s *Server) takeStep(rec *Request) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.nextStep(rec)
	if i >= 0 {
		s.used[i]++
	}
	return i
}

// nextStep returns the index of the first step that has answers left and whose When conditions hold, or -1. A call for
// a title only matches steps with a When. The caller must hold s.mu.
func (s *Server) nextStep(rec *Request) int {
	for i, step := range s.steps {
		if step.Times >= 0 && s.used[i] >= max(1, step.Times) || len(step.When) == 0 && rec.Chat.Title() {
			continue
		}
		if slices.ContainsFunc(step.When, func(c Condition) bool { return c.check(rec.Chat, rec.Header, rec.Body) != nil }) {
			continue
		}
		return i
	}
	return -1
}

// callID returns a new id for a tool call.
func (s *Server) callID(tool string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	if ids := s.opts.Endpoint.IDs; ids != nil {
		return ids(tool, s.calls)
	}
	return fmt.Sprintf("call_%d", s.calls)
}

// callNumber returns the number of call ids made so far.
func (s *Server) callNumber() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls
}

func (s *Server) listModels(w http.ResponseWriter) {
	data := []map[string]any{}
	for _, m := range s.opts.Models {
		data = append(data, map[string]any{"id": m, "object": "model", "created": 1, "owned_by": cmp.Or(s.opts.Endpoint.Owner, "llmtest")})
	}
	reply(w, http.StatusOK, document(map[string]any{"object": "list", "data": data}))
}

// refuse sends an OpenAI error with a status.
func refuse(w http.ResponseWriter, status int, message string) {
	reply(w, status, document(map[string]any{"error": map[string]any{"message": message, "type": "invalid_request_error"}}))
}

// reply sends a JSON body with a status.
func reply(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body+"\n")
}
