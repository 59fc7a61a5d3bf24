package vault

import (
	"context"

	"chatvault/vault/journal"
)

// Origin says for whom a change is made.
type Origin = journal.Origin

type originKey struct{}

// WithOrigin returns a context whose changes belong to o.
func WithOrigin(ctx context.Context, o Origin) context.Context {
	return context.WithValue(ctx, originKey{}, o)
}

// OriginOf is the context's origin, the zero one where it has none.
func OriginOf(ctx context.Context) Origin {
	o, _ := ctx.Value(originKey{}).(Origin)
	return o
}
