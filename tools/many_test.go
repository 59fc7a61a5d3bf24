package tools

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"chatvault/internal/base/prosediff"
	"chatvault/vault"
)

// TestManyNotes checks that a call changes 40 notes with one question; notes that are unsaved in the editor or changed
// on disk since they were read are left and named.
func TestManyNotes(t *testing.T) {
	files := map[string]string{}
	for i := range 40 {
		files[fmt.Sprintf("P/n%02d.md", i)] = "---\nstatus: draft\n---\n#work\r\nsee old-host, old-host\r\n"
	}
	v, dir := newVault(t, files)
	e := &editor{texts: map[string]string{"P/n01.md": "typed"}}
	turn := NewRegistry(v, Options{Buffers: e}).Turn(nil)
	runSteps(t, turn, []step{{"read_file", `{"path": "P/n02.md"}`, "…", ""}})
	if err := os.WriteFile(filepath.Join(dir, "P/n02.md"), []byte("#work theirs\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	runSteps(t, turn, []step{
		{"set_property", `{"where": {"tag": "WORK"}, "key": "Status", "value": "done"}`, "…P/n39.md\n\nLeft unchanged:\n- \"P/n02.md\" changed on disk since you last read it.\n- \"P/n01.md\" is unsaved in the editor; save it first, then try again.", "38 notes"},
		{"set_property", `{"where": {"key": "status", "value": "done"}, "key": "status", "value": "done"}`, "38 notes are as requested already; nothing was changed.", "unchanged"},
		{"edit_file", `{"where": {"path": "P"}, "old_text": "#work\nsee old-host", "new_text": "#work\nsee new-host"}`, "Replaced \"#work\\nsee old-host\" in 38 notes.…", ""},
		{"edit_file", `{"path": "P/n00.md", "old_text": "old-host", "new_text": "x"}`, "Replaced 1 occurrence…", ""}, // it is known
		{"rename_tag", `{"tag": "work", "to": "a/b", "path": "P/n00.md"}`, "Renamed the tag #work to #a/b in 1 note.\n\nP/n00.md", ""},
		{"edit_file", `{"where": {"path": "P"}, "old_text": "", "new_text": "x"}`, "Error: old_text is empty or the same as new_text; nothing was changed.", "invalid arguments"},
		{"rename_tag", `{"tag": "work", "to": "no tag"}`, "Error: tag and to must be two tags…", "invalid arguments"},
	})
	data, err := os.ReadFile(filepath.Join(dir, "P/n00.md"))
	if want := "---\nstatus: done\n---\n#a/b\r\nsee new-host, x\r\n"; err != nil || string(data) != want {
		t.Errorf("%q, %v", data, err)
	}
	if lines := strings.Join(turn.Changes(), "\n"); !strings.Contains(lines, "edited 38 notes") {
		t.Error(lines)
	}
}

// TestManyDiffs checks that the diff of a change of many notes is one of each of them.
func TestManyDiffs(t *testing.T) {
	v, _ := newVault(t, map[string]string{"a.md": "#x\n", "b.md": "one\n#x\n"})
	r := NewRegistry(v, Options{}).Turn(nil).Call(t.Context(), "rename_tag", json.RawMessage(`{"tag": "x", "to": "y"}`))
	got, whole := prosediff.Excerpts(r.Diff)
	want := []prosediff.Excerpt{{Name: "a.md", Before: "#x\n", After: "#y\n", Line: 1}, {Name: "b.md", Before: "one\n#x\n", After: "one\n#y\n", Line: 1}}
	if !whole || !slices.Equal(got, want) {
		t.Errorf("%+v %v in %q", got, whole, r.Diff)
	}
}

// TestManyTicks: ticking a task in many notes completes it in each of them.
func TestManyTicks(t *testing.T) {
	v, dir := newVault(t, map[string]string{
		"a.md": "- [ ] Rent 🔁 every month 📅 2027-01-31\n", "b.md": "- [ ] Rent\r\n", "c.md": "- [x] Paint ✅ 2026-02-28\n",
	})
	runSteps(t, NewRegistry(v, Options{}).Turn(nil), []step{
		{"edit_file", `{"where": {"path": "."}, "old_text": "[ ] Rent", "new_text": "[x] Rent"}`, "Replaced \"[ ] Rent\" in 2 notes.\n\na.md, b.md", "2 notes"},
	})
	today := time.Now().Format(time.DateOnly)
	for name, want := range map[string]string{
		"a.md": "- [ ] Rent 🔁 every month 📅 2027-02-28\n- [x] Rent 🔁 every month 📅 2027-01-31 ✅ " + today + "\n",
		"b.md": "- [x] Rent ✅ " + today + "\r\n",
	} {
		if got := content(t, dir, name); got != want {
			t.Errorf("%s holds %q, want %q", name, got, want)
		}
	}
}

