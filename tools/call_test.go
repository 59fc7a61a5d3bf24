package tools

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chatvault/vault"
	"chatvault/vault/journal"
)

// recorder is a Messenger that counts changes.
type recorder struct {
	changes int
	err     error
}

func (r *recorder) SendMessage(context.Context, string, bool) error { return nil }

func (r *recorder) BeforeChange(context.Context) error {
	r.changes++
	return r.err
}

// withHistory returns a vault with a journal.
func withHistory(t *testing.T, files map[string]string, private ...string) (*vault.Vault, *Registry) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		full := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o755), os.WriteFile(full, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	v, err := vault.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := v.SetPrivate(private); err != nil {
		t.Fatal(err)
	}
	j := journal.New(func(make bool) (*os.Root, error) {
		if make {
			if err := os.Mkdir(filepath.Join(dir, ".smarthole"), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
				return nil, err
			}
		}
		return os.OpenRoot(filepath.Join(dir, ".smarthole"))
	}, journal.Options{})
	v.History.Record(j)
	t.Cleanup(func() { _ = errors.Join(j.Close(), v.Close()) })
	return v, NewRegistry(v, Options{})
}

// TestMade checks that each kind of change is reported before it happens, which can prevent it, and that the journal
// has its call afterwards, until it is undone.
func TestMade(t *testing.T) {
	for _, c := range []struct{ tool, args, did string }{
		{"write_file", `{"path":"new.md","content":"n"}`, "created new.md"},
		{"write_file", `{"path":"a.md","content":"` + strings.Repeat("n", 20_000) + `"}`, "overwrote a.md"},
		{"edit_file", `{"new_text": "new", "path": "a.md","old_text":"old"}`, "edited a.md"},
		{"move_file", `{"source":"a.md","destination":"b/c.md"}`, "moved a.md to b/c.md"},
		{"delete_file", `{"path":"a.md"}`, "deleted a.md"},
		{"create_folder", `{"path":"x"}`, "created folder x"},
	} {
		v, r := withHistory(t, map[string]string{"a.md": "old\n"})
		ctx := WithRequest(t.Context(), Request{Turn: "t1"})
		made := func() []Call {
			calls, err := r.Made(t.Context(), "t1")
			if err != nil {
				t.Fatal(err)
			}
			return calls
		}
		refusing := &recorder{err: errors.New("no room")}
		if res := r.Turn(refusing).Call(ctx, c.tool, json.RawMessage(c.args)); !res.IsError || refusing.changes != 1 || len(made()) != 0 {
			t.Errorf("%s %.50s: %s after %d changes, made %v", c.tool, c.args, res.Text, refusing.changes, made())
		}
		rec := &recorder{}
		if res := r.Turn(rec).Call(ctx, c.tool, json.RawMessage(c.args)); res.IsError || rec.changes != 1 {
			t.Fatalf("%s, %d changes", res.Text, rec.changes)
		}
		if got := made(); len(got) != 1 || got[0] != (Call{c.tool, Arguments(json.RawMessage(c.args)), c.did}) {
			t.Errorf("%s %.50s: made %v", c.tool, c.args, got)
		}
		if err := v.History.EndTurn("t1"); err != nil {
			t.Fatal(err)
		}
		if len(made()) != 1 {
			t.Errorf("%s: %v after the end of the turn", c.tool, made())
		}
		if _, err := v.History.Undo(t.Context(), "t1"); err != nil || len(made()) != 0 {
			t.Errorf("%s: %v after an undo, %v", c.tool, made(), err)
		}
	}
}

// TestArguments checks that equal arguments are equal, however they are written and however long they are.
func TestArguments(t *testing.T) {
	long := strings.Repeat("x", 20_000)
	for _, pair := range [][2]string{
		{`{"a":1,"b":["<"]}`, "{ \"b\" : [\"<\"],\n\"a\":1}"},
		{`{"a":"` + long + `","b":9007199254740993}`, `{"b":9007199254740993,"a":"` + long + `"}`},
	} {
		a, b := Arguments(json.RawMessage(pair[0])), Arguments(json.RawMessage(pair[1]))
		if a != b || a == "" || len(a) > 200 || a != Arguments(json.RawMessage(a)) {
			t.Errorf("%.200s and %.200s", a, b)
		}
		if other := Arguments(json.RawMessage(strings.Replace(pair[0], "a", "c", 1))); other == a {
			t.Errorf("%.200s for others", other)
		}
	}
}

// TestNothingToNote checks that a call without changes is not reported.
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
	if rec.changes > 0 {
		t.Errorf("%d changes", rec.changes)
	}
}

// TestMadeOfACutMove checks that a move interrupted with half of its links changed is rolled back, so that it can run
// again on the original vault.
func TestMadeOfACutMove(t *testing.T) {
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
	if made, err := r.Made(t.Context(), "cut"); err != nil || len(made) != 0 {
		t.Errorf("made %v, %v", made, err)
	}
	for name, want := range map[string]string{"a.md": "a", "one.md": "[[a]]", "two.md": "[[a]]"} {
		if got, err := os.ReadFile(filepath.Join(v.Dir(), name)); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
