package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"chatvault/vault"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestDefinitions compares the tools as a model sees them with a golden file, and checks what every tool must have.
func TestDefinitions(t *testing.T) {
	turn := turnOver(&fakeStore{}, &host{})
	var golden strings.Builder
	var names []string
	for _, tool := range turn.Tools() {
		names = append(names, tool.Name())
		if tool.Description() == "" || len(tool.Description()) > 1200 {
			t.Errorf("%s: a description of %d bytes", tool.Name(), len(tool.Description()))
		}
		var text bytes.Buffer
		if err := json.Indent(&text, tool.Schema(), "", "  "); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&golden, "# %s (read-only: %v)\n\n%s\n\n%s\n\n", tool.Name(), tool.ReadOnly(), tool.Description(), &text)
		if found, ok := turn.Lookup(tool.Name()); !ok || found.Name() != tool.Name() {
			t.Errorf("%s cannot be looked up", tool.Name())
		}
	}
	if !slices.IsSorted(names) {
		t.Errorf("tools: %q", names)
	}
	// Without the required interface a tool is not offered.
	for messenger, lacks := range map[Messenger][]string{
		nil:     {"ask_user", "delegate", "send_message", "task_list"},
		&said{}: {"ask_user", "delegate", "task_list"},
	} {
		want := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(lacks, name) })
		var have []string
		for _, tool := range turnOver(&fakeStore{}, messenger).Tools() {
			have = append(have, tool.Name())
		}
		if !slices.Equal(have, want) {
			t.Errorf("with %T: %q, want %q", messenger, have, want)
		}
	}
	file := filepath.Join("testdata", "tools.golden")
	if *update {
		if err := os.WriteFile(file, []byte(golden.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if golden.String() != string(want) {
		t.Errorf("the tools changed; look at the difference and run go test ./tools -update:\n%s", golden.String())
	}
}

// TestExamplesFit checks every example in an error or a description against its schema.
func TestExamplesFit(t *testing.T) {
	for _, d := range definitions() {
		examples := []string{d.example}
		if _, text, ok := strings.Cut(d.description, "Example: "); ok {
			examples = append(examples, text)
		}
		for _, example := range examples {
			var read, given map[string]any
			if err := d.schema().Decode(d.name, []byte(example), &read); err != nil {
				t.Errorf("%s: %s: %v", d.name, example, err)
			}
			if err := json.Unmarshal([]byte(example), &given); err != nil || !reflect.DeepEqual(read, given) {
				t.Errorf("%s: %s: read as %v, %v", d.name, example, read, err)
			}
		}
	}
}

func TestUnknownTool(t *testing.T) {
	turn := newFakeTurn(t)
	for name, want := range map[string]string{
		"readfile":     `Error: There is no tool "readfile"; did you mean "read_file"? The tools are: append_file, create_folder, …`,
		"edit":         `Error: There is no tool "edit"; did you mean "edit_file"? …`,
		"run_shell":    `Error: There is no tool "run_shell". The tools are: …`,
		"":             `Error: There is no tool "". …`,
		"x\ny":         `Error: There is no tool "x\ny". …`,
		"search_notes": `Error: There is no tool "search_notes"; did you mean "search_files"? …`,
	} {
		runSteps(t, turn, []step{{name, `{}`, want, "unknown tool"}})
	}
	if long := turn.Call(t.Context(), strings.Repeat("x", 10_000), nil); len(long.Text) > 500 {
		t.Errorf("an error of %d bytes", len(long.Text))
	}
}

func TestTarget(t *testing.T) {
	for _, tt := range []struct{ tool, args, want string }{
		{"read_file", `{"path": "Projects/Alpha.md"}`, "Projects/Alpha.md"},
		{"read_file", `{"path": "a.md", "start_line": 3, "end_line": 9}`, "a.md:3-9"},
		{"read_file", `{"path": "a.md", "start_line": 3}`, "a.md:3-"},
		{"read_file", `{"path": "a.md", "start_line": "3"}`, "a.md"},
		{"read_file", `{"path": "a.md", "end_line": 40}`, "a.md:1-40"},
		{"read_file", `{"path": "a.md", "start_line": 1}`, "a.md"},
		{"read_file", `{"path": "a.md", "start_line": 1, "end_line": 2000}`, "a.md"},
		{"read_file", `{"path": "a.md", "start_line": 1, "end_line": 1999}`, "a.md:1-1999"},
		{"read_file", `{"path": "a.md", "start_line": 2, "end_line": 5000}`, "a.md:2-5000"},
		{"write_file", `{"path": "a.md", "content": "x"}`, "a.md"},
		{"edit_file", `{"path": "a.md"}`, "a.md"},
		{"search_files", `{"pattern": "budget", "file_pattern": "*.md"}`, `"budget" in *.md`},
		{"search_files", `{"pattern": "budget"}`, `"budget"`},
		{"list_files", `{}`, "*"},
		{"list_files", `{"pattern": "**/*.md", "path": "Projects/"}`, "**/*.md in Projects/"},
		{"move_file", `{"source": "a.md", "destination": "b/a.md"}`, "a.md → b/a.md"},
		{"move_file", `{"source": "a.md"}`, "a.md"},
		{"get_file_info", `{"path": "a.md"}`, "a.md"},
		{"append_file", `{"path": "a.md", "heading": "## Log"}`, "a.md under Log"},
		{"set_property", `{"path": "a.md", "key": "status", "value": "done"}`, "a.md status"},
		{"get_links", `{"path": "a.md", "mode": "backlinks"}`, "a.md backlinks"},
		{"get_links", `{"mode": "orphans", "path": "Projects"}`, "orphans in Projects"},
		{"get_tags", `{"tag": "#work"}`, "#work"},
		{"list_tasks", `{"tag": "work", "due_until": "today", "path": "Projects"}`, "open #work until today in Projects"},
		{"get_properties", `{"key": "status", "value": "draft"}`, "status: draft"},
		{"get_outline", `{"path": "a.md"}`, "a.md"},
		{"create_folder", `{"path": "x/y"}`, "x/y"},
		{"delete_file", `{"path": "a.md"}`, "a.md"},
		{"send_message", `{"message": "First line\nsecond"}`, "First line …"},
		{"read_file", `{"path": "a\n[file] b"}`, "a …"},
		{"read_file", `{"path": "` + strings.Repeat("é", 500) + `"}`, strings.Repeat("é", 100) + "…"},
		{"read_file", `{"path": `, ""},
		{"read_file", ``, ""},
		{"read_file", `[]`, ""},
		{"nothing", `{"path": "a.md"}`, ""},
	} {
		if got := Target(tt.tool, json.RawMessage(tt.args)); got != tt.want {
			t.Errorf("%s %s: got %q, want %q", tt.tool, tt.args, got, tt.want)
		}
	}
}

func TestPanicIsAnError(t *testing.T) {
	turn := turnOver(&fakeStore{stat: func(string) (vault.Info, error) { panic("boom") }}, nil)
	runSteps(t, turn, []step{
		{"get_file_info", `{"path": "a"}`, "Error: get_file_info failed because of a bug in chatvault (boom). …", "failed"},
	})
}

func TestStoppedBeforeItStarts(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	v, dir := newVault(t, map[string]string{"a.md": "a"})
	turn := NewRegistry(v, Options{}).Turn(nil)
	for _, tool := range turn.Tools() {
		r := turn.Call(ctx, tool.Name(), json.RawMessage(`{"path": "a.md", "content": "x"}`))
		if !r.IsError || r.Summary != "stopped" {
			t.Errorf("%s: %+v", tool.Name(), r)
		}
	}
	if got := content(t, dir, "a.md"); got != "a" {
		t.Errorf("a.md holds %q", got)
	}
}

// TestConcurrentReads runs read-only tools concurrently, on one turn and on several of a registry.
func TestConcurrentReads(t *testing.T) {
	files := make(map[string]string)
	for i := range 20 {
		files[fmt.Sprintf("Notes/%d.md", i)] = fmt.Sprintf("# Note %d\nbudget\n", i)
	}
	v, _ := newVault(t, files)
	registry := NewRegistry(v, Options{})
	turns := []*Turn{registry.Turn(nil), registry.Turn(nil)}
	var group sync.WaitGroup
	for i := range 40 {
		group.Go(func() {
			turn := turns[i%2]
			for _, call := range []struct{ tool, args, want string }{
				{"read_file", fmt.Sprintf(`{"path": "Notes/%d.md"}`, i%20), fmt.Sprintf("1: # Note %d\n2: budget", i%20)},
				{"get_file_info", `{"path": "Notes"}`, "…\nItems: 20\n…"},
				{"list_files", `{"pattern": "**/*.md"}`, "Found 20 item(s):…"},
				{"search_files", `{"pattern": "budget", "max_results": 100}`, "Found 20 matching file(s):…"},
				{"edit_file", `{}`, `Error: Missing argument "path"…`},
			} {
				if r := turn.Call(t.Context(), call.tool, json.RawMessage(call.args)); !matches(r.Text, call.want) {
					t.Errorf("%s %s: %s", call.tool, call.args, r.Text)
				}
			}
			_ = turn.Changes()
		})
	}
	group.Wait()
}

// TestConcurrentEdits checks that concurrent edits lose no changes, although the agent runs writes one after another.
func TestConcurrentEdits(t *testing.T) {
	var text strings.Builder
	for i := range 12 {
		fmt.Fprintf(&text, "item %02d todo\n", i)
	}
	v, dir := newVault(t, map[string]string{"a.md": text.String()})
	turn := NewRegistry(v, Options{}).Turn(nil)
	var group sync.WaitGroup
	for i := range 12 {
		group.Go(func() {
			args := fmt.Sprintf(`{"path": "a.md", "old_text": "item %02d todo", "new_text": "item %02d done"}`, i, i)
			for try := time.Now(); time.Since(try) < 20*time.Second; {
				r := turn.Call(t.Context(), "edit_file", json.RawMessage(args))
				if !r.IsError {
					return
				}
				if r.Summary != "changed on disk" {
					t.Errorf("%s", r.Text)
					return
				}
				// As a model does on this error.
				turn.Call(t.Context(), "read_file", json.RawMessage(`{"path": "a.md"}`))
			}
			t.Errorf("edit %d never went through", i)
		})
	}
	group.Wait()
	if got, want := content(t, dir, "a.md"), strings.ReplaceAll(text.String(), "todo", "done"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
