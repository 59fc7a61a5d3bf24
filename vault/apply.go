package vault

import (
	"context"
)

// hook is told of every change, before it happens and after. It is where a journal
// attaches.
type hook interface {
	// before may refuse the change by an error. planned is the whole new content of a
	// write, nil for everything else.
	before(ctx context.Context, c Change, planned []byte) error
	// after gets the change as it went, or the error that stopped it.
	after(ctx context.Context, c Change, err error)
}
