package tools

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chatvault/vault"
	"chatvault/vault/journal"
)

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

// do makes calls in a turn; each must succeed.
func do(t *testing.T, v *vault.Vault, r *Registry, turn, title string, calls ...string) {
	t.Helper()
	tools := r.Turn(nil)
	ctx := WithRequest(t.Context(), Request{Turn: turn, Source: "chat", Title: title})
	for _, call := range calls {
		name, args, _ := strings.Cut(call, " ")
		if result := tools.Call(ctx, name, []byte(args)); result.IsError {
			t.Fatalf("%s: %s", call, result.Text)
		}
	}
	if err := v.History.EndTurn(turn); err != nil {
		t.Fatal(err)
	}
}

// TestNoteHistory checks a note's changes by turn, newest first, under earlier names, with its versions and whether
// they were undone.
func TestNoteHistory(t *testing.T) {
	v, r := withHistory(t, map[string]string{"Inbox/idea.md": "one\n", "other.md": "see [[idea]]\n"})
	do(t, v, r, "turn-1", "Add a line", `edit_file {"path": "Inbox/idea.md", "insert_after_line": 1, "content": "two"}`, `write_file {"path": "unrelated.md", "content": "x"}`)
	do(t, v, r, "turn-2", "File it\naway", `move_file {"source": "Inbox", "destination": "Projects"}`)
	do(t, v, r, "turn-3", "Again", `move_file {"source": "Projects/idea.md", "destination": "Projects/Plan.md"}`, `write_file {"path": "projects/plan.md", "content": "three\n"}`)

	ask := func(args string) Result { return r.Turn(nil).Call(t.Context(), "get_note_history", []byte(args)) }
	list := ask(`{"path": "projects/PLAN.md"}`)
	for _, want := range []string{
		"History of \"Projects/Plan.md\" (4 changes, newest first):", "[turn-3/2] ", ", chat: “Again”\n  overwrote Projects/Plan.md (8 bytes → 6 bytes)",
		"[turn-3/1] ", "moved Projects/idea.md to Projects/Plan.md, with 1 link in 1 note", "[turn-2/1] ", ": “File it away”\n  moved Inbox to Projects",
		"[turn-1/1] ", "edited Inbox/idea.md (4 bytes → 8 bytes)",
	} {
		if !strings.Contains(list.Text, want) {
			t.Errorf("%q is missing in\n%s", want, list.Text)
		}
	}
	if strings.Index(list.Text, "turn-3/2") > strings.Index(list.Text, "turn-3/1") || strings.Contains(list.Text, "unrelated") || list.Summary != "4 changes" {
		t.Errorf("%s: %s", list.Summary, list.Text)
	}
	for args, want := range map[string]string{
		`{"path": "Projects/Plan.md", "version": "turn-1/1"}`:                 "\"Projects/Plan.md\" after version turn-1/1 (8 bytes):\n\none\ntwo\n",
		`{"path": "Projects/Plan.md", "version": "TURN-1/1", "before": true}`: "before version turn-1/1 (4 bytes):\n\none\n",
		`{"path": "Projects/Plan.md", "version": "turn-3/2", "diff": true}`:   "@@ -1,2 +1,1 @@\n-one\n-two\n+three",
		`{"path": "Projects/Plan.md", "diff": true}`:                          "+three",
		`{"path": "Projects/Plan.md", "max_results": 1}`:                      "[3 more changes; raise max_results or name a version]",
		`{"path": "Projects/Plan.md", "version": "nope"}`:                     "Error: \"Projects/Plan.md\" has no version \"nope\". The latest are: turn-3/2, turn-3/1,",
		`{"path": "Projects/Plan.md", "before": true}`:                        "needs \"version\"",
		`{"path": "Projects"}`:                                                "is a folder, not a file",
		`{"path": "nothing.md"}`:                                              "Error: File not found: \"nothing.md\"",
		`{"path": ".smarthole/journal/open"}`:                                 "Error: Access denied",
	} {
		if got := ask(args); !strings.Contains(strings.ReplaceAll(got.Text, "@@ -1,2 +1 @@", "@@ -1,2 +1,1 @@"), want) {
			t.Errorf("%s: %s", args, got.Text)
		}
	}
	if _, err := v.History.Undo(t.Context(), "turn-3"); err != nil {
		t.Fatal(err)
	}
	if got := ask(`{"path": "Projects/idea.md"}`); !strings.Contains(got.Text, "moved Projects/Plan.md back to Projects/idea.md") || !strings.Contains(got.Text, "; undone since") {
		t.Error(got.Text)
	}
	do(t, v, r, "turn-4", "Away", `delete_file {"path": "Projects", "recursive": true}`)
	if got := ask(`{"path": "projects/idea.md"}`); got.IsError || !strings.Contains(got.Text, "deleted Projects/ (1 file)") {
		t.Error(got.Text)
	}
	if got := ask(`{"path": "Projects/idea.md", "version": "turn-4/1", "before": true}`); !strings.Contains(got.Text, "one\ntwo\n") {
		t.Error(got.Text)
	}
	if got := ask(`{"path": "Projects/idea.md", "version": "turn-4/1"}`); got.IsError || !strings.Contains(got.Text, "\"Projects/idea.md\" did not exist after that change") {
		t.Error(got.Text)
	}
}

