package session

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"chatvault/conversation"
	"chatvault/internal/app/config"
	"chatvault/internal/base/statefile/statetest"
)

// TestWindowLocks checks that a conversation is open in one window at a time and free after it closes.
func TestWindowLocks(t *testing.T) {
	root := statetest.Root(t)
	first, second := &windowLocks{state: root}, &windowLocks{state: root}
	if err := first.hold("a"); err != nil {
		t.Fatal(err)
	}
	if err := first.hold("a"); err != nil {
		t.Errorf("held once more by the same window: %v", err)
	}
	if err := second.hold("a"); !errors.Is(err, ErrHeld) {
		t.Errorf("held by two windows: %v", err)
	}
	entry := func(id string) conversation.Entry { return conversation.Entry{ID: id} }
	if err := second.hold("b"); err != nil || Left(root)(entry("a")) || Left(root)(entry("b")) {
		t.Errorf("two windows: %v", err)
	}
	if !second.has(entry("a")) || second.has(entry("b")) || !first.has(entry("b")) || first.has(entry("never")) {
		t.Error("it is not known which window has what")
	}
	if err := first.hold("c"); err != nil || second.has(entry("a")) || !second.has(entry("c")) {
		t.Errorf("the first window went to another conversation: %v", err)
	}
	first.close()
	if second.has(entry("c")) {
		t.Error("what was closed is not free")
	}
	if left, err := os.ReadDir(filepath.Join(root.Name(), windowsFolder)); err != nil || len(left) != 1 {
		t.Errorf("left: %v, %v", left, err)
	}
	if err := second.hold("a"); err != nil {
		t.Errorf("not to be had after it was closed: %v", err)
	}
	second.close()
}

// TestAskedFirst checks that the user's own setting counts and the vault's does not.
func TestAskedFirst(t *testing.T) {
	for _, c := range []struct {
		kind config.Kind
		v    config.Approval
		want config.Approval
	}{
		{config.Default, config.ApprovalOff, config.ApprovalWrites},
		{config.VaultFile, config.ApprovalDestructive, config.ApprovalWrites},
		{config.VaultFile, config.ApprovalWrites, config.ApprovalWrites},
		{config.VaultSettings, config.ApprovalDestructive, config.ApprovalWrites},
		{config.UserFile, config.ApprovalOff, config.ApprovalOff},
		{config.Environment, config.ApprovalDestructive, config.ApprovalDestructive},
		{config.Flag, config.ApprovalOff, config.ApprovalOff},
	} {
		if got := askedFirst(config.Value[config.Approval]{V: c.v, Origin: config.Origin{Kind: c.kind}}); got != c.want {
			t.Errorf("%v %s: %s, want %s", c.kind, c.v, got, c.want)
		}
	}
}

// TestWindowsComeAndGo checks that windows which open and close concurrently, while others look for closed ones,
// never share a conversation.
func TestWindowsComeAndGo(t *testing.T) {
	root := statetest.Root(t)
	var open atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for i := range 200 {
				w := &windowLocks{state: root}
				switch err := w.hold("a"); {
				case err == nil:
					if open.Add(1) > 1 {
						t.Error("two windows have it")
					}
					time.Sleep(time.Duration(i%3) * 100 * time.Microsecond) // gives others a chance to run
					open.Add(-1)
				case !errors.Is(err, ErrHeld):
					t.Error(err)
				}
				w.close()
				Left(root)(conversation.Entry{ID: "a"})
			}
		})
	}
	all.Wait()
}
