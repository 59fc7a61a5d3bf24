package tui

import (
	"context"

	"chatvault/internal/session"
)

// Conversations is what can be done with the vault's conversations. What is nil is not offered.
type Conversations struct {
	List   func(ctx context.Context) ([]session.Past, error)                   // the active one, then the newest first
	Search func(ctx context.Context, query string) ([]session.Past, error)     // in all that was said, best first
	Read   func(ctx context.Context, id string) ([]session.HistoryItem, error) // all of one
	// Continue begins a conversation that continues one which has ended, and is it.
	Continue func(ctx context.Context, id string) (session.Page, error)
	Rename   func(ctx context.Context, id, title string) error
	Delete   func(ctx context.Context, id string) error
	Export   func(ctx context.Context, id string) (path string, err error) // to a file of its own
}