// TestNoteHistoryIsBounded checks the result's size for long texts and many changes.
func TestNoteHistoryIsBounded(t *testing.T) {
	v, r := withHistory(t, map[string]string{"a.md": ""})
	for i := range 120 {
		line := strings.Repeat(fmt.Sprintf("word%d ", i), 4000)
		do(t, v, r, fmt.Sprintf("turn-%03d", i), strings.Repeat("title ", 50), fmt.Sprintf(`write_file {"path": "a.md", "content": %q}`, line))
	}
	for _, args := range []string{`{"path": "a.md", "max_results": 1000}`, `{"path": "a.md", "diff": true}`, `{"path": "a.md", "version": "turn-100/1", "diff": true}`} {
		if got := r.Turn(nil).Call(t.Context(), "get_note_history", []byte(args)); got.IsError || len(got.Text) > 50_000 {
			t.Errorf("%s: %d bytes, %.200s", args, len(got.Text), got.Text)
		}
	}
}

// TestNoteHistoryIsPrivate checks that history of private notes is hidden although the journal has it.
func TestNoteHistoryIsPrivate(t *testing.T) {
	v, r := withHistory(t, map[string]string{"Diary/secret.md": "CANARY\n", "a.md": "x\n"})
	do(t, v, r, "turn-1", "Move it", `edit_file {"path": "Diary/secret.md", "old_text": "CANARY", "new_text": "CANARY2"}`, `move_file {"source": "Diary/secret.md", "destination": "open.md"}`, `edit_file {"path": "open.md", "old_text": "CANARY2", "new_text": "fine"}`)
	if err := v.SetPrivate([]string{"Diary/"}); err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{`{"path": "Diary/secret.md"}`, `{"path": "diary/Secret.md", "version": "turn-1/1"}`} {
		if got := r.Turn(nil).Call(t.Context(), "get_note_history", []byte(args)); !got.IsError || got.Summary != "access denied" {
			t.Errorf("%s: %s", args, got.Text)
		}
	}
	for _, args := range []string{`{"path": "open.md"}`, `{"path": "open.md", "version": "turn-1/1", "before": true}`, `{"path": "open.md", "version": "turn-1/2", "diff": true}`} {
		if got := r.Turn(nil).Call(t.Context(), "get_note_history", []byte(args)); strings.Contains(got.Text, "Diary") || strings.Contains(got.Text, "secret") {
			t.Errorf("%s: %s", args, got.Text)
		}
	}
}

