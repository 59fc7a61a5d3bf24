package mcp

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"chatvault/internal/routine"
)

// subscriptions are the resources that clients want to know of when they change.
type subscriptions struct {
	mu    sync.Mutex
	paths map[string]string // by URI, the true name of the file
	of    map[*sdk.ServerSession]map[string]bool
	dirty map[string]bool // URIs that changed and are not told yet
	wake  chan struct{}
	begin sync.Once
	end   func()
}

const (
	maxSubscriptions = 1000 // a session's
	settleTime       = 5 * time.Second
)

// subscribe lets a client know when a file changes. One that it cannot see is not there.
func (s *Server) subscribe(ctx context.Context, req *sdk.SubscribeRequest) error {
	uri := req.Params.URI
	name, ours := pathOf(uri)
	if !ours {
		return sdk.ResourceNotFoundError(uri)
	}
	info, err := s.notes.Find(ctx, name)
	if err != nil {
		return unreadable(uri, err)
	}
	t := &s.told
	t.begin.Do(s.watch)
	settling, cancel := context.WithTimeout(ctx, settleTime)
	defer cancel()
	s.notes.Settle(settling) // what happens from here on is noticed
	t.mu.Lock()
	defer t.mu.Unlock()
	t.forgetEnded(slices.Collect(s.sdk.Sessions()))
	if t.of[req.Session] == nil {
		t.of[req.Session] = map[string]bool{}
	}
	if len(t.of[req.Session]) >= maxSubscriptions {
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("at most %d resources can be subscribed to; unsubscribe from some first", maxSubscriptions)}
	}
	t.of[req.Session][uri] = true
	t.paths[uri] = info.Path
	return nil
}

func (s *Server) unsubscribe(_ context.Context, req *sdk.UnsubscribeRequest) error {
	t := &s.told
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.of[req.Session], req.Params.URI)
	t.forgetEnded(slices.Collect(s.sdk.Sessions()))
	return nil
}

// forgetEnded lets go of sessions that ended, and of what nobody subscribes to any more.
func (t *subscriptions) forgetEnded(there []*sdk.ServerSession) {
	wanted := map[string]bool{}
	for session, uris := range t.of {
		if len(uris) == 0 || !slices.Contains(there, session) {
			delete(t.of, session)
			continue
		}
		maps.Copy(wanted, uris)
	}
	maps.DeleteFunc(t.paths, func(uri, _ string) bool { return !wanted[uri] })
}

// watch begins to notice what changes.
func (s *Server) watch() {
	t := &s.told
	t.mu.Lock()
	t.paths, t.of, t.dirty, t.wake = map[string]string{}, map[*sdk.ServerSession]map[string]bool{}, map[string]bool{}, make(chan struct{}, 1)
	t.mu.Unlock()
	unwatch := s.notes.Watch(t.changed)
	s.notes.Stay()
	ctx, cancel := context.WithCancel(context.Background())
	var told sync.WaitGroup
	routine.Join(&told, "mcp subscriptions", func() { s.tell(ctx) })
	t.end = func() {
		unwatch()
		cancel()
		told.Wait()
	}
}

// changed notes what changed, and leaves the telling to another goroutine.
func (t *subscriptions) changed(paths []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for uri, at := range t.paths {
		if slices.ContainsFunc(paths, func(p string) bool { return p == at || strings.HasPrefix(at, p+"/") }) {
			t.dirty[uri] = true
		}
	}
	if len(t.dirty) > 0 {
		select {
		case t.wake <- struct{}{}:
		default:
		}
	}
}

// tell tells clients what changed, until ctx ends.
func (s *Server) tell(ctx context.Context) {
	t := &s.told
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.wake:
		}
		t.mu.Lock()
		uris := slices.Sorted(maps.Keys(t.dirty))
		clear(t.dirty)
		t.mu.Unlock()
		for _, uri := range uris {
			if err := s.sdk.ResourceUpdated(ctx, &sdk.ResourceUpdatedNotificationParams{URI: uri}); err != nil && ctx.Err() == nil {
				s.log.Warn("a change could not be told", "uri", uri, "error", err)
			}
		}
	}
}

// Close ends what goes on beside requests.
func (s *Server) Close() {
	if s.told.end != nil {
		s.told.end()
	}
}
