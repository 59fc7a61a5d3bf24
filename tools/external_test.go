package tools

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chatvault/vault"
)

// TestWhatChangedIsNotWrittenOver checks that no tool writes to a note that has changed since the turn read it, and
// that each does after reading it again. Only the content counts, not the time.
func TestWhatChangedIsNotWrittenOver(t *testing.T) {
	today := time.Now().Format("2006-01-02") + ".md"
	for _, c := range []struct{ tool, name, args string }{
		{"write_file", "a.md", `{"path":"a.md","content":"all new\n"}`},
		{"write_file", "a.md", `{"path":"A.MD","content":"all new\n"}`},
		{"edit_file", "a.md", `{"path":"a.md","old_text":"line","new_text":"row"}`},
		{"edit_file", "a.md", `{"path":"a.md","insert_after_line":1,"content":"more"}`},
		{"append_file", "a.md", `{"path":"a.md","content":"more"}`},
		{"append_file", "a.md", `{"path":"a.md","heading":"Part","content":"more","create_heading":true}`},
		{"set_property", "a.md", `{"path":"a.md","key":"status","value":"open"}`},
		{"daily_note", today, `{"action":"append","content":"more"}`},
	} {
		v, dir := newVault(t, map[string]string{c.name: "a line\n"})
		turn := NewRegistry(v, Options{}).Turn(nil)
		file := filepath.Join(dir, c.name)
		call := func(tool, args string) Result { return turn.Call(t.Context(), tool, []byte(args)) }
		write := func(text string) {
			t.Helper()
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		read := `{"path":"` + c.name + `"}`
		if r := call("read_file", read); r.IsError {
			t.Fatal(r.Text)
		}
		before, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		write("a lime\n") // same length
		if err := os.Chtimes(file, before.ModTime(), before.ModTime()); err != nil {
			t.Fatal(err)
		}
		r := call(c.tool, c.args)
		if got := textOf(t, dir, c.name); got != "a lime\n" || !r.IsError || r.Summary != "changed on disk" || !strings.Contains(strings.ToLower(r.Text), "read it again") {
			t.Errorf("%s %s: %q, %s", c.tool, c.args, got, r.Text)
		}
		write("a line\n") // same content, other time
		if r := call(c.tool, c.args); r.IsError {
			t.Errorf("%s %s, as it was read: %s", c.tool, c.args, r.Text)
		}
		write("a line, again\n")
		if r := call("read_file", read); r.IsError {
			t.Fatal(r.Text)
		}
		if r := call(c.tool, c.args); r.IsError {
			t.Errorf("%s %s, read again: %s", c.tool, c.args, r.Text)
		}
	}
}

// overtakenStore changes a note right before the next change of it, as another program would.
type overtakenStore struct {
	noteStore
	meanwhile func()
}

func (s *overtakenStore) Do(ctx context.Context, r vault.Request, tell vault.CommitCheck) (vault.Change, error) {
	if do := s.meanwhile; do != nil {
		s.meanwhile = nil
		do()
	}
	return s.noteStore.Do(ctx, r, tell)
}

// TestOvertakenIsDoneAgain checks that a change is planned again if another program changes the note between reading
// and writing, unless it would overwrite unread content.
func TestOvertakenIsDoneAgain(t *testing.T) {
	today := time.Now().Format("2006-01-02") + ".md"
	for _, c := range []struct{ tool, name, args, before, meanwhile, want string }{
		{"append_file", "a.md", `{"path":"a.md","content":"mine"}`, "a line\n", "a line\ntheirs\n", "a line\ntheirs\n\nmine\n"},
		{"append_file", "a.md", `{"path":"a.md","content":"mine","create":true}`, "", "theirs\n", "theirs\n\nmine\n"},
		{"edit_file", "a.md", `{"path":"a.md","old_text":"line","new_text":"row"}`, "a line\n", "theirs\na line\n", "theirs\na row\n"},
		{"edit_file", "a.md", `{"path":"a.md","old_text":"line","new_text":"row"}`, "a line\n", "theirs\n", "theirs\n"},
		{"set_property", "a.md", `{"path":"a.md","key":"status","value":"open"}`, "a line\n", "theirs\n", "---\nstatus: open\n---\ntheirs\n"},
		{"daily_note", today, `{"action":"append","content":"mine"}`, "", "theirs\n", "theirs\n\nmine\n"},
		{"write_file", today, `{"path":"` + today + `","content":"mine","template":"T"}`, "", "theirs\n", "theirs\n"},
	} {
		v, dir := newVault(t, map[string]string{"T.md": "template\n", ".obsidian/templates.json": `{"folder":"/"}`})
		if c.before != "" {
			if err := os.WriteFile(filepath.Join(dir, c.name), []byte(c.before), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		r := NewRegistry(v, Options{})
		r.notes = &overtakenStore{r.notes, func() {
			if err := os.WriteFile(filepath.Join(dir, c.name), []byte(c.meanwhile), 0o644); err != nil {
				t.Fatal(err)
			}
		}}
		result := r.Turn(nil).Call(t.Context(), c.tool, []byte(c.args))
		if got := textOf(t, dir, c.name); got != c.want || result.IsError != (c.want == c.meanwhile) {
			t.Errorf("%s %s: %q, want %q; %s", c.tool, c.args, got, c.want, result.Text)
		}
	}
}
