package chat

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"chatvault/tui/list"
	"chatvault/tui/theme"
)

// read returns a completed call of read_file.
func read(env *Env, note string) *Tool {
	t := NewTool(env, "read_file")
	t.Start(note, noon)
	t.Called(json.RawMessage(fmt.Sprintf(`{"path":%q,"start_line":3}`, note)))
	t.Finish("40 lines", false, 20*time.Millisecond)
	t.Gave("3: a line of " + note)
	return t
}

// folded groups consecutive calls.
func folded(calls ...*Tool) []list.Item {
	var out []list.Item
	for i, c := range calls {
		if i > 0 {
			Together(calls[i-1], c)
		}
		out = append(out, c)
	}
	return out
}

func drawnText(items []list.Item, width int) string {
	var lines []string
	for _, it := range items {
		lines = append(lines, it.Lines(width)...)
	}
	return ansi.Strip(strings.Join(lines, "\n"))
}

func TestReadsFoldIntoOneLine(t *testing.T) {
	env := testEnv(theme.Dark)
	a, b, c := read(env, "Recipes/a.md"), read(env, "b.md"), read(env, "Deep/er/c.md")
	items := folded(a, b, c)
	if got, want := drawnText(items, 80), "✓ read a, b, c"; got != want {
		t.Errorf("folded: %q, want %q", got, want)
	}
	if got, want := drawnText(items, 12), "✓ read a, b…"; got != want {
		t.Errorf("where there is little room: %q, want %q", got, want)
	}
	a.Flip()
	got := drawnText(items, 80)
	for _, want := range []string{"✓ read a, b, c", "✓ read_file b.md · 40 lines", "start_line: 3", "3: a line of b.md"} {
		if strings.Count(got, want) != max(1, strings.Count(want, "start")*3) {
			t.Errorf("unfolded lacks %q, or has it twice:\n%s", want, got)
		}
	}
	a.Flip()
	env.Details = true
	if drawnText(items, 80) != got {
		t.Errorf("with details shown:\n%s\nunfolded by itself:\n%s", drawnText(items, 80), got)
	}
}

// Searches and reads that follow each other are one line, in the order of their tools; a change stands alone.
func TestSearchesAndReadsFoldIntoOneLine(t *testing.T) {
	env := testEnv(theme.Dark)
	find := NewTool(env, "search_files")
	find.Start(`"rent" in *.md`, noon)
	find.Finish("40 matches", false, 0)
	calls := []*Tool{find}
	for _, name := range []string{"Home.md", "Money/Rent.md", "c.md", "Money/Rent.md", "d.md", "e.md", "f.md"} {
		calls = append(calls, read(env, name))
	}
	items := folded(append(calls, change(env))...)
	want := "✓ searched for “rent” in *.md · read Home, Rent, c, d and 2 more\n"
	if got := drawnText(items, 80); !strings.HasPrefix(got, want) || strings.Count(got, "\n") != 1 {
		t.Errorf("folded: %q, want %q and the change", got, want)
	}
}

func TestReadsWhileTheyRun(t *testing.T) {
	env := testEnv(theme.Dark)
	a, b := read(env, "a.md"), NewTool(env, "read_file")
	items := folded(a, b)
	b.Writing(10, "")
	if got, want := drawnText(items, 80), env.Spinner()+" reading a"; got != want {
		t.Errorf("while the second is written: %q, want %q", got, want)
	}
	b.Start("b.md", noon)
	env.Frame++
	if got, want := drawnText(items, 80), env.Spinner()+" reading a, b"; got != want {
		t.Errorf("while the second runs: %q, want %q", got, want)
	}
	b.Finish("not found", true, 0)
	if got, want := drawnText(items, 80), "✓ read a · 40 lines\n✗ reading b · not found"; got != want {
		t.Errorf("one that failed stands for itself: %q, want %q", got, want)
	}
	c := read(env, "c.md")
	Together(b, c)
	if got, want := drawnText(append(items, c), 80), "✓ read a, c\n✗ reading b · not found"; got != want {
		t.Errorf("after one that failed: %q, want %q", got, want)
	}
	a.Withdraw()
	if got, want := drawnText(append(items, c), 80), "✗ reading b · not found\n✓ read c · 40 lines"; got != want {
		t.Errorf("with the first withdrawn: %q, want %q", got, want)
	}
}