// TestManyNotesInOtherForms checks that a call finds notes whose text has the other form of composed characters.
func TestManyNotesInOtherForms(t *testing.T) {
	v, dir := newVault(t, map[string]string{"a.md": "old caf\u00e9\n", "b.md": "old cafe\u0301\n"})
	runSteps(t, NewRegistry(v, Options{}).Turn(nil), []step{
		{"edit_file", `{"where": {"path": "."}, "old_text": "old caf\u00e9", "new_text": "new caf\u00e9"}`, "Replaced \"old caf\u00e9\" in 2 notes.\n\na.md, b.md", "2 notes"},
	})
	if data, err := os.ReadFile(filepath.Join(dir, "b.md")); err != nil || string(data) != "new cafe\u0301\n" {
		t.Errorf("%q, %v", data, err)
	}
}

// TestManyNotesRenameHeadings checks that the links to renamed headings follow, and that no link follows the heading of a
// note that is unsaved in the editor.
func TestManyNotesRenameHeadings(t *testing.T) {
	v, dir := newVault(t, map[string]string{
		"P/a.md": "## For old\n", "P/b.md": "## For old\n", "c.canvas": `{"nodes":[{"id":"1","type":"text","text":"[[a#For old]] [[b#For old]]"}]}`,
		"P/t.md": "# To do #work\n", "x.md": "[[a#For old]] [[b#For old]] [[t#To do work]]\n",
	})
	turn := NewRegistry(v, Options{Buffers: &editor{texts: map[string]string{"P/b.md": "typed"}}}).Turn(nil)
	runSteps(t, turn, []step{
		{"edit_file", `{"where": {"path": "P"}, "old_text": "old", "new_text": "new"}`, "Replaced \"old\" in 1 note. Links to renamed headings were updated in 2 more notes: c.canvas, x.md.\n\nP/a.md\n\nLeft unchanged:\n- \"P/b.md\" is unsaved in the editor; save it first, then try again.", "1 note"},
		{"rename_tag", `{"tag": "work", "to": "job"}`, "Renamed the tag #work to #job in 1 note. Links to renamed headings were updated in 1 more note: x.md.\n\nP/t.md", "1 note"},
	})
	for name, want := range map[string]string{"x.md": "[[a#For new]] [[b#For old]] [[t#To do job]]\n", "c.canvas": `{"nodes":[{"id":"1","type":"text","text":"[[a#For new]] [[b#For old]]"}]}`} {
		if data, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(data) != want {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
}

// TestManyNotesAreProposed checks that consent is one question with every note.
func TestManyNotesAreProposed(t *testing.T) {
	plan := &vault.Plan{Change: vault.Change{Op: "overwrite", Path: "a.md", Many: true, Refused: []vault.Refusal{{Path: "c.md", Why: "no"}}, Rewrites: []vault.Rewrite{
		{Path: "a.md", NewPath: "a.md", Links: 2, Before: []byte("x x\n"), After: []byte("y y\n")},
		{Path: "b.md", NewPath: "b.md", Links: 1, Before: []byte("x\n"), After: []byte("y\n")},
	}}}
	v, _ := newVault(t, nil)
	propose := func() Proposal {
		return NewRegistry(v, Options{}).Turn(nil).proposal(withTool(t.Context(), "edit_file", []byte(`{"where": {"path": "P"}, "old_text": "x", "new_text": "y"}`)), "edit_file", plan)
	}
	p := propose()
	if p.Kind != ChangeEdit || !p.Many() || p.Subject() != "2 notes" || p.Updates() != "3 places in 2 notes" || p.Detail != "notes in P; 1 note left unchanged: c.md" || !p.Destructive {
		t.Errorf("%+v", p)
	}
	plan.Change.Rewrites = []vault.Rewrite{
		{Path: "a.md", NewPath: "a.md", Links: 1, Before: []byte("# x\na\nb\n"), After: []byte("# y\na\nb\n")},
		{Path: "c.canvas", NewPath: "c.canvas", Links: 1, Before: []byte("[[a#x]]"), After: []byte("[[a#y]]")},
	}
	if propose().Destructive {
		t.Error("a link in a canvas counts as removed text")
	}
}