// TestNoteHistoryOfWhatBecamePrivate checks that the history of a note from before it became private is hidden, under
// all names and moves, and that all other history is shown.
func TestNoteHistoryOfWhatBecamePrivate(t *testing.T) {
	move := func(from, to string) func(t *testing.T, v *vault.Vault, r *Registry) {
		return func(t *testing.T, v *vault.Vault, r *Registry) {
			do(t, v, r, "moved-"+strings.NewReplacer("/", "-", ".", "-").Replace(strings.ToLower(to)), "File it", fmt.Sprintf(`move_file {"source": %q, "destination": %q}`, from, to))
		}
	}
	byHand := func(from, to string) func(t *testing.T, v *vault.Vault, r *Registry) {
		return func(t *testing.T, v *vault.Vault, _ *Registry) {
			from, to := filepath.Join(v.Dir(), from), filepath.Join(v.Dir(), to)
			if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.Rename(from, to)); err != nil {
				t.Fatal(err)
			}
		}
	}
	write := func(name, text string) func(t *testing.T, v *vault.Vault, r *Registry) {
		return func(t *testing.T, v *vault.Vault, r *Registry) {
			do(t, v, r, fmt.Sprintf("wrote-%d", len(text)), "Write it", fmt.Sprintf(`write_file {"path": %q, "content": %q}`, name, text))
		}
	}
	written := func(name, text string) func(t *testing.T, v *vault.Vault, r *Registry) {
		return func(t *testing.T, v *vault.Vault, _ *Registry) {
			if err := os.WriteFile(filepath.Join(v.Dir(), name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	type step = func(t *testing.T, v *vault.Vault, r *Registry)
	for name, test := range map[string]struct {
		steps []step
		told  bool // of pub/a.md
	}{
		"the agent moved it, edited by hand since": {[]step{move("pub/a.md", "Diary/x.md"), written("Diary/x.md", "CANARY three\n")}, false},
		"moved, edited, replaced":                  {[]step{move("pub/a.md", "Diary/x.md"), written("Diary/x.md", "CANARY three\n"), written("pub/a.md", "harmless\n")}, false},
		"moved twice, edited":                      {[]step{move("pub/a.md", "other.md"), move("other.md", "Diary/x.md"), written("Diary/x.md", "CANARY three\n")}, false},
		"moved with its folder, edited":            {[]step{move("pub", "Diary/pub"), written("Diary/pub/a.md", "CANARY three\n"), write("pub/a.md", "harmless\n")}, false},
		"the agent moved it":                       {[]step{move("pub/a.md", "Diary/x.md")}, false},
		"and once more":                            {[]step{move("pub/a.md", "other.md"), move("other.md", "Diary/x.md")}, false},
		"with its folder":                          {[]step{move("pub", "Diary/pub")}, false},
		"and another is in its place":              {[]step{move("pub/a.md", "Diary/x.md"), write("pub/a.md", "harmless and new\n")}, false},
		"by hand another":                          {[]step{move("pub/a.md", "Diary/x.md"), written("pub/a.md", "harmless\n")}, false},
		"the user moved it":                        {[]step{byHand("pub/a.md", "Diary/a.md")}, false},
		"under another name":                       {[]step{byHand("pub/a.md", "Diary/y.md")}, false},
		"and wrote to it":                          {[]step{byHand("pub/a.md", "Diary/a.md"), written("Diary/a.md", "CANARY three\n")}, false},
		"and put another in its place":             {[]step{byHand("pub/a.md", "Diary/y.md"), written("pub/a.md", "harmless\n")}, false},
		"the agent moved, then the user":           {[]step{move("pub/a.md", "other.md"), byHand("other.md", "Diary/other.md")}, false},
		"it stays":                                 {nil, true},
		"it moves where it can be seen":            {[]step{move("pub/a.md", "pub/b.md"), move("pub/b.md", "pub/a.md")}, true},
		"another goes":                             {[]step{move("c.md", "Diary/c.md")}, true},
		"it is private in part, and is seen too":   {[]step{byHand("c.md", "Diary/c.md"), written("Diary/c.md", "CANARY two\n")}, true},
	} {
		t.Run(name, func(t *testing.T) {
			v, r := withHistory(t, map[string]string{"pub/a.md": "CANARY\n", "c.md": "c\n"})
			do(t, v, r, "first", "Write", `edit_file {"path": "pub/a.md", "old_text": "CANARY", "new_text": "CANARY two"}`, `edit_file {"path": "c.md", "old_text": "c", "new_text": "cc"}`)
			for _, step := range test.steps {
				step(t, v, r)
			}
			if err := v.SetPrivate([]string{"Diary/"}); err != nil {
				t.Fatal(err)
			}
			told := false
			for _, path := range []string{"pub/a.md", "PUB/A.md", "other.md"} {
				for _, args := range []string{`{"path": %q, "diff": true}`, `{"path": %q, "version": "first/1"}`, `{"path": %q, "version": "first/1", "before": true}`, `{"path": %q, "version": "first/1", "diff": true}`} {
					got := r.Turn(nil).Call(t.Context(), "get_note_history", fmt.Appendf(nil, args, path))
					told = told || strings.Contains(got.Text, "CANARY")
					if strings.Contains(got.Text, "Diary") || !test.told && strings.Contains(got.Text, "CANARY") {
						t.Errorf("%s: %s", fmt.Sprintf(args, path), got.Text)
					}
				}
			}
			if told != test.told {
				t.Errorf("told: %v", told)
			}
		})
	}
}
