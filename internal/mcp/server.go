// Package mcp serves a vault to agents of other programs over the Model Context Protocol: the vault's
// tools, its notes as resources, the owner's commands as prompts.
//
// It promises that a client can do no more than our own agent: what is protected or private is not there
// for it, a change waits for consent where the settings say so, and each call that changes something is a
// turn of the journal that can be taken back. Nothing a client sends is kept beyond bounds, and no lock is
// held while somebody is asked. It opens no socket but the one it is told to listen on.
package mcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"chatvault/internal/routine"
	"chatvault/internal/session"
	"chatvault/internal/text"
	"chatvault/tools"
)

// Options say what a client is offered.
type Options struct {
	Version  string
	ReadOnly bool         // nothing that changes the vault
	Tools    []string     // only these; nil: all
	Log      *slog.Logger // what happens, for who runs the server
}

// Server serves one vault to any number of clients.
type Server struct {
	notes *session.Notes
	sdk   *sdk.Server
	log   *slog.Logger

	running chan struct{} // holds one for each request that is worked on
	waiting chan struct{} // holds one for each that is under way

	tick time.Duration // how often a call that goes on is told of

	mu     sync.Mutex
	guests map[*sdk.ServerSession]*session.Guest
	told   subscriptions
}

// Bounds of what clients can have the server do at once.
const (
	maxRunning = 8
	maxWaiting = 256
)

// New makes a server, which Close ends. Its error names a tool of Options that there is not.
func New(notes *session.Notes, o Options) (*Server, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{
		notes: notes, log: o.Log,
		running: make(chan struct{}, maxRunning), waiting: make(chan struct{}, maxWaiting),
		guests: map[*sdk.ServerSession]*session.Guest{}, tick: progressEvery,
	}
	s.sdk = sdk.NewServer(
		&sdk.Implementation{Name: "chatvault", Title: "chatvault: " + notes.Vault(), Version: o.Version},
		&sdk.ServerOptions{
			Instructions: instructions(notes, o.ReadOnly),
			Logger:       slog.New(slog.DiscardHandler), // it tells of each request
			Capabilities: &sdk.ServerCapabilities{Prompts: &sdk.PromptCapabilities{}, Resources: &sdk.ResourceCapabilities{Subscribe: true}},

			SubscribeHandler: s.subscribe, UnsubscribeHandler: s.unsubscribe, CompletionHandler: s.complete,
		})
	if err := s.addTools(o); err != nil {
		return nil, err
	}
	s.addContents()
	s.sdk.AddReceivingMiddleware(s.bound)
	return s, nil
}

// Token is the token with which clients may connect over HTTP, and the file that holds it.
func (s *Server) Token() (token, file string, err error) { return s.notes.Token() }

func instructions(notes *session.Notes, readOnly bool) string {
	text := fmt.Sprintf("The notes of the vault %q, in Markdown. Paths are relative to it, with /. Find notes with find_notes or search_files, and read them with read_file before you change them.", notes.Vault())
	if readOnly {
		text += " Nothing can be changed."
	} else {
		text += " Links between notes stay right when a note is moved with move_file. Each call that changes something is kept: changes lists them, undo takes one back."
	}
	if file, own := notes.Instructions(); own != "" {
		text += fmt.Sprintf("\n\nThe vault's owner tells agents in %s:\n%s", file, own)
	}
	return text
}

// guest is the agent behind a session.
func (s *Server) guest(ss *sdk.ServerSession) *session.Guest {
	s.mu.Lock()
	defer s.mu.Unlock()
	if g := s.guests[ss]; g != nil {
		return g
	}
	there := slices.Collect(s.sdk.Sessions())
	for other := range s.guests {
		if !slices.Contains(there, other) {
			delete(s.guests, other)
		}
	}
	g := s.notes.Guest()
	s.guests[ss] = g
	return g
}

// errBusy is the answer to a client that asks for more than can wait.
var errBusy = &jsonrpc.Error{Code: -32000, Message: fmt.Sprintf("too many requests at once: at most %d are taken; send this one again when others are answered", maxWaiting)}

// cheap are requests that are answered at once, however much is under way.
func cheap(method string) bool {
	switch method {
	case "initialize", "ping", "server/discover":
		return true
	}
	return strings.HasPrefix(method, "notifications/")
}

// bound has a bounded number of requests under way, and turns a panic into an error: the SDK's
// goroutines would end the process.
func (s *Server) bound(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (result sdk.Result, err error) {
		defer func() {
			if v := recover(); v != nil {
				s.log.Error("panic", "method", method, "panic", v, "stack", string(debug.Stack()))
				result, err = nil, errors.New("this request failed because of a bug in chatvault, and nothing more is known; look at the notes before you go on")
			}
		}()
		if cheap(method) {
			return next(ctx, method, req)
		}
		select {
		case s.waiting <- struct{}{}:
		default:
			return nil, errBusy
		}
		defer func() { <-s.waiting }()
		return next(ctx, method, req)
	}
}

// work waits for its turn to do what takes time. No turn is held while somebody is asked.
func (s *Server) work(ctx context.Context) (done func(), err error) {
	select {
	case s.running <- struct{}{}:
		return func() { <-s.running }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// progressEvery is how often a client that wants to know is told that a call is still worked on.
const progressEvery = time.Second

// progress tells the client of a call's progress until stop is called: how many seconds it has taken.
func (s *Server) progress(ctx context.Context, req *sdk.CallToolRequest) (stop func()) {
	token := req.Params.GetProgressToken()
	if token == nil {
		return func() {}
	}
	ended := make(chan struct{})
	var told sync.WaitGroup
	routine.Join(&told, "mcp progress", func() {
		tick := time.NewTicker(s.tick)
		defer tick.Stop()
		for n := 1; ; n++ {
			select {
			case <-ended:
				return
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			message := text.Clip(strings.TrimSpace(tools.TraitsOf(req.Params.Name).Verb+" "+tools.Target(req.Params.Name, req.Params.Arguments)), 200)
			_ = req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: float64(n), Message: message})
		}
	})
	return func() {
		close(ended)
		told.Wait()
	}
}
