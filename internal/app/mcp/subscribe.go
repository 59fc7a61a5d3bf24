package mcp

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"chatvault/internal/base/routine"
)

// subscriptions holds the resources whose changes the client wants to know.
type subscriptions struct {
	mu      sync.Mutex
	paths   map[string]string // the file of each URI
	changed map[string]bool   // URIs to report
	sending bool              // a goroutine reports them
}

const maxSubscriptions = 1000

// subscribe starts to report changes of a file. A file that the client must not see does not exist for it.
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
	s.notes.Stay()
	s.notes.Settle(ctx) // changes from now on are noticed
	t := &s.subscribed
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.paths) >= maxSubscriptions {
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("at most %d resources can be subscribed to; unsubscribe from some first", maxSubscriptions)}
	}
	t.paths[uri] = info.Path
	return nil
}

func (s *Server) unsubscribe(_ context.Context, req *sdk.UnsubscribeRequest) error {
	s.subscribed.mu.Lock()
	defer s.subscribed.mu.Unlock()
	delete(s.subscribed.paths, req.Params.URI)
	return nil
}

// reportChanges reports changed files and folders to the client, without waiting for it.
func (s *Server) reportChanges(paths []string) {
	t := &s.subscribed
	t.mu.Lock()
	defer t.mu.Unlock()
	for uri, file := range t.paths {
		if slices.ContainsFunc(paths, func(p string) bool { return p == file || strings.HasPrefix(file, p+"/") }) {
			t.changed[uri] = true
		}
	}
	if len(t.changed) > 0 && !t.sending {
		t.sending = true
		routine.Go("mcp subscriptions", s.sendChanges)
	}
}

func (s *Server) sendChanges() {
	t := &s.subscribed
	for {
		t.mu.Lock()
		uris := slices.Collect(maps.Keys(t.changed))
		clear(t.changed)
		t.sending = len(uris) > 0
		t.mu.Unlock()
		if len(uris) == 0 {
			return
		}
		for _, uri := range uris {
			_ = s.sdk.ResourceUpdated(context.Background(), &sdk.ResourceUpdatedNotificationParams{URI: uri}) // never fails
		}
	}
}
