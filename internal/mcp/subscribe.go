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

// subscriptions are the resources whose changes the client wants to know of.
type subscriptions struct {
	mu    sync.Mutex
	paths map[string]string // by URI, the true name of the file
	dirty map[string]bool   // URIs that changed and are not told yet
	wake  chan struct{}
	begin sync.Once
	end   func()
}

const (
	maxSubscriptions = 1000
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
	if len(t.paths) >= maxSubscriptions {
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("at most %d resources can be subscribed to; unsubscribe from some first", maxSubscriptions)}
	}
	t.paths[uri] = info.Path
	return nil
}

func (s *Server) unsubscribe(_ context.Context, req *sdk.UnsubscribeRequest) error {
	t := &s.told
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.paths, req.Params.URI)
	return nil
}

// watch begins to notice what changes.
func (s *Server) watch() {
	t := &s.told
	t.mu.Lock()
	t.paths, t.dirty, t.wake = map[string]string{}, map[string]bool{}, make(chan struct{}, 1)
	t.mu.Unlock()
	unwatch := s.notes.Watch(t.changed)
	s.notes.Stay()
	ctx, cancel := context.WithCancel(context.Background())
	told := make(chan struct{})
	routine.Go("mcp subscriptions", func() {
		defer close(told)
		s.tell(ctx)
	})
	t.end = func() {
		unwatch()
		cancel()
		select {
		case <-told:
		case <-time.After(closeTime): // a client that reads nothing holds it
		}
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

// tell tells the client what changed, until ctx ends.
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
