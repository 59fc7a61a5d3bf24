package conversation

import (
	"errors"
	"os"
	"testing"
	"time"

	"chatvault/internal/statefile/statetest"
)

// held are the conversations that are open somewhere, by id.
type held map[string]bool

func (h held) take(id string) error {
	if h[id] {
		return ErrHeld
	}
	h[id] = true
	return nil
}

func holding(t *testing.T, root *os.Root, h held) *Manager {
	t.Helper()
	return NewManager(root, Options{Hold: h.take, Warn: func(text string) { t.Error(text) }})
}

// says has a turn of a manager's conversation end, and is that conversation's id.
func says(t *testing.T, m *Manager, id string, at time.Time) string {
	t.Helper()
	c, _, err := m.Begin("", at)
	if err != nil {
		t.Fatal(err)
	}
	turn := Turn{ID: id, Started: at, Ended: at, Messages: []Message{{ID: id, Role: RoleUser, Time: at, Content: "message " + id}}}
	if err := m.Append(c.ID, turn); err != nil {
		t.Fatal(err)
	}
	return c.ID
}

func activeID(t *testing.T, m *Manager) string {
	t.Helper()
	c, err := m.Active()
	if err != nil {
		t.Fatal(err)
	}
	if c == nil {
		return ""
	}
	return c.ID
}

// TestPinnedGoBesideTheActive: what is said in a pinned conversation is in it, and never becomes the
// vault's active one; nor does it keep that from ending. It ends by idleness where its window wants that.
func TestPinnedGoBesideTheActive(t *testing.T) {
	root := statetest.Root(t)
	chat := NewManager(root, Options{IdleTimeout: 30 * time.Minute})
	now := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	first := says(t, chat, "m1", now)
	a, b := holding(t, root, held{}), holding(t, root, held{})
	b.opt.IdleTimeout = 30 * time.Minute
	for _, m := range []*Manager{a, b} {
		if c, err := m.Pin(NewID(now), now); c != nil || err != nil {
			t.Fatalf("a conversation that is not there yet was taken up: %v %v", c, err)
		}
	}
	inA, inB := says(t, a, "a1", now), says(t, b, "b1", now)
	if inA == inB || inA == first || inB == first || inA != a.Pinned() {
		t.Fatalf("chat %s, pinned %s and %s", first, inA, inB)
	}
	if got := activeID(t, chat); got != first {
		t.Errorf("active is %q, want %q", got, first)
	}
	if got := says(t, a, "a2", now.Add(5*time.Hour)); got != inA {
		t.Errorf("a pinned conversation ended by idleness: %s is gone on with in %s", inA, got)
	}
	if got := says(t, b, "b2", now.Add(5*time.Hour)); got == inB || got != b.Pinned() {
		t.Errorf("an idle conversation is gone on with: %s after %s", got, inB)
	}
	if got := says(t, chat, "m2", now.Add(6*time.Hour)); got == first || got == inA || got == inB {
		t.Errorf("the idle chat goes on in %s", got)
	}
	if _, err := chat.End(now.Add(7*time.Hour), "new"); err != nil {
		t.Fatal(err)
	}
	if got := activeID(t, chat); got != "" {
		t.Errorf("with the chat ended, %s is active", got)
	}
	if got := activeID(t, NewManager(root, Options{})); got != "" {
		t.Errorf("after a restart, %s is active", got)
	}
}

// TestPinTakesUp: what is pinned once more goes on as it is where it did not end, the active one
// becomes pinned, and one that ended is continued, by the same one each time.
func TestPinTakesUp(t *testing.T) {
	root := statetest.Root(t)
	chat := NewManager(root, Options{IdleTimeout: 30 * time.Minute})
	now := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	ended := says(t, chat, "m1", now)
	if _, err := chat.End(now, "new"); err != nil {
		t.Fatal(err)
	}
	active := says(t, chat, "m2", now.Add(time.Minute))

	m := holding(t, root, held{})
	if c, err := m.Pin(active, now); err != nil || c == nil || !c.Pinned || len(c.Turns) != 1 {
		t.Fatalf("the active one was not taken up: %+v %v", c, err)
	}
	if got := says(t, m, "m3", now); got != active {
		t.Errorf("it goes on in %s, not in %s", got, active)
	}
	if got := activeID(t, chat); got != "" {
		t.Errorf("%s is still the vault's active one", got)
	}

	m = holding(t, root, held{})
	if _, err := m.Pin(ended, now); err != nil {
		t.Fatal(err)
	}
	if list, err := chat.List(); err != nil || len(list) != 2 {
		t.Errorf("looking at one made another: %v %v", list, err)
	}
	goesOn := says(t, m, "m4", now.Add(time.Hour))
	if goesOn == ended {
		t.Fatal("one that ended was written to")
	}
	m = holding(t, root, held{})
	if c, err := m.Pin(ended, now); err != nil || c == nil || c.ID != goesOn || c.Continues == nil || c.Continues.ID != ended {
		t.Errorf("taken up again: %+v %v", c, err)
	}
	if got := says(t, m, "m5", now.Add(2*time.Hour)); got != goesOn {
		t.Errorf("it goes on in %s, not in %s", got, goesOn)
	}

	// What the agent ended is over: the next message begins anew.
	if _, err := m.End(now.Add(3*time.Hour), "agent"); err != nil {
		t.Fatal(err)
	}
	if got := says(t, m, "m6", now.Add(3*time.Hour)); got == goesOn || got != m.Pinned() {
		t.Errorf("after the end it goes on in %s", got)
	}
}

// TestPinnedAreHeld: one window at a time has a pinned conversation, and only what nobody has open
// ends for a window that is gone.
func TestPinnedAreHeld(t *testing.T) {
	root := statetest.Root(t)
	now := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	h := held{}
	m := holding(t, root, h)
	if _, err := m.Pin(NewID(now), now); err != nil {
		t.Fatal(err)
	}
	id := says(t, m, "m1", now)
	if _, err := holding(t, root, h).Pin(id, now); !errors.Is(err, ErrHeld) {
		t.Errorf("pinned twice: %v", err)
	}
	other := NewManager(root, Options{})
	for _, x := range []struct {
		later time.Duration
		open  bool
		ended int
	}{{time.Minute, false, 0}, {time.Hour, true, 0}, {time.Hour, false, 1}, {time.Hour, false, 0}} {
		if h[id] = x.open; !x.open {
			delete(h, id)
		}
		at := now.Add(x.later)
		ended, err := other.EndLeft(at, func(e Entry) bool { return e.Pinned && at.Sub(e.Last) > 30*time.Minute && !h[e.ID] })
		if err != nil || len(ended) != x.ended {
			t.Errorf("%+v: %v ended, %v", x, ended, err)
		}
	}
}
