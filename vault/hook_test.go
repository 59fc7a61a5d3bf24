package vault

import (
	"context"
	"os"
	"testing"
)

// appearing is a hook that creates a file right before the change.
type appearing struct {
	name string
	t    *testing.T
}

func (a *appearing) before(context.Context, Change, []byte) error {
	return os.WriteFile(a.name, []byte("theirs"), 0o644)
}

func (a *appearing) after(_ context.Context, _ Change, err error) {
	if err == nil {
		a.t.Error("the change was done")
	}
}
