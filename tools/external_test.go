package tools

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestWhatChangedIsNotWrittenOver: no tool writes to a note that somebody else changed since the
// turn read it; after it was read again each does. It is the content that counts, not the time.
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
		write("a lime\n") // as long as before
		if err := os.Chtimes(file, before.ModTime(), before.ModTime()); err != nil {
			t.Fatal(err)
		}
		r := call(c.tool, c.args)
		if got := textOf(t, dir, c.name); got != "a lime\n" || !r.IsError || r.Summary != "changed on disk" || !strings.Contains(strings.ToLower(r.Text), "read it again") {
			t.Errorf("%s %s: %q, %s", c.tool, c.args, got, r.Text)
		}
		write("a line\n") // as it was: only the time is another
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
