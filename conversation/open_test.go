package conversation

import (
	"errors"
	"testing"
)

// TestOpen reopens an ended conversation: it continues with its turns, and its open question awaits an answer again.
func TestOpen(t *testing.T) {
	root := openRoot(t, memory(t))
	m := NewManager(root, Options{})
	asking := turn("b", at(1))
	asking.Question = "Which?"
	first, _ := appendTurn(t, m, turn("a", noon))
	appendTurn(t, m, asking)
	if _, err := m.End(at(2), "new"); err != nil {
		t.Fatal(err)
	}
	if c := get(t, m, first.ID); c.Ended.IsZero() || c.PendingQuestion() != nil {
		t.Fatalf("%+v", c)
	}
	other, _ := appendTurn(t, m, turn("c", at(3)))
	c, err := m.Open(first.ID, at(500))
	if err != nil || !c.Ended.IsZero() || len(c.Turns) != 2 || c.PendingQuestion() == nil || !c.Last().Equal(at(500)) {
		t.Fatalf("%+v, %v", c, err)
	}
	if c, _, err := m.Begin(first.ID, at(501)); err != nil || c.ID != first.ID || m.ID() != first.ID {
		t.Fatalf("%+v, %v", c, err)
	}
	if err := m.Append(first.ID, turn("d", at(502))); err != nil {
		t.Fatal(err)
	}
	if got := ids(get(t, NewManager(root, Options{}), first.ID)); got != "a b d" {
		t.Errorf("on disk: %s", got)
	}
	if c := get(t, m, other.ID); !c.Ended.IsZero() {
		t.Error("opening one ended another")
	}
	if c, err := m.Open("20200101-000000-abcdef01", at(503)); c != nil || err != nil || m.ID() != "20200101-000000-abcdef01" {
		t.Errorf("a new conversation: %+v, %v", c, err)
	}
	if next, c, err := m.Next(at(503)); next != m.ID() || c != nil || err != nil {
		t.Errorf("the next message belongs to %q, %+v, %v", next, c, err)
	}
}

// TestOpenInUse: a conversation in use by another process is not opened, and the active one is kept.
func TestOpenInUse(t *testing.T) {
	root := openRoot(t, memory(t))
	first, _ := appendTurn(t, NewManager(root, Options{}), turn("a", noon))
	held := first.ID
	m := NewManager(root, Options{Hold: func(id string) error {
		if id == held {
			return ErrHeld
		}
		return nil
	}})
	if _, err := m.Open("x1", at(1)); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Open(first.ID, at(1)); !errors.Is(err, ErrHeld) || m.ID() != "x1" {
		t.Errorf("%v, open is %s", err, m.ID())
	}
	if ended, err := m.EndLeft(at(2), "idle", func(e Entry) bool { return e.ID != held }); len(ended) > 0 || err != nil {
		t.Errorf("%v, %v", ended, err)
	}
	held = ""
	if ended, err := m.EndLeft(at(2), "idle", func(e Entry) bool { return e.ID != held }); len(ended) != 1 || err != nil {
		t.Errorf("%v, %v", ended, err)
	}
}
