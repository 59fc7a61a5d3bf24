package home

import (
	"log/slog"
	"os"
	"strings"
	"testing"
)

// The text is in a file while an editor has it, and is read back from it.
func TestLendDraft(t *testing.T) {
	root := stateRoot(t)
	d := NewDrafts(root, slog.New(slog.DiscardHandler))
	defer d.Close()
	d.Save("my words")
	name, err := d.Lend("my words")
	if err != nil || !strings.HasSuffix(name, ".edit.md") {
		t.Fatal(name, err)
	}
	file := name
	if data, _ := os.ReadFile(file); string(data) != "my words\n" {
		t.Errorf("the editor gets %q", data)
	}
	if info, _ := os.Stat(file); info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	if err := os.WriteFile(file, []byte("better\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := d.TakeBack(); text != "better\n" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("the file stays")
	}
}

// The editor's file of a dead process becomes the next chat's draft.
func TestDraftLeftInEditor(t *testing.T) {
	root := stateRoot(t)
	for _, tt := range []struct{ left, want string }{
		{"better words\n", "better words"},
		{"", "my words"},
		{"bad \xff bytes", "my words"},
	} {
		before := NewDrafts(root, slog.New(slog.DiscardHandler))
		before.Save("my words")
		name, err := before.Lend("my words")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(tt.left), 0o600); err != nil {
			t.Fatal(err)
		}
		before.Close() // as after a kill: the lock is released, the files remain
		after := NewDrafts(root, slog.New(slog.DiscardHandler))
		if got := after.Load(); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.left, got, tt.want)
		}
		after.Close()
		again := NewDrafts(root, slog.New(slog.DiscardHandler))
		if got := again.Load(); got != tt.want {
			t.Errorf("%q, once more: %q, want %q", tt.left, got, tt.want)
		}
		again.Close()
	}
}
