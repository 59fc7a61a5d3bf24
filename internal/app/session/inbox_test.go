package session

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"chatvault/agent/event"
	"chatvault/agent/inbox"
)

// The error for a message taken or finished by another chat has no ID.
func TestRetryErrors(t *testing.T) {
	root := testState(t)
	box := inbox.Open(root)
	a := &Inbox{state: root}
	fault := errors.New("message 2026 belongs to another chatvault that is running")
	if err := a.explainError("gone", fault); err == nil || !strings.Contains(err.Error(), "finished or removed") {
		t.Errorf("of one that is gone: %v", err)
	}
	m := inbox.Entry{Inbound: event.Inbound{ID: "orphan", Text: "x", Source: event.SourceDirect, Time: time.Now()}}
	if err := box.Save(m); err != nil {
		t.Fatal(err)
	}
	if err := a.explainError("orphan", fault); !errors.Is(err, fault) {
		t.Errorf("another fault became %v", err)
	}
	if err := a.explainError("orphan", nil); err != nil {
		t.Error(err)
	}
	held := newHolder(t, root)
	m.ID, m.Owner = "held", held
	if err := box.Save(m); err != nil {
		t.Fatal(err)
	}
	if err := a.explainError("held", fault); err == nil || strings.Contains(err.Error(), "2026") || !strings.Contains(err.Error(), "has taken it") {
		t.Errorf("of one that another chat has: %v", err)
	}
}

// newHolder returns the name of a live process, whose lock is held.
func newHolder(t *testing.T, root *os.Root) string {
	t.Helper()
	if err := root.Mkdir("run", 0o700); err != nil {
		t.Fatal(err)
	}
	l := flock.New(filepath.Join(root.Name(), "run", "1-other.lock"))
	if ok, err := l.TryLock(); err != nil || !ok {
		t.Fatal(ok, err)
	}
	t.Cleanup(func() { _ = l.Unlock() })
	return "1-other"
}
