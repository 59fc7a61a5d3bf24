package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chatvault/tools/wording"
	"chatvault/vault"
	"chatvault/vault/search"
	"chatvault/vault/walk"
)

func TestSearchFiles(t *testing.T) {
	var alpha strings.Builder
	for i := 1; i <= 60; i++ {
		switch i {
		case 42, 44:
			fmt.Fprintf(&alpha, "the budget of line %d\n", i)
		default:
			fmt.Fprintf(&alpha, "line %d\n", i)
		}
	}
	v, _ := newVault(t, map[string]string{
		"Projects/Alpha.md": alpha.String(),
		"Notes/b.md":        "# Budget\n\nBudget 2026\n",
		"Notes/c.txt":       "budget in a text file\n",
		"Notes/d.md":        "nothing here\n",
		".smarthole/x.md":   "budget\n",
	})
	turn := NewRegistry(v, Options{}).Turn(nil)
	runSteps(t, turn, []step{
		{"search_files", `{"pattern": "budget"}`, `Found 2 matching file(s):

## Notes/b.md
Line 1: > # Budget
Line 2:   
Line 3: > Budget 2026

## Projects/Alpha.md
Line 40:   line 40
Line 41:   line 41
Line 42: > the budget of line 42
Line 43:   line 43
Line 44: > the budget of line 44
Line 45:   line 45
Line 46:   line 46`, "2 notes"},
		{"search_files", `{"pattern": "budget", "context_lines": 0, "max_results": "1"}`, `Found 1 matching file(s):

## Notes/b.md
Line 1: > # Budget
...
Line 3: > Budget 2026

[1 more note; raise max_results or narrow the pattern]`, "2 notes"},
		{"search_files", `{"pattern": "budget", "case_sensitive": true, "context_lines": 0}`, `Found 1 matching file(s):

## Projects/Alpha.md
Line 42: > the budget of line 42
...
Line 44: > the budget of line 44`, "1 note"},
		{"search_files", `{"pattern": "budget", "file_pattern": "*.txt"}`, `Found 1 matching file(s):

## Notes/c.txt
Line 1: > budget in a text file`, "1 file"},
		{"search_files", `{"pattern": "^line \\d+$", "context_lines": 0}`, "…\nLine 19: > line 19\nLine 20: > line 20\n[38 more matching lines in this file]", ""},
		{"search_files", `{"pattern": "line \\d*[05]$", "context_lines": 0}`, `Found 1 matching file(s):

## Projects/Alpha.md
Line 5: > line 5
...
Line 10: > line 10
...
Line 15: > line 15
...
Line 20: > line 20
...
Line 25: > line 25
[7 more matching lines in this file]`, ""},
		{"search_files", `{"pattern": "line \\d*[05]$", "context_lines": 1}`, "…\n...\nLine 24:   line 24\nLine 25: > line 25\nLine 26:   line 26\n[7 more matching lines in this file]", ""},
		{
			"search_files", `{"pattern": "budget", "case_sensitive": true, "context_lines": 0, "max_results": 500}`,
			"…\nLine 44: > the budget of line 44", "",
		},
		{"search_files", `{"pattern": "no such"}`, `No matches for "no such" in any note. Try fewer or different words, or several at once: word|other. Files other than notes, canvases and drawings were skipped; file_pattern **/* searches all text files.`, "no notes"},
		{"search_files", `{"pattern": "x", "file_pattern": ".obsidian/**"}`, `Error: Access denied: cannot access files in '.obsidian/' (protected system folder)`, ""},
		{"list_files", `{"pattern": "**/.Obsidian/*.json"}`, `Error: Access denied: cannot access files in '.obsidian/' (protected system folder)`, ""},
		{"list_files", `{"pattern": ".*/**"}`, `Error: Access denied: cannot access files in '.*/' (protected system folder)`, ""},
		{"get_tags", `{"pattern": "{Projects,.trash}/**"}`, `Error: …`, ""},
		{"search_files", `{"pattern": "LINE", "case_sensitive": true}`, `No matches for "LINE" in any note. The search was case-sensitive…`, ""},
		{"search_files", `{"pattern": "x", "file_pattern": "*.pdf"}`, `No matches for "x" in files matching "*.pdf".`, ""},
		{"search_files", `{"pattern": "(open"}`, `Error: …`, ""},
		{"search_files", `{"pattern": "x", "file_pattern": "[a-"}`, `Error: …`, ""},
		{"search_files", `{"pattern": ""}`, `Error: Wrong arguments for search_files: pattern: minLength: "" contains 0 Unicode code points, fewer than 1. …`, ""},
		{"search_files", `{"query": "x"}`, `Error: Wrong arguments for search_files: unknown arguments ["query"]. …`, ""},
	})
}

