package tools

import (
	"os"
	"path/filepath"
	"testing"
)

// TestWritesOverWhatIsKnownOnly checks that no tool overwrites a note that has changed on disk since the turn read
// it, except by the turn itself.
func TestWritesOverWhatIsKnownOnly(t *testing.T) {
	v, dir := newVault(t, map[string]string{"a.md": "one\n", "b.md": "b\n", "Sub/c.md": "c\n", "d.md": "d\n"})
	onDisk := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	turn := NewRegistry(v, Options{}).Turn(nil)
	runSteps(t, turn, []step{{"read_file", `{"path": "a.md"}`, "1: one", ""}})
	onDisk("a.md", "one\ntheirs\n")
	runSteps(t, turn, []step{
		{"write_file", `{"path": "a.md", "content": "mine\n"}`, `Error: "a.md" changed on disk since…`, "changed on disk"},
		{"write_file", `{"path": "A.md", "content": "mine\n"}`, `Error: "a.md" changed on disk since…`, "changed on disk"},
		{"edit_file", `{"path": "a.md", "old_text": "one", "new_text": "1"}`, `Error: "a.md" changed on disk since…`, "changed on disk"},
		{"read_file", `{"path": "a.md", "end_line": 1}`, "1: one\n[Showing lines 1-1 of 2 total]", ""},
		{"edit_file", `{"path": "a.md", "old_text": "one", "new_text": "1"}`, `Replaced 1 occurrence…`, ""},
		{"edit_file", `{"path": "a.md", "old_text": "theirs", "new_text": "ours"}`, `Replaced 1 occurrence…`, ""},
		{"write_file", `{"path": "a.md", "content": "all\n"}`, `Overwrote file "a.md" (4 bytes).`, ""},
		{"write_file", `{"path": "a.md", "content": "all again\n"}`, `Overwrote file "a.md" (10 bytes).`, ""},
		// Not read in this turn: there is nothing to compare with.
		{"edit_file", `{"path": "b.md", "old_text": "b", "new_text": "B"}`, `Replaced 1 occurrence…`, ""},
	})
	onDisk("b.md", "theirs\n")
	runSteps(t, turn, []step{
		{"write_file", `{"path": "b.md", "content": "mine\n"}`, `Error: "b.md" changed on disk since…`, ""},
		// A moved note keeps what is known of it.
		{"read_file", `{"path": "Sub/c.md"}`, "1: c", ""},
		{"move_file", `{"source": "Sub", "destination": "Other/Place"}`, `Moved "Sub" to "Other/Place".`, "moved"},
	})
	onDisk("Other/Place/c.md", "theirs\n")
	runSteps(t, turn, []step{
		{"write_file", `{"path": "Other/Place/c.md", "content": "mine\n"}`, `Error: "Other/Place/c.md" changed on disk since…`, ""},
		{"read_file", `{"path": "d.md"}`, "1: d", ""},
	})
	if err := os.Remove(filepath.Join(dir, "d.md")); err != nil {
		t.Fatal(err)
	}
	runSteps(t, turn, []step{
		{"write_file", `{"path": "d.md", "content": "new\n"}`, `Error: "d.md" was moved or deleted since you last read it; nothing was written. …`, "gone"},
		{"write_file", `{"path": "d.md", "content": "new\n"}`, `Created file "d.md" (4 bytes).`, ""},
		{"delete_file", `{"path": "d.md"}`, `Deleted 'd.md' to trash.`, ""},
		{"write_file", `{"path": "d.md", "content": "new again\n"}`, `Created file "d.md" (10 bytes).`, ""},
	})
	if got := content(t, dir, "Other/Place/c.md"); got != "theirs\n" {
		t.Errorf("c.md holds %q", got)
	}
	// Another turn does not know what this one read.
	runSteps(t, NewRegistry(v, Options{}).Turn(nil), []step{
		{"write_file", `{"path": "b.md", "content": "mine\n"}`, `Overwrote file "b.md" (5 bytes).`, ""},
	})
}
