package tools

import (
	"context"
	"errors"
	"testing"

	"chatvault/vault"
	"chatvault/vault/search"
)

// fakeStore answers with a test's functions; calls without one fail.
type fakeStore struct {
	stat   func(path string) (vault.Info, error)
	read   func(path string) (*vault.File, error)
	write  func(path string, data []byte, ifHash string) (vault.Change, error)
	search func(q search.Query) (search.Result, error)
	list   func(q search.ListQuery) (search.ListResult, error)
	remove func(path string) (vault.Change, error)
}

var errNotFaked = errors.New("not faked")

func (f *fakeStore) Stat(_ context.Context, path string) (vault.Info, error) {
	if f.stat == nil {
		return vault.Info{}, errNotFaked
	}
	return f.stat(path)
}

func (f *fakeStore) Read(_ context.Context, path string) (*vault.File, error) {
	if f.read == nil {
		return nil, errNotFaked
	}
	return f.read(path)
}

func (f *fakeStore) Do(_ context.Context, r vault.Request, _ vault.CommitCheck) (vault.Change, error) {
	switch {
	case r.Op == vault.OpWrite && f.write != nil:
		return f.write(r.Path, r.Data, r.IfHash)
	case r.Op == vault.OpDelete && f.remove != nil:
		return f.remove(r.Path)
	}
	return vault.Change{}, errNotFaked
}

func (f *fakeStore) Plan(context.Context, vault.Request) (*vault.Plan, error) {
	return nil, errNotFaked
}

func (f *fakeStore) Commit(context.Context, *vault.Plan, vault.CommitCheck) (vault.Change, error) {
	return vault.Change{}, errNotFaked
}

func (f *fakeStore) Search(_ context.Context, q search.Query) (search.Result, error) {
	if f.search == nil {
		return search.Result{}, errNotFaked
	}
	return f.search(q)
}

func (f *fakeStore) List(_ context.Context, q search.ListQuery) (search.ListResult, error) {
	if f.list == nil {
		return search.ListResult{}, errNotFaked
	}
	return f.list(q)
}

func (f *fakeStore) TrashName() string { return "the trash" }

// turnOver returns a turn over a fake.
func turnOver(store noteStore, m Messenger) *Turn {
	r := NewRegistry(nil, Options{})
	r.notes = store
	return r.Turn(m)
}

func newFakeTurn(t *testing.T) *Turn {
	t.Helper()
	return turnOver(&fakeStore{}, nil)
}
