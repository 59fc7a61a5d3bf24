package agent_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chatvault/agent/event"
)

// TestNotesChanged: a note that the agent has read and that somebody else changes while it waits
// for consent is told of once, to the user at once and to the model with the next result; nothing
// is written over it. What the agent has not read, or changed itself, is nobody's news.
func TestNotesChanged(t *testing.T) {
	d, m := asked(t, []step{
		use("read_file", `{"path":"a.md"}`, "write_file", `{"path":"Own.md","content":"1\n"}`),
		use("edit_file", `{"path":"a.md","insert_after_line":0,"content":"top"}`),
		use("read_file", `{"path":"a.md"}`),
		say("It is left as it is."),
	})
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(d.dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	d.p.NotesChanged([]string{"a.md"}) // no turn runs
	r := d.begin(t, "put a line on top")
	d.answer(t, r, event.Answer{Decision: event.AllowOnce}) // Own.md
	r = next[event.Requested](t, d)
	d.p.NotesChanged([]string{"Own.md", "a.md", "b.md", "Gone.md"}) // nothing changed, but for what it wrote itself
	write("a.md", "mine\n")
	write("b.md", "mine too\n")
	d.p.NotesChanged([]string{"b.md", "a.md"})
	d.p.NotesChanged([]string{"a.md"})
	if n := next[event.Notice](t, d); n.Text != "a.md changed on disk." {
		t.Errorf("the user is told %q", n.Text)
	}
	d.answer(t, r, event.Answer{Decision: event.AllowOnce})
	d.until(t, isLast)
	told := 0
	for _, e := range d.events {
		if n, ok := e.(event.Notice); ok && strings.Contains(n.Text, "changed on disk") {
			told++
		}
	}
	if told != 1 {
		t.Errorf("the user is told %d times", told)
	}
	results := strings.Join(m.results(), "\n---\n")
	const line = `["a.md" was changed on disk, not by you, since you read it: read it again before you write to it.]`
	if strings.Count(results, line) != 1 || !strings.Contains(results, "read it again, then repeat the change.\n\n"+line) {
		t.Errorf("the model is told\n%s", results)
	}
	if got, err := os.ReadFile(filepath.Join(d.dir, "a.md")); err != nil || string(got) != "mine\n" {
		t.Errorf("%q, %v", got, err)
	}
}

// TestManyNotesChanged: what a synchroniser does in one go is one line.
func TestManyNotesChanged(t *testing.T) {
	var reads []string
	paths := []string{"n1.md", "n2.md", "n3.md", "n4.md", "n5.md"}
	for _, name := range paths {
		reads = append(reads, "read_file", `{"path":"`+name+`"}`)
	}
	d, m := asked(t, []step{use(append(reads, "write_file", `{"path":"Own.md","content":"1\n"}`)...), say("Done.")})
	for _, name := range paths {
		if err := os.WriteFile(filepath.Join(d.dir, name), []byte("one\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r := d.begin(t, "read them")
	for _, name := range paths[:4] {
		if err := os.WriteFile(filepath.Join(d.dir, name), []byte("two\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(filepath.Join(d.dir, "n5.md")); err != nil {
		t.Fatal(err)
	}
	d.p.NotesChanged(paths)
	d.answer(t, r, event.Answer{Decision: event.AllowOnce})
	d.until(t, isLast)
	var told []string
	for _, e := range d.events {
		if e, ok := e.(event.Notice); ok {
			told = append(told, e.Text)
		}
	}
	if got, want := strings.Join(told, "|"), "n1.md, n2.md, n3.md and 1 more changed on disk.|Moved or deleted by another program: n5.md."; got != want {
		t.Errorf("told %q, want %q", got, want)
	}
	if results := strings.Join(m.results(), "\n"); !strings.Contains(results, `["n5.md" was changed on disk, not by you`) ||
		!strings.Contains(results, `["n1.md" was changed on disk, not by you`) {
		t.Errorf("the model is told\n%s", results)
	}
}
