package mcp

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"chatvault/internal/base/routine"
)

// subscriptions holds the files whose changes the client wants to know.
type subscriptions struct {
	mu   sync.Mutex
	uris map[string]string // by path
}

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
	s.subscribed.mu.Lock()
	defer s.subscribed.mu.Unlock()
	s.subscribed.uris[info.Path] = uri
	return nil
}

func (s *Server) unsubscribe(_ context.Context, req *sdk.UnsubscribeRequest) error {
	s.subscribed.mu.Lock()
	defer s.subscribed.mu.Unlock()
	maps.DeleteFunc(s.subscribed.uris, func(_, uri string) bool { return uri == req.Params.URI })
	return nil
}

// reportChanges reports changed files and folders to the client, without waiting for it.
func (s *Server) reportChanges(paths []string) {
	s.subscribed.mu.Lock()
	defer s.subscribed.mu.Unlock()
	for file, uri := range s.subscribed.uris {
		if slices.ContainsFunc(paths, func(p string) bool { return p == file || strings.HasPrefix(file, p+"/") }) {
			routine.Go("mcp subscriptions", func() {
				_ = s.sdk.ResourceUpdated(context.Background(), &sdk.ResourceUpdatedNotificationParams{URI: uri}) // never fails
			})
		}
	}
}
