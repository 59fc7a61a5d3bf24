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

// Options of a Server; the zero value listens on a free port of 127.0.0.1.
type Options struct {
	Addr         string        // listen address, "127.0.0.1:0" where empty
	Listener     net.Listener  // instead of Addr; a Pipe for tests without sockets
	Models       []string      // what /v1/models lists; {"test-model"} where nil
	Unlisted     bool          // there is no /v1/models
	APIKey       string        // where set, a request without it gets 401
	Pace         time.Duration // of steps that name none
	AllowInvalid bool          // malformed histories are answered, and still violations
	Endpoint     *Endpoint     // the provider it plays; nil: one that is not known
}

// Request is a request the server got.
type Request struct {
	Time   time.Time
	Method string
	Path   string
	Header http.Header
	Body   []byte
	Chat   *Chat     // nil where the body is no model call
	Step   int       // index of the step that answered it; -1 where none did
	Gone   time.Time // when the client left before the answer had ended; zero where it did not
	Done   time.Time // when the answer ended, by either side; zero while it runs

	fields map[string]any // of the Body of a model call
}

// Server answers model calls by a script. Its methods are safe for concurrent use.
type Server struct {
	opts   Options
	steps  []Step
	http   *http.Server
	url    string
	cancel context.CancelFunc
	busy   sync.WaitGroup // handlers; they outlive http.Server.Close where they hijacked
	served chan struct{}
	memory memory
	native native

	mu         sync.Mutex
	changed    chan struct{} // closed and renewed at each change of what follows
	requests   []*Request
	used       []int // calls each step has answered
	violations []string
	calls      int // tool calls made, for ids
}

// New starts a server for one test; it is closed, and its violations fail the test, at the end.
func New(t testing.TB, steps ...Step) *Server {
	t.Helper()
	return NewWith(t, Options{}, steps...)
}

// NewWith is New with options.
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

// Start starts a server. An error says what is wrong with the steps or the address.
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
		_ = s.http.Serve(l) // always an error: closed
	}()
	return s, nil
}

// URL is the base URL for a client: http://HOST:PORT/v1.
func (s *Server) URL() string { return s.url }

// Close ends all answers and connections and waits for them.
func (s *Server) Close() {
	s.cancel()
	_ = s.http.Close()
	<-s.served
	s.busy.Wait()
}

// Requests are the model calls so far, in order of arrival.
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

// AllRequests are all requests so far, those for models and strange ones too.
func (s *Server) AllRequests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Request
	for _, r := range s.requests {
		all = append(all, *r)
	}
	return all
}

// Violations are the malformed histories, failed expectations and calls no step was left for.
func (s *Server) Violations() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.violations)
}

// Unserved counts the answers of the script that nobody asked for; steps that repeat forever
// count only where they were never used.
func (s *Server) Unserved() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for i, step := range s.steps {
		n += max(0, max(1, step.Times)-s.used[i])
	}
	return n
}

// Await waits until cond holds of the model calls so far, at most d, and says whether it does.
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

// AwaitRequests waits, at most d, until n model calls have arrived.
func (s *Server) AwaitRequests(n int, d time.Duration) bool {
	return s.Await(d, func(r []Request) bool {
		taken := 0 // what is cut before it took its step may leave that to the next
		for i := range r {
			if r[i].Step >= 0 || !r[i].Done.IsZero() {
				taken++
			}
		}
		return taken >= n
	})
}

// AwaitGone waits, at most d, until the client has left model call n (from 0) unfinished.
func (s *Server) AwaitGone(n int, d time.Duration) bool {
	return s.Await(d, func(r []Request) bool { return len(r) > n && !r[n].Gone.IsZero() })
}

// change runs f under the lock and wakes those who wait.
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

// answer picks the step for a model call and plays it.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, rec *Request, api *api) {
	if s.forgets(rec) {
		s.native.forget(s.memory.forget())
	}
	if s.native.stale(rec.Body) {
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
	i := s.take(rec)
	switch {
	case i >= 0:
		p.step = s.steps[i]
		s.change(func() { rec.Step = i })
	case rec.Chat.Title(): // it is left out of Requests
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

// forgets reports whether the step for a model call forgets what was sealed before, and does so for the
// first time.
func (s *Server) forgets(rec *Request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.next(rec)
	if i < 0 || !s.steps[i].Forget {
		return false
	}
	s.steps[i].Forget = false
	return true
}

// take finds the step for a model call and counts it as used.
func (s *Server) take(rec *Request) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.next(rec)
	if i >= 0 {
		s.used[i]++
	}
	return i
}

// next is the first step that still answers and whose When holds; -1: there is none.
func (s *Server) next(rec *Request) int {
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

// callID is an id for a call of a tool.
func (s *Server) callID(tool string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	if ids := s.opts.Endpoint.IDs; ids != nil {
		return ids(tool, s.calls)
	}
	return fmt.Sprintf("call_%d", s.calls)
}

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

func refuse(w http.ResponseWriter, status int, message string) {
	reply(w, status, document(map[string]any{"error": map[string]any{"message": message, "type": "invalid_request_error"}}))
}

func reply(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body+"\n")
}
