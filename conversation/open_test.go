package conversation

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
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

// TestContinuedByOlderVersion reads a conversation that carries the turns of another one: they are its first turns.
func TestContinuedByOlderVersion(t *testing.T) {
	dir := memory(t)
	m := NewManager(openRoot(t, dir), Options{})
	appendTurn(t, m, turn("z", noon))
	text := fmt.Sprintf(`{"type":"conversation","schema":1,"id":"c1","time":"2026-11-20T10:00:00Z","pinned":true,"continues":{"id":"c0","name":"The fence","turns":[%s],"omitted":3}}
{"type":"shortened","schema":2,"shortened":{"x":1}}
{"type":"turn","time":"2026-11-20T10:01:00Z","turn":{"id":"b","messages":[{"role":"user","content":"higher"}]}}
`, `{"id":"a","messages":[{"role":"user","content":"how high is the fence"}]}`)
	if err := os.WriteFile(filepath.Join(dir, "conversations", "c1.jsonl"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if c := get(t, m, "c1"); ids(c) != "a b" || c.damaged {
		t.Errorf("%s, %+v", ids(c), c)
	}
	if hits, err := m.Search(t.Context(), "fence", 0); err != nil || len(hits) != 1 || len(hits[0].Excerpts) != 1 {
		t.Errorf("%+v, %v", hits, err)
	}
}
