package vault

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"chatvault/vault/vaulterr"
)

// TestPlan: a planned change does not happen until Commit, and then only if it would be the same.
func TestPlan(t *testing.T) {
	v := newTest(t, map[string]string{"a.md": "alpha", "P/b.md": "be", "c.md": "[[a]]"})
	var plans []*Plan
	for _, c := range []struct {
		ask  Request
		want Change
	}{
		{Request{Op: OpWrite, Path: "A.md", Data: []byte("x")}, Change{Op: "overwrite", Path: "a.md"}},
		{Request{Op: OpWrite, Path: "new/c.md", Data: []byte("x")}, Change{Op: "create", Path: "new/c.md", Folders: []string{"new"}}},
		{Request{Op: OpMove, Path: "P", NewPath: "Q/P"}, Change{Op: "move", Path: "P", NewPath: "Q/P", Folders: []string{"Q"}}},
		{Request{Op: OpMove, Path: "a.md", NewPath: "d.md"}, Change{Op: "move", Path: "a.md", NewPath: "d.md", Rewrites: make([]Rewrite, 1)}},
		{Request{Op: OpDelete, Path: "p", Recursive: true}, Change{Op: "delete", Path: "P"}},
		{Request{Op: OpMkdir, Path: "R/S"}, Change{Op: "mkdir", Path: "R/S", Folders: []string{"R"}}},
		{Request{Op: OpMkdir, Path: "p"}, Change{Path: "P"}},
	} {
		p, err := v.Plan(t.Context(), c.ask)
		if err != nil {
			t.Fatalf("%+v: %v", c.ask, err)
		}
		if got := p.Change; got.Op != c.want.Op || got.Path != c.want.Path || got.NewPath != c.want.NewPath || len(got.Folders) != len(c.want.Folders) || len(got.Rewrites) != len(c.want.Rewrites) {
			t.Errorf("%+v: %+v, not %+v", c.ask, got, c.want)
		}
		plans = append(plans, p)
	}
	if readFromDisk(t, v, "a.md") != "alpha" || readFromDisk(t, v, "P/b.md") != "be" || existsOnDisk(v, "new") || existsOnDisk(v, "Q") || existsOnDisk(v, "R") {
		t.Error("the vault changed")
	}
	overwrite, create, move, rename, remove, mkdir, nothing := plans[0], plans[1], plans[2], plans[3], plans[4], plans[5], plans[6]
	if string(overwrite.Before.Data) != "alpha" || string(overwrite.After()) != "x" || remove.Contents.Notes != 1 || !nothing.Idle() || overwrite.Idle() {
		t.Errorf("%+v %+v", overwrite, remove)
	}
	for name, r := range map[string]Request{
		"a protected folder": {Op: OpDelete, Path: ".git", Recursive: true},
		"a missing file":     {Op: OpDelete, Path: "gone.md"},
		"a new file":         {Op: OpWrite, Path: "a.md", New: true},
		"another content":    {Op: OpWrite, Path: "a.md", IfHash: Hash([]byte("b"))},
	} {
		if _, err := v.Plan(t.Context(), r); err == nil {
			t.Errorf("%s was planned", name)
		}
	}

	no := errors.New("no")
	if _, err := v.Commit(t.Context(), create, func(Change, []byte) error { return no }); !errors.Is(err, no) || existsOnDisk(v, "new") {
		t.Errorf("a change that could not be recorded: %v", err)
	}
	mustTest(t, os.WriteFile(filepath.Join(v.Dir(), "P/b.md"), []byte("other"), 0o644))
	mustTest(t, os.WriteFile(filepath.Join(v.Dir(), "c.md"), []byte("[[a]]!"), 0o644))
	for name, p := range map[string]*Plan{"move": move, "rename": rename, "delete": remove} {
		if _, err := v.Commit(t.Context(), p, nil); !errors.Is(err, vaulterr.KindChanged) {
			t.Errorf("%s of a changed note: %v", name, err)
		}
	}
	notified := 0
	for _, p := range []*Plan{overwrite, create, mkdir} {
		if _, err := v.Commit(t.Context(), p, func(Change, []byte) error { notified++; return nil }); err != nil {
			t.Error(err)
		}
	}
	if readFromDisk(t, v, "a.md") != "x" || readFromDisk(t, v, "new/c.md") != "x" || !existsOnDisk(v, "R/S") || notified != 3 {
		t.Errorf("not all changes happened; %d reported", notified)
	}
	if _, err := v.Commit(t.Context(), overwrite, nil); !errors.Is(err, vaulterr.KindChanged) {
		t.Errorf("a plan that was already committed: %v", err)
	}
}

// TestWaitEndsWithContext: waiting for another change of this process ends with the context and leaves no lock held.
func TestWaitEndsWithContext(t *testing.T) {
	v := newTest(t, map[string]string{"a.md": "alpha"})
	unlock, err := v.lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := v.Plan(ctx, Request{Op: OpDelete, Path: "a.md"})
		ended <- err
	}()
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v", err)
	}
	unlock()
	if _, err := v.Plan(t.Context(), Request{Op: OpDelete, Path: "a.md"}); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}
