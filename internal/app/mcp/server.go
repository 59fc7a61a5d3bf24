// Package mcp serves a vault to agents of other programs over the Model Context Protocol: the vault's tools, its notes as
// resources, the owner's commands as prompts.
//
// A client has the limits of chatvault's own agent: it does not see protected or private files, a change needs consent
// if the settings require it, and each call that changes something is a turn of the journal that can be undone. Few of
// a client's requests work at once, and no lock is held while the user is asked. The package opens no socket.
package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sync/semaphore"

	"chatvault/internal/app/session"
	"chatvault/internal/base/routine"
)

// Options configure what a client is offered.
type Options struct {
	Version  string
	ReadOnly bool         // offer nothing that changes the vault
	Tools    []string     // the offered tools; nil means all
	Log      *slog.Logger // nil discards
}

// Server serves one vault to one client.
type Server struct {
	notes *session.Notes
	sdk   *sdk.Server
	log   *slog.Logger

	running *semaphore.Weighted // of maxRunning, for requests until they are answered

	guest      *session.Guest
	subscribed subscriptions
}

// maxRunning is the maximum number of a client's requests that work in the vault at once.
const maxRunning = 8

// New returns a server. Its error names a tool of Options that does not exist.
func New(notes *session.Notes, o Options) (*Server, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{
		notes: notes, log: o.Log,
		running: semaphore.NewWeighted(maxRunning),
		guest:   notes.Guest(), subscribed: subscriptions{uris: map[string]string{}},
	}
	s.sdk = sdk.NewServer(
		&sdk.Implementation{Name: "chatvault", Title: "chatvault: " + notes.Vault(), Version: o.Version},
		&sdk.ServerOptions{
			Instructions: instructions(notes, o.ReadOnly),
			Logger:       slog.New(slog.DiscardHandler), // it would log each request
			Capabilities: &sdk.ServerCapabilities{Prompts: &sdk.PromptCapabilities{}, Resources: &sdk.ResourceCapabilities{Subscribe: true}},
			SetCacheable: func(_ context.Context, _ sdk.Request, c *sdk.Cacheable) { c.CacheScope = "private" },

			SubscribeHandler: s.subscribe, UnsubscribeHandler: s.unsubscribe, CompletionHandler: s.complete,
		})
	if err := s.addTools(o); err != nil {
		return nil, err
	}
	s.addPrompts()
	s.addResources()
	notes.Watch(s.reportChanges)
	s.sdk.AddReceivingMiddleware(s.bound)
	return s, nil
}

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

// bound limits the number of requests that work in the vault, and turns a panic into an error, since it would end the
// process.
func (s *Server) bound(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (result sdk.Result, err error) {
		defer func() {
			if v := recover(); v != nil {
				s.log.Error("panic", "method", method, "panic", v, "stack", string(debug.Stack()))
				result, err = nil, errors.New("this request failed because of a bug in chatvault, and nothing more is known; look at the notes before you go on")
			}
		}()
		switch method {
		case "tools/call", "resources/list", "completion/complete":
			done, err := s.work(ctx, 0)
			if err != nil {
				return nil, err
			}
			defer done()
			s.notes.Stay()
		}
		result, err = next(ctx, method, req)
		if method == "tools/call" && err != nil && strings.HasPrefix(err.Error(), "multi-round-trip: ") { // of the SDK, which asked
			return failed(fmt.Errorf("this change needs the user's consent, and this client could not ask for it: %w. Nothing was changed", err)), nil
		}
		if e, ok := errors.AsType[*jsonrpc.Error](err); ok && e.Data != nil && !json.Valid(e.Data) {
			err = &jsonrpc.Error{Code: e.Code, Message: e.Message} // the SDK quotes a URI as Go does, and would end the session
		}
		return result, err
	}
}

// work waits until a request may run. size is the size of its result in bytes, if it may be large. The request counts as
// running until its answer has been written, because until then it is in memory several times.
func (s *Server) work(ctx context.Context, size int64) (done func(), err error) {
	share := min(1+size>>20, maxRunning)
	if err := s.running.Acquire(ctx, share); err != nil {
		return nil, context.Cause(ctx)
	}
	return func() { // its context ends when its answer has been written
		context.AfterFunc(ctx, routine.Guard("mcp answered", func() { s.running.Release(share) }))
	}, nil
}