func TestSearchIsBounded(t *testing.T) {
	var result search.Result
	for i := range 100 {
		f := search.FileMatches{Path: fmt.Sprintf("note %d.md", i), Hits: 500}
		for j := range 5 {
			var run []search.Match
			for k := range 41 {
				run = append(run, search.Match{Line: 100*j + k + 1, Text: strings.Repeat("x", 400), IsHit: k == 20})
			}
			f.Excerpts = append(f.Excerpts, run)
		}
		result.Files = append(result.Files, f)
	}
	result.FilesTotal = 5000
	for i := range 20 {
		result.Skipped = append(result.Skipped, fmt.Sprintf("%q: %s", fmt.Sprint(i), strings.Repeat("y", 1000)))
	}
	turn := turnOver(&fakeStore{search: func(q search.Query) (search.Result, error) {
		if q.MaxFiles != searchMaxResults || q.ContextLines != searchMaxContextLines || q.MaxExcerpts != searchExcerpts {
			t.Errorf("asked for %+v", q)
		}
		return result, nil
	}}, nil)
	r := turn.Call(t.Context(), "search_files", json.RawMessage(`{"pattern": "x", "max_results": 9999, "context_lines": 9999}`))
	if r.IsError || len(r.Text) > 32_000 || !strings.Contains(r.Text, "more notes; narrow the pattern]") ||
		!strings.Contains(r.Text, "more matching lines in this file]") || !strings.Contains(r.Text, "; and 15 more]") {
		t.Errorf("%d bytes, ending in %q", len(r.Text), r.Text[len(r.Text)-300:])
	}
	if r.Summary != "5,000 notes" {
		t.Errorf("summary %q", r.Summary)
	}
}

func TestListFiles(t *testing.T) {
	v, dir := newVault(t, map[string]string{
		"Projects/notes.md": "x", "Projects/Archive/old.md": "x", "Projects/plan.txt": "x", "top.md": "x", "Empty/": "", ".git/config": "x",
	})
	for name, day := range map[string]int{
		"Projects/notes.md": 3, "Projects/Archive/old.md": 2, "Projects/plan.txt": 1, "Projects/Archive": 2, "top.md": 9, "Projects": 8, "Empty": 7,
	} {
		at := time.Date(2026, 2, day, 12, 0, 0, 0, time.Local)
		if err := os.Chtimes(filepath.Join(dir, name), at, at); err != nil {
			t.Fatal(err)
		}
	}
	turn := NewRegistry(v, Options{}).Turn(nil)
	runSteps(t, turn, []step{
		{"list_files", `{}`, "Found 3 item(s):\n\n[file] top.md (modified: Feb 9, 2026)\n[folder] Projects/\n[folder] Empty/", "3 items"},
		{
			"list_files", `{"path": "projects"}`,
			"Found 3 item(s):\n\n[file] Projects/notes.md (modified: Feb 3, 2026)\n[folder] Projects/Archive/\n[file] Projects/plan.txt (modified: Feb 1, 2026)", "",
		},
		{"list_files", `{"path": "Projects", "pattern": "*.md"}`, "Found 1 item(s):\n\n[file] Projects/notes.md (modified: Feb 3, 2026)", "1 item"},
		{
			"list_files", `{"pattern": "**/*.md", "max_results": 2}`,
			"Found 2 item(s):\n\n[file] top.md (modified: Feb 9, 2026)\n[file] Projects/notes.md (modified: Feb 3, 2026)\n\n" +
				"[1 more item; raise max_results or narrow the pattern]", "3 items",
		},
		{"list_files", `{"path": "Projects", "pattern": "*.md", "max_results": 1000}`, "Found 1 item(s):\n\n[file] Projects/notes.md (modified: Feb 3, 2026)", "1 item"},
		{
			"list_files", `{"path": "Projects", "pattern": "*.md", "max_results": 100000}`,
			"Found 1 item(s):\n\n[file] Projects/notes.md (modified: Feb 3, 2026)", "1 item",
		},
		{"list_files", `{"path": "Empty"}`, `There is nothing in "Empty".`, "no items"},
		{"list_files", `{"path": "Empty", "pattern": "**/*.md"}`, `No items match "**/*.md" in "Empty".`, ""},
		{"list_files", `{"pattern": "*.pdf"}`, `No items match "*.pdf" in the vault. A pattern without / looks in this folder only: "**/*.pdf" looks at every depth.`, ""},
		{"list_files", `{"path": "Projects", "pattern": "Projects/*.md"}`, `No items match "Projects/*.md" in "Projects".`, ""},
		{"list_files", `{"path": "Nowhere"}`, `Error: …`, "not found"},
		{"list_files", `{"path": "top.md"}`, `Error: …`, "is not a folder"},
		{"list_files", `{"path": ".git"}`, `Error: Access denied: …`, "access denied"},
		{"list_files", `{"pattern": "[a-"}`, `Error: …`, ""},
	})
}

