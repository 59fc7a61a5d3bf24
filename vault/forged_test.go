package vault

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chatvault/vault/failure"
	"chatvault/vault/journal"
)

// forger writes a journal as somebody does who can write whatever they like into it: every object
// has the hash that it claims.
type forger struct {
	t   testing.TB
	dir string // of the journal
}

func newForger(t testing.TB, v *Vault) *forger {
	t.Helper()
	f := &forger{t, filepath.Join(v.dir, ".smarthole/journal")}
	for _, name := range []string{"turns", "objects"} {
		mustTest(t, os.MkdirAll(filepath.Join(f.dir, name), 0o700))
	}
	return f
}

// object keeps bytes, and returns their hash.
func (f *forger) object(text string) string {
	print := journal.Print([]byte(text))
	at := filepath.Join(f.dir, "objects", print[:2], print)
	mustTest(f.t, os.MkdirAll(filepath.Dir(at), 0o700))
	mustTest(f.t, os.WriteFile(at, []byte(text), 0o600))
	return print
}

// pending writes the record of a change that looks as if it was cut off.
func (f *forger) pending(o Origin, c journal.Change) {
	f.t.Helper()
	c.State = journal.Planned
	data, err := json.Marshal(map[string]any{"schema": 1, "origin": o, "change": c})
	mustTest(f.t, err)
	mustTest(f.t, os.WriteFile(filepath.Join(f.dir, "pending.json"), data, 0o600))
}

// turn writes a turn that ended, with its changes.
func (f *forger) turn(o Origin, changes ...journal.Change) {
	f.t.Helper()
	now := time.Now()
	lines := []any{map[string]any{"type": "turn", "schema": 1, "time": now, "origin": o}}
	for i, c := range changes {
		if c.Seq == 0 {
			c.Seq = i + 1
		}
		if c.Time.IsZero() {
			c.Time = now
		}
		if c.State == "" {
			c.State = journal.Done
		}
		lines = append(lines, map[string]any{"type": "change", "time": now, "change": c})
	}
	lines = append(lines, map[string]any{"type": "end", "time": now})
	var b strings.Builder
	for _, line := range lines {
		data, err := json.Marshal(line)
		mustTest(f.t, err)
		b.Write(append(data, '\n'))
	}
	mustTest(f.t, os.WriteFile(filepath.Join(f.dir, "turns", o.Turn+".jsonl"), []byte(b.String()), 0o600))
}

// asides are the files of a journal that were set aside.
func (f *forger) asides() []string {
	var names []string
	_ = filepath.WalkDir(f.dir, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && strings.Contains(e.Name(), ".corrupt-") {
			names = append(names, e.Name())
		}
		return nil
	})
	return names
}

const hookText = "#!/bin/sh\ntouch /tmp/owned\n"

// TestForgedPendingChange: a record that came with a vault is set aside, whatever it claims; nothing
// of what it names is touched, and the vault can be changed.
func TestForgedPendingChange(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long: make test runs it")
	}
	hook := func(f *forger, op string) journal.Change {
		return journal.Change{Seq: 1, Time: time.Now(), Op: op, Path: ".git", Folder: true, Files: []journal.File{
			{Path: ".git/hooks/pre-commit", Before: f.object(hookText), Mode: 0o755, Kept: true},
			{Path: "a.md", Before: f.object("a"), After: strings.Repeat("0", 64), Kept: true},
		}}
	}
	forged := map[string]func(f *forger) journal.Change{
		"moved into sight": func(f *forger) journal.Change {
			return journal.Change{Seq: 1, Time: time.Now(), Op: "move", Path: "seen.md", NewPath: "Diary/x.md", Files: []journal.File{
				{Path: "a.md", Before: f.object("a"), After: strings.Repeat("0", 64), Kept: true},
			}}
		},
		"a folder with something private moved into sight": func(f *forger) journal.Change {
			return journal.Change{Seq: 1, Time: time.Now(), Op: "move", Path: "G", NewPath: "F", Folder: true, Files: []journal.File{
				{Path: "a.md", Before: f.object("a"), After: strings.Repeat("0", 64), Kept: true},
			}}
		},
	}
	for _, op := range []string{"", "none", "create", "overwrite", "move", "delete", "mkdir", "remove", "restore", "rmdir", "chmod", "NONE"} {
		forged["a hook by op "+op] = func(f *forger) journal.Change { return hook(f, op) }
		forged["a hook below a folder by op "+op] = func(f *forger) journal.Change {
			c := hook(f, op)
			c.Path, c.Files[0].Path = "F", "F/.git/hooks/pre-commit"
			return c
		}
	}
	for name, record := range forged {
		t.Run(name, func(t *testing.T) {
			v := keptTest(t, map[string]string{"a.md": "a", "F/b.md": "b", "F/pay.md": "pay", "Diary/x.md": "x", ".git/hooks/README": "", "F/.git/hooks/README": ""})
			mustTest(t, v.SetPrivate([]string{"/Diary/", "/F/pay.md"}))
			f := newForger(t, v)
			f.pending(Origin{Turn: "forged", Source: "chat", Title: "tidy up"}, record(f))
			before := snapshot(v.dir)
			if err := v.Recover(t.Context()); err != nil {
				t.Error(err)
			}
			if d := differences(snapshot(v.dir), before); len(d) > 0 {
				t.Error(strings.Join(d, "\n"))
			}
			if aside := f.asides(); len(aside) != 1 || !strings.HasPrefix(aside[0], "pending.json.corrupt-") {
				t.Errorf("set aside: %v", aside)
			}
			if _, cut, err := v.journal.Pending(); cut || err != nil {
				t.Errorf("it is there still: %v", err)
			}
			if _, err := v.Write(t.Context(), "new.md", []byte("new"), ""); err != nil {
				t.Errorf("the vault cannot be changed: %v", err)
			}
			if _, err := v.Undo(t.Context(), "forged"); !errors.Is(err, failure.KindNotFound) {
				t.Errorf("it can be taken back: %v", err)
			}
		})
	}
}
