package tools

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// editor is an editor with texts by path. It records in asked which it was asked about.
type editor struct {
	texts map[string]string
	err   error
	asked []string
}

func (e *editor) Text(_ context.Context, path string) ([]byte, bool, error) {
	e.asked = append(e.asked, path)
	text, ok := e.texts[path]
	return []byte(text), ok, e.err
}

// TestBuffersAreRead checks that the agent reads the editor's text and cannot write, edit, move, delete or relink an
// unsaved note.
func TestBuffersAreRead(t *testing.T) {
	files := map[string]string{
		"typed.md": "# Typed\nold\n", "saved.md": "# Saved\r\nsame\r\n", "closed.md": "see [[typed]] and [[Folder/in]]\n", "Folder/in.md": "within\n",
		"links.md": "see [[closed]]\n",
	}
	v, dir := newVault(t, files)
	e := &editor{texts: map[string]string{
		"typed.md": "# Typed\nnew\n", "saved.md": "# Saved\nsame", "Folder/in.md": "within, and more\n", "links.md": "see [[closed]] and more\n", "fresh.md": "not on disk yet",
	}}
	turn := NewRegistry(v, Options{Buffers: e}).Turn(nil)
	const unsaved = " is unsaved in the editor; save it first, then try again. Nothing was changed."
	runSteps(t, turn, []step{
		{"read_file", `{"path": "typed.md"}`, "1: # Typed\n2: new…", ""},
		{"read_file", `{"path": "TYPED.md", "start_line": 2}`, "2: new…", ""},
		{"get_outline", `{"path": "typed.md"}`, "…Typed…", ""},
		{"edit_file", `{"path": "typed.md", "old_text": "new", "new_text": "mine"}`, "Error: \"typed.md\"" + unsaved, ""},
		{"append_file", `{"path": "typed.md", "content": "more"}`, "Error: \"typed.md\"" + unsaved, ""},
		{"write_file", `{"path": "typed.md", "content": "over"}`, "Error: \"typed.md\"" + unsaved, ""},
		{"write_file", `{"path": "fresh.md", "content": "over"}`, "Error: \"fresh.md\"" + unsaved, ""},
		{"delete_file", `{"path": "typed.md"}`, "Error: \"typed.md\"" + unsaved, ""},
		{"delete_file", `{"path": "Folder", "recursive": true}`, "Error: \"Folder/in.md\"" + unsaved, ""},
		{"move_file", `{"source": "Folder", "destination": "Other"}`, "Error: \"Folder/in.md\"" + unsaved, ""},
		{"move_file", `{"source": "closed.md", "destination": "shut.md"}`, "Error: \"links.md\"" + unsaved, ""},
	})
	for name, want := range files {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
			t.Errorf("%s: %q %v", name, got, err)
		}
	}
	runSteps(t, turn, []step{
		{"read_file", `{"path": "saved.md"}`, "…same…", ""},
		{"edit_file", `{"path": "saved.md", "old_text": "same", "new_text": "other"}`, "Replaced…", ""},
		{"edit_file", `{"path": "closed.md", "old_text": "see", "new_text": "look at"}`, "Replaced…", ""},
	})
	if got, _ := os.ReadFile(filepath.Join(dir, "saved.md")); string(got) != "# Saved\r\nother\r\n" {
		t.Errorf("saved.md: %q", got)
	}
}

// TestBuffersAreAskedLast checks that the editor is not asked about notes that the vault hides.
func TestBuffersAreAskedLast(t *testing.T) {
	v, dir := newVault(t, map[string]string{".obsidian/app.json": "{}", "Diary/a.md": "secret", "a.md": "a"})
	if err := v.SetPrivate([]string{"Diary/**"}); err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(filepath.Dir(dir), "outside.md")
	e := &editor{texts: map[string]string{".obsidian/app.json": "held", "Diary/a.md": "held", outside: "held", "../outside.md": "held"}}
	turn := NewRegistry(v, Options{Buffers: e}).Turn(nil)
	runSteps(t, turn, []step{
		{"read_file", `{"path": ".obsidian/app.json"}`, "Error: …", ""},
		{"read_file", `{"path": "Diary/a.md"}`, "Error: …", ""},
		{"read_file", `{"path": "../outside.md"}`, "Error: …", ""},
		{"write_file", `{"path": "Diary/a.md", "content": "x"}`, "Error: …", ""},
		{"delete_file", `{"path": "Diary/a.md"}`, "Error: …", ""},
		{"read_file", `{"path": "missing.md"}`, "Error: …", ""},
	})
	if len(e.asked) > 0 {
		t.Errorf("the editor was asked about %q", e.asked)
	}

	// An editor that does not answer prevents changes, not reads.
	e.err = errors.New("it hangs")
	runSteps(t, turn, []step{
		{"read_file", `{"path": "a.md"}`, "1: a…", ""},
		{"write_file", `{"path": "a.md", "content": "b"}`, "Error: The editor did not say whether \"a.md\" is saved (it hangs), so it was not changed.…", ""},
	})
	if !slices.Contains(e.asked, "a.md") {
		t.Error("the editor was not asked")
	}
}