func TestListIsBounded(t *testing.T) {
	var result search.ListResult
	for i := range 1000 {
		result.Entries = append(result.Entries, walk.Entry{Path: fmt.Sprintf("%s %d.md", strings.Repeat("long/", 40), i)})
	}
	result.Total = 2500
	turn := turnOver(&fakeStore{list: func(q search.ListQuery) (search.ListResult, error) {
		if q.MaxResults != listMaxResults || q.Pattern != "*" {
			t.Errorf("asked for %+v", q)
		}
		return result, nil
	}}, nil)
	r := turn.Call(t.Context(), "list_files", json.RawMessage(`{"max_results": 5000}`))
	shown := strings.Count(r.Text, "\n[file] ")
	if r.IsError || len(r.Text) > listMaxBytes+200 || shown < 100 ||
		!strings.HasSuffix(r.Text, fmt.Sprintf("\n\n[%s; narrow the pattern]", wording.Counted(2500-shown, "more item"))) {
		t.Errorf("%d items in %d bytes, ending in %q", shown, len(r.Text), r.Text[len(r.Text)-100:])
	}
}

// TestNamesForgeNoLines checks that a line break in a name does not break the output's lines.
func TestNamesForgeNoLines(t *testing.T) {
	const name = "a\n[file] b\r\u2028\x1b[31m.md"
	turn := turnOver(&fakeStore{
		list: func(search.ListQuery) (search.ListResult, error) {
			return search.ListResult{Entries: []walk.Entry{{Path: name}, {Path: name, Folder: true}}, Total: 2}, nil
		},
		search: func(search.Query) (search.Result, error) {
			return search.Result{Files: []search.FileMatches{{Path: name, Hits: 1, Excerpts: [][]search.Match{{{Line: 1, Text: "x", IsHit: true}}}}}, FilesTotal: 1}, nil
		},
		stat: func(string) (vault.Info, error) { return vault.Info{Path: name}, nil },
		read: func(string) (*vault.File, error) {
			return &vault.File{Path: name, Data: []byte{0}}, nil
		},
		remove: func(string) (vault.Change, error) {
			return vault.Change{Op: "delete", Path: name}, nil
		},
	}, nil)
	for tool, lines := range map[string]int{
		`list_files {}`: 4, `search_files {"pattern": "x"}`: 4, `get_file_info {"path": "x"}`: 5, `read_file {"path": "x"}`: 1, `delete_file {"path": "x"}`: 1,
	} {
		tool, args, _ := strings.Cut(tool, " ")
		r := turn.Call(t.Context(), tool, json.RawMessage(args))
		if got := 1 + strings.Count(r.Text, "\n"); got != lines || strings.ContainsAny(r.Text, "\r\u2028\x1b") {
			t.Errorf("%s: %d lines, want %d: %q", tool, got, lines, r.Text)
		}
	}
	if got := turn.Changes(); len(got) != 1 || strings.ContainsAny(got[0], "\n\r") {
		t.Errorf("changes: %q", got)
	}
}

func TestFailures(t *testing.T) {
	for _, tt := range []struct {
		err           error
		text, summary string
	}{
		{&vault.Error{Kind: vault.KindTooLarge, Text: "\"a.md\" is too large."}, `Error: "a.md" is too large.`, "too large"},
		{fmt.Errorf("wrapped: %w", &vault.Error{Kind: vault.KindAmbiguous, Text: "Several."}), "Error: Several.", "several match"},
		{errors.New("some trouble."), "Error: read_file failed: some trouble.", "some trouble"},
	} {
		turn := turnOver(&fakeStore{read: func(string) (*vault.File, error) { return nil, tt.err }}, nil)
		runSteps(t, turn, []step{{"read_file", `{"path": "a.md"}`, tt.text, tt.summary}})
	}
}
