package tools

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"chatvault/vault"
	"chatvault/vault/journal"
)

// recorder is a Messenger that records changes.
type recorder struct {
	effects []Effect
	err     error
}

func (r *recorder) SendMessage(context.Context, string, bool) error { return nil }

func (r *recorder) BeforeChange(_ context.Context, e Effect) error {
	r.effects = append(r.effects, e)
	return r.err
}

// TestOutcome checks that each kind of change is recorded before it happens, and that its outcome is known before,
// after, and when another program has changed the note since.
func TestOutcome(t *testing.T) {
	calls := []struct{ tool, args string }{
		{"write_file", `{"path":"new.md","content":"n"}`},
		{"write_file", `{"path":"a.md","content":"n"}`},
		{"edit_file", `{"path":"a.md","old_text":"old","new_text":"new"}`},
		{"move_file", `{"source":"a.md","destination":"b/c.md"}`},
		{"delete_file", `{"path":"a.md"}`},
		{"create_folder", `{"path":"x"}`},
	}
	for _, c := range calls {
		v, _ := newVault(t, map[string]string{"a.md": "old\n"})
		refusing := &recorder{err: errors.New("no room")}
		turn := NewRegistry(v, Options{}).Turn(refusing)
		if r := turn.Call(context.Background(), c.tool, json.RawMessage(c.args)); !r.IsError {
			t.Errorf("%s %s happened though it could not be noted: %s", c.tool, c.args, r.Text)
		}
		if len(refusing.effects) != 1 {
			t.Fatalf("%s %s: noted %v", c.tool, c.args, refusing.effects)
		}
		noted := refusing.effects[0]
		if f := turn.Outcome(context.Background(), noted); f != OutcomeNotDone {
			t.Errorf("%s %s: outcome %v before", c.tool, c.args, f)
		}
		rec := &recorder{}
		turn = NewRegistry(v, Options{}).Turn(rec)
		if r := turn.Call(context.Background(), c.tool, json.RawMessage(c.args)); r.IsError {
			t.Fatal(r.Text)
		}
		if len(rec.effects) != 1 || rec.effects[0] != noted {
			t.Errorf("noted %v, then %v", noted, rec.effects)
		}
		if f := turn.Outcome(context.Background(), noted); f != OutcomeDone {
			t.Errorf("%s %s: outcome %v after", c.tool, c.args, f)
		}
		if noted.Planned == "" {
			continue
		}
		if _, err := v.Do(context.Background(), vault.Request{Op: vault.OpWrite, Path: noted.Path, Data: []byte("somebody else's")}, nil); err != nil {
			t.Fatal(err)
		}
		if f := turn.Outcome(context.Background(), noted); f != OutcomeUnknown {
			t.Errorf("%s %s: outcome %v when it changed since", c.tool, c.args, f)
		}
	}
}

// TestNothingToNote checks that a call without changes is not recorded.
func TestNothingToNote(t *testing.T) {
	v, _ := newVault(t, map[string]string{"a.md": "old\n", "x/b.md": ""})
	rec := &recorder{}
	turn := NewRegistry(v, Options{}).Turn(rec)
	for _, c := range [][2]string{
		{"read_file", `{"path":"a.md"}`},
		{"create_folder", `{"path":"x"}`},
		{"edit_file", `{"path":"a.md","old_text":"nowhere","new_text":"new"}`},
		{"move_file", `{"source":"a.md","destination":"x/b.md"}`},
		{"delete_file", `{"path":".obsidian"}`},
	} {
		turn.Call(context.Background(), c[0], json.RawMessage(c[1]))
	}
	if len(rec.effects) > 0 {
		t.Errorf("noted %v", rec.effects)
	}
}

// TestOutcomeOfACutMove checks that a move interrupted with half of its links changed is rolled back, so that it can
// run again on the original vault.
func TestOutcomeOfACutMove(t *testing.T) {
	v, r := withHistory(t, map[string]string{"a.md": "a", "one.md": "[[a]]", "two.md": "[[a]]"})
	hash := func(text string) string { return vault.Hash([]byte(text)) }
	j := journal.New(func(bool) (*os.Root, error) {
		dir := filepath.Join(v.Dir(), ".smarthole")
		if err := os.Mkdir(dir, 0o700); err != nil {
			return nil, err
		}
		return os.OpenRoot(dir)
	}, journal.Options{})
	_, err := j.Begin(journal.Pending{Origin: vault.Origin{Turn: "cut"}, Change: journal.Change{Op: "move", Path: "a.md", NewPath: "b.md", Files: []journal.File{
		{Path: "a.md", NewPath: "b.md", Before: hash("a"), After: hash("a")},
		{Path: "one.md", Before: hash("[[a]]"), After: hash("[[b]]"), Kept: true},
		{Path: "two.md", Before: hash("[[a]]"), After: hash("[[b]]"), Kept: true},
	}}}, map[string][]byte{hash("[[a]]"): []byte("[[a]]")})
	if err := errors.Join(err, j.Close(), os.WriteFile(filepath.Join(v.Dir(), "one.md"), []byte("[[b]]"), 0o644), os.Rename(filepath.Join(v.Dir(), "a.md"), filepath.Join(v.Dir(), "b.md"))); err != nil {
		t.Fatal(err)
	}
	if outcome := r.Turn(nil).Outcome(t.Context(), Effect{Op: "move", Path: "a.md", NewPath: "b.md"}); outcome != OutcomeNotDone {
		t.Errorf("outcome %v", outcome)
	}
	for name, want := range map[string]string{"a.md": "a", "one.md": "[[a]]", "two.md": "[[a]]"} {
		if got, err := os.ReadFile(filepath.Join(v.Dir(), name)); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