func TestUngroupedCalls(t *testing.T) {
	env := testEnv(theme.Dark)
	for name, pair := range map[string][2]list.Item{
		"another tool":   {read(env, "a.md"), tool(env, ToolFailed)},
		"changes":        {change(env), change(env)},
		"something else": {NewNotice(env, "x"), read(env, "a.md")},
		"nothing above":  {nil, read(env, "a.md")},
	} {
		Together(pair[0], pair[1])
		n := 0
		for _, it := range pair {
			if it != nil && len(it.Lines(80)) > 0 {
				n++
			}
		}
		if want := 2; n != want && pair[0] != nil || n == 0 {
			t.Errorf("%s: %d items show", name, n)
		}
	}
}

// change returns a call that changes a note.
func change(env *Env) *Tool {
	t := NewTool(env, "edit_file")
	t.Start("Recipes/a.md", noon)
	t.Called(json.RawMessage(`{"path":"Recipes/a.md","old_text":"one\ntwo","new_text":"three","replace_all":true}`))
	t.Finish("1 line changed", false, 0)
	t.Gave("Replaced 1 occurrence.\n\n--- Recipes/a.md\n+++ Recipes/a.md\n@@ -1,2 +1 @@\n-one\n-two\n+three\n")
	return t
}

func TestArguments(t *testing.T) {
	for raw, want := range map[string]string{
		`{"pattern":"a\nb\nc","max_results":3,"deep":{"x":[1]}}`: `deep: {"x":[1]} · max_results: 3 · pattern: a b c`,
		`{"path":"Recipes/a.md"}`:                                ``,
		`{"x":"` + strings.Repeat("y", 5000) + `"}`:              `x: ` + strings.Repeat("y", maxValue-1) + "…",
		`{"esc":"\u001b[2J"}`:                                    `esc: ␛[2J`,
		`not json`:                                               ``,
		`[1,2]`:                                                  ``,
	} {
		c := NewTool(testEnv(theme.Dark), "search_files")
		c.Start("Recipes/a.md", noon)
		c.Called(json.RawMessage(raw))
		if c.arguments != want {
			t.Errorf("%.60s: %q, want %q", raw, c.arguments, want)
		}
		if got := strings.ReplaceAll(plain(c.details(400, &Tool{card: card{env: c.env, open: true}})), "\n", " "); got != want {
			t.Errorf("%.60s is drawn as %q, want %q", raw, got, want)
		}
	}
}

// Flip unfolds one item alone, and a second Flip restores it.
func TestFlip(t *testing.T) {
	env := testEnv(theme.Dark)
	for _, it := range transcript(env) {
		f, ok := it.(Foldable)
		if !ok || !f.Folds() || len(it.Lines(60)) == 0 {
			continue
		}
		before := drawnText([]list.Item{it}, 60)
		f.Flip()
		alone := drawnText([]list.Item{it}, 60)
		if len(alone) <= len(before) {
			t.Errorf("%T shows no more when it is unfolded:\n%s", it, alone)
		}
		env.Details = true
		if got := drawnText([]list.Item{it}, 60); got != alone {
			t.Errorf("%T, with details shown, shows\n%s\nalone\n%s", it, got, alone)
		}
		f.Flip()
		if got := drawnText([]list.Item{it}, 60); got != before {
			t.Errorf("%T folded alone shows\n%s\nwant\n%s", it, got, before)
		}
		env.Details = false
		if got := drawnText([]list.Item{it}, 60); got != before {
			t.Errorf("%T folded again shows\n%s\nwant\n%s", it, got, before)
		}
	}
}
