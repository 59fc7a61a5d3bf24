package vault

import "context"

type checkKey struct{}

// WithCheck lets check look at each change made with the context, when the change is worked out
// and is about to happen: with the vault's change lock held, and with what it replaces still in
// place. It may read the vault. Its error keeps the change from happening, and is returned as it
// is; a check that always fails shows what a change would be, or why it cannot be. Where ctx has a
// check already, that one comes first.
func WithCheck(ctx context.Context, check func(Change) error) context.Context {
	if first, ok := ctx.Value(checkKey{}).(func(Change) error); ok {
		second := check
		check = func(c Change) error {
			if err := first(c); err != nil {
				return err
			}
			return second(c)
		}
	}
	return context.WithValue(ctx, checkKey{}, check)
}

// checked asks the context's check, if it has one.
func checked(ctx context.Context, c Change) error {
	if check, ok := ctx.Value(checkKey{}).(func(Change) error); ok {
		return check(c)
	}
	return nil
}

type recordKey struct{}

// WithRecord returns a context in which record is told of each change right before it happens,
// after every check, so that it can be noted down; its error keeps the change from happening.
// planned is the whole new content of a write, nil for everything else. The vault's change
// lock is held: record may read the vault and must not change it.
func WithRecord(ctx context.Context, record func(c Change, planned []byte) error) context.Context {
	return context.WithValue(ctx, recordKey{}, record)
}

// recorded tells the context's record, if it has one.
func recorded(ctx context.Context, c Change, planned []byte) error {
	if record, ok := ctx.Value(recordKey{}).(func(Change, []byte) error); ok {
		return record(c, planned)
	}
	return nil
}
