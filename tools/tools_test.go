package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chatvault/vault"
)

// newVault opens a vault with files, by path; a path that ends with "/" is a folder.
func newVault(t *testing.T, files map[string]string) (*vault.Vault, string) {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		full := filepath.Join(dir, filepath.FromSlash(name))
		folder := full
		if !strings.HasSuffix(name, "/") {
			folder = filepath.Dir(full)
		}
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		if folder != full {
			if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	v, err := vault.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = v.Close() })
	return v, dir
}

// step is a call of a turn with its expected result.
type step struct {
	tool, args string
	want       string // exact text; "…" at either end matches anything
	summary    string // if it matters
}

// runSteps makes calls one after another in a turn.
func runSteps(t *testing.T, turn *Turn, steps []step) {
	t.Helper()
	for i, s := range steps {
		r := turn.Call(t.Context(), s.tool, json.RawMessage(s.args))
		if !matches(r.Text, s.want) {
			t.Errorf("call %d, %s %s:\ngot  %s\nwant %s", i+1, s.tool, s.args, r.Text, s.want)
		}
		if r.IsError != strings.HasPrefix(r.Text, "Error: ") {
			t.Errorf("call %d, %s: IsError %v with %q", i+1, s.tool, r.IsError, r.Text)
		}
		if r.Summary == "" || s.summary != "" && r.Summary != s.summary {
			t.Errorf("call %d, %s: summary %q, want %q", i+1, s.tool, r.Summary, s.summary)
		}
	}
}

func matches(got, want string) bool {
	want, openStart := strings.CutPrefix(want, "…")
	want, openEnd := strings.CutSuffix(want, "…")
	switch {
	case openStart && openEnd:
		return strings.Contains(got, want)
	case openStart:
		return strings.HasSuffix(got, want)
	case openEnd:
		return strings.HasPrefix(got, want)
	default:
		return got == want
	}
}

func content(t *testing.T, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestTrailingSlash(t *testing.T) {
	v, dir := newVault(t, map[string]string{"notes/a.md": "a\n", "notes/b.md": "b\n", "Folder/x.md": "x\n", ".obsidian/app.json": "{}"})
	turn := NewRegistry(v, Options{}).Turn(nil)
	runSteps(t, turn, []step{
		{
			"write_file", `{"path": "ideas/", "content": "x"}`,
			`Error: "ideas/" ends in "/", so it names a folder; no file was written. Give the path of a file, or create the folder with create_folder.`,
			"names a folder",
		},
		{"write_file", `{"path": "ideas/.", "content": "x"}`, `Error: "ideas/." ends in "/"…`, ""},
		{"write_file", `{"path": "ideas/new.md//\n", "content": "x"}`, `…Give the path of a file, or…`, ""},
		{"write_file", `{"path": "Folder/", "content": "x"}`, `Error: "Folder" is a folder…`, ""},
		{"write_file", `{"path": "./", "content": "x"}`, `Error: Access denied: …`, "access denied"},
		{"write_file", `{"path": ".obsidian/", "content": "x"}`, `Error: Access denied: …`, "access denied"},
		{"write_file", `{"path": "notes/a.md/", "content": "changed\n"}`, `Overwrote file "notes/a.md" (8 bytes).`, ""},
		{"edit_file", `{"path": "ideas/", "insert_after_line": 0, "content": "x"}`, `Error: File not found: "ideas/"`, ""},
		{
			"move_file", `{"source": "notes/b.md", "destination": "Archive/"}`,
			`Error: "Archive/" ends in "/", so it names a folder, which does not exist; nothing was moved. Give the full new path, with the name.`,
			"names a folder",
		},
		{"move_file", `{"source": "notes/none.md", "destination": "Archive/"}`, `Error: File not found: "notes/none.md"…`, "not found"},
		{"move_file", `{"source": "notes/b.md", "destination": "Folder/"}`, `Error: "Folder" already exists, and is a folder. To move into it, give the full new path: "Folder/b.md".`, ""},
		{"move_file", `{"source": "Folder/", "destination": "Box/"}`, `Moved "Folder" to "Box".`, "moved"},
		{"create_folder", `{"path": "ideas/"}`, `Created folder "ideas".`, ""},
	})
	if got := content(t, dir, "notes/a.md") + content(t, dir, "notes/b.md") + content(t, dir, "Box/x.md"); got != "changed\nb\nx\n" {
		t.Errorf("the notes are %q", got)
	}
}

func TestReadFile(t *testing.T) {
	long := strings.Repeat("é", 6000)
	v, _ := newVault(t, map[string]string{
		"a.md":         "# Title\ntext\n\nend",
		"crlf.md":      "\ufeff# Title\r\ntext\r\n",
		"empty.md":     "",
		"many.md":      strings.Repeat("line\n", 5000),
		"wide.md":      strings.Repeat(strings.Repeat("w", 999)+"\n", 200),
		"long.md":      "a\n" + long + "\nb\n",
		"pic.png":      "\x89PNG\x00\x00\x00",
		"Notes/Bob.md": "Bob\n",
		"Notes/":       "",
	})
	turn := NewRegistry(v, Options{}).Turn(nil)
	runSteps(t, turn, []step{
		{"read_file", `{"path": "a.md"}`, "1: # Title\n2: text\n3: \n4: end", "4 lines"},
		{"read_file", `{"path": "a.md", "start_line": 1, "end_line": 2}`, "1: # Title\n2: text\n[Showing lines 1-2 of 4 total]", "2 lines"},
		{"read_file", `{"path": "a.md", "start_line": 4}`, "4: end\n[Showing lines 4-4 of 4 total]", "1 line"},
		{"read_file", `{"path": "a.md", "end_line": 99}`, "1: # Title\n2: text\n3: \n4: end\n[Showing lines 1-4 of 4 total]", ""},
		{"read_file", `{"path": "a.md", "start_line": 5}`, `Error: start_line 5 is past the end of "a.md", which has 4 lines.`, "past the end"},
		{"read_file", `{"path": "a.md", "start_line": 3, "end_line": 2}`, "Error: end_line 2 is before start_line 3. …", ""},
		{"read_file", `{"path": "crlf.md"}`, "1: # Title\n2: text", ""},
		{"read_file", `{"path": "empty.md"}`, `"empty.md" is empty (0 bytes).`, "empty"},
		{
			"read_file", `{"path": "many.md"}`,
			"…\n2000: line\n[... truncated, showing lines 1-2000, total lines in file: 5000; continue with start_line=2001]", "2,000 lines",
		},
		{
			"read_file", `{"path": "many.md", "start_line": 2001, "end_line": 4500}`,
			"…\n4000: line\n[... truncated, showing lines 2001-4000, total lines in file: 5000; continue with start_line=4001]", "",
		},
		{"read_file", `{"path": "many.md", "start_line": 4001}`, "…\n5000: line\n[Showing lines 4001-5000 of 5000 total]", ""},
		{"read_file", `{"path": "wide.md"}`, "…w\n[... truncated, showing lines 1-100, total lines in file: 200; continue with start_line=101]", ""},
		{"read_file", `{"path": "long.md"}`, "1: a\n2: " + long[:10_000] + " [... 2,000 more bytes left out of this line; search_files finds text in it]\n3: b", ""},
		{"read_file", `{"path": "pic.png"}`, `"pic.png" is a binary file (7 bytes), not text; it cannot be shown.`, "binary"},
		{"read_file", `{"path": "notes/BOB.md"}`, "1: Bob", ""},
		{"read_file", `{"path": "x.md"}`, `Error: File not found: "x.md"…`, "not found"},
		{"read_file", `{"path": "Notes/Bop.md"}`, `…Notes/Bob.md…`, "not found"},
		{"read_file", `{"path": "Notes"}`, `Error: "Notes" is a folder…`, "is a folder"},
		{
			"read_file", `{"path": ".obsidian/app.json"}`,
			"Error: Access denied: cannot access files in '.obsidian/' (protected system folder)", "access denied",
		},
	})

	small := NewRegistry(v, Options{ReadMaxLines: 3, ReadMaxBytes: 40}).Turn(nil)
	runSteps(t, small, []step{
		{"read_file", `{"path": "many.md"}`, "1: line\n2: line\n3: line\n[... truncated, showing lines 1-3, total lines in file: 5000; continue with start_line=4]", ""},
		{"read_file", `{"path": "long.md"}`, "1: a\n[... truncated, showing lines 1-1, total lines in file: 3; continue with start_line=2]", ""},
		{"read_file", `{"path": "long.md", "start_line": 2}`, "2: " + long[:40] + " [... 11,960 more bytes left out of this line; …", ""},
	})
}

func TestWriteFile(t *testing.T) {
	v, dir := newVault(t, map[string]string{"a.md": "old\n", "Folder/": ""})
	turn := NewRegistry(v, Options{}).Turn(nil)
	big := strings.Repeat("x", 2456)
	runSteps(t, turn, []step{
		{"write_file", `{"path": "b.md", "content": "# B\n"}`, `Created file "b.md" (4 bytes).`, "created, 4 bytes"},
		{"write_file", `{"path": "New/Deep/c.md", "content": "` + big + `"}`, `Created file "New/Deep/c.md" (2.4 KB).`, ""},
		{"write_file", `{"path": "a.md", "content": "\ufeffnew\r\nnew"}`, `Overwrote file "a.md" (11 bytes).`, "overwrote, 11 bytes"},
		{"write_file", `{"path": "A.MD", "content": "again"}`, `Overwrote file "a.md" (5 bytes).`, ""},
		{"write_file", `{"path": "e.md", "content": ""}`, `Created file "e.md" (0 bytes).`, ""},
		{"write_file", `{"path": "Folder", "content": "x"}`, `Error: "Folder" is a folder…`, "is a folder"},
		{"write_file", `{"path": "../x.md", "content": "x"}`, `Error: Access denied: …`, "access denied"},
		{"write_file", `{"path": "x?.md", "content": "x"}`, `Error: Access denied: …`, "access denied"},
		{"write_file", `{"path": "x.md"}`, `Error: Wrong arguments for write_file: missing arguments: ["content"]. …`, "invalid arguments"},
	})
	if got := content(t, dir, "a.md"); got != "again" {
		t.Errorf("a.md holds %q", got)
	}
	want := []string{"created b.md", "created New/Deep/c.md", "overwrote a.md", "created e.md"}
	if got := turn.Changes(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("changes: %q, want %q", got, want)
	}
}

func TestWriteFileAsGiven(t *testing.T) {
	v, dir := newVault(t, nil)
	turn := NewRegistry(v, Options{}).Turn(nil)
	text := "\ufeff<&> \u2028 \u0000 \x1b[31m \U0001F468\u200D\U0001F469\r\n\tno end"
	args, err := json.Marshal(map[string]string{"path": "a.md", "content": text})
	if err != nil {
		t.Fatal(err)
	}
	runSteps(t, turn, []step{{"write_file", string(args), `Created file "a.md" (…`, ""}})
	if got := content(t, dir, "a.md"); got != text {
		t.Errorf("got %q, want %q", got, text)
	}
}

func TestEditFile(t *testing.T) {
	v, dir := newVault(t, map[string]string{
		"a.md":    "one\ntwo\nthree\ntwo\n",
		"crlf.md": "\ufeffone\r\ntwo\r\nthree",
		"pic.png": "a\x00b",
	})
	turn := NewRegistry(v, Options{}).Turn(nil)
	runSteps(t, turn, []step{
		{
			"edit_file", `{"path": "a.md", "old_text": "three", "new_text": "3"}`,
			"Replaced 1 occurrence in \"a.md\".\n\n--- a.md\n+++ a.md\n@@ -1,4 +1,4 @@\n one\n two\n-three\n+3\n two", "+1 −1",
		},
		{
			"edit_file", `{"path": "a.md", "old_text": "two", "new_text": "2"}`,
			`Error: old_text was found 2 times in "a.md" (lines 2, 4). Add lines …`, "not edited",
		},
		{
			"edit_file", `{"path": "a.md", "old_text": "two", "new_text": "2", "replace_all": true}`,
			"Replaced 2 occurrences in \"a.md\".\n\n--- a.md\n…", "+2 −2",
		},
		{
			"edit_file", `{"path": "a.md", "insert_after_line": 4, "content": "five\nsix"}`,
			"Inserted 2 lines after line 4 in \"a.md\".\n\n--- a.md\n+++ a.md\n@@ -2,3 +2,5 @@\n 2\n 3\n 2\n+five\n+six", "+2 −0",
		},
		{
			"edit_file", `{"path": "a.md", "delete_lines": {"start": 2, "end": "3"}}`,
			"Deleted lines 2-3 (2 lines) in \"a.md\".\n\n…", "+0 −2",
		},
		{
			"edit_file", `{"path": "crlf.md", "old_text": "one\ntwo", "new_text": "1\n2"}`,
			"Replaced 1 occurrence in \"crlf.md\".\n\n--- crlf.md\n+++ crlf.md\n@@ -1,3 +1,3 @@\n-one\n-two\n+1\n+2\n three\n\\ No newline at end of file", "",
		},
		{"edit_file", `{"path": "a.md", "old_text": "ONE", "new_text": "1"}`, `Error: old_text was not found in "a.md". Line 1 has it with different whitespace, case or punctuation. …`, ""},
		{"edit_file", `{"path": "a.md"}`, `Error: edit_file needs one kind of edit: …`, "invalid arguments"},
		{"edit_file", `{"path": "pic.png", "old_text": "a", "new_text": "b"}`, `Error: "pic.png" is a binary file…`, "binary"},
		{"edit_file", `{"path": "none.md", "old_text": "a", "new_text": "b"}`, `Error: File not found: "none.md"…`, "not found"},
	})
	if got, want := content(t, dir, "a.md"), "one\n2\nfive\nsix\n"; got != want {
		t.Errorf("a.md holds %q, want %q", got, want)
	}
	if got, want := content(t, dir, "crlf.md"), "\ufeff1\r\n2\r\nthree"; got != want {
		t.Errorf("crlf.md holds %q, want %q", got, want)
	}
	if got := turn.Changes(); fmt.Sprint(got) != "[edited a.md edited crlf.md]" {
		t.Errorf("changes: %q", got)
	}
}

func TestMoveFile(t *testing.T) {
	v, dir := newVault(t, map[string]string{"a.md": "a", "b.md": "b", "Sub/c.md": "c"})
	turn := NewRegistry(v, Options{}).Turn(nil)
	runSteps(t, turn, []step{
		{"move_file", `{"source": "a.md", "destination": "x/y/a.md"}`, `Moved "a.md" to "x/y/a.md".`, "moved"},
		{"move_file", `{"source": "b.md", "destination": "B.md"}`, `Moved "b.md" to "B.md".`, ""},
		{"move_file", `{"source": "Sub", "destination": "Sub/in"}`, `Error: …`, ""},
		{"move_file", `{"source": "x/y/a.md", "destination": "B.md"}`, `Error: …`, "already exists"},
		{"move_file", `{"source": "none.md", "destination": "c.md"}`, `Error: File not found: "none.md"…`, "not found"},
		{
			"move_file", `{"from": "a", "to": "b"}`,
			`Error: Wrong arguments for move_file: unknown arguments ["from" "to"]. …`, "",
		},
	})
	if content(t, dir, "x/y/a.md") != "a" || content(t, dir, "B.md") != "b" {
		t.Error("not moved")
	}
	if got := turn.Changes(); fmt.Sprint(got) != "[moved a.md → x/y/a.md moved b.md → B.md]" {
		t.Errorf("changes: %q", got)
	}
}

func TestDeleteFile(t *testing.T) {
	v, dir := newVault(t, map[string]string{
		".obsidian/app.json": `{"trashOption": "local"}`,
		"a.md":               "a", "Full/b.md": "b", "Empty/": "",
	})
	turn := NewRegistry(v, Options{}).Turn(nil)
	runSteps(t, turn, []step{
		{"delete_file", `{"path": "a.md"}`, `Deleted 'a.md' to trash.`, "to trash"},
		{"delete_file", `{"path": "Empty"}`, `Deleted 'Empty' to trash.`, ""},
		{"delete_file", `{"path": "Full"}`, `…recursive…`, ""},
		{"delete_file", `{"path": "Full", "recursive": true}`, `Deleted 'Full' to trash.`, ""},
		{"delete_file", `{"path": "."}`, `Error: …`, "access denied"},
		{"delete_file", `{"path": "/"}`, `Error: Access denied: …`, "access denied"},
		{"delete_file", `{"path": "a.md"}`, `Error: File not found: "a.md"…`, "not found"},
	})
	if got := content(t, dir, ".trash/a.md"); got != "a" {
		t.Errorf("the trash holds %q", got)
	}
	if got := turn.Changes(); fmt.Sprint(got) != "[deleted a.md deleted Empty deleted Full]" {
		t.Errorf("changes: %q", got)
	}
}

func TestCreateFolder(t *testing.T) {
	v, dir := newVault(t, map[string]string{"a.md": "a"})
	turn := NewRegistry(v, Options{}).Turn(nil)
	runSteps(t, turn, []step{
		{"create_folder", `{"path": "x/y"}`, `Created folder "x/y".`, "created"},
		{"create_folder", `{"path": "X/Y/"}`, `Folder "x/y" already exists.`, "already exists"},
		{"create_folder", `{"path": "a.md"}`, `Error: "a.md" …`, ""},
		{"create_folder", `{"path": ".git"}`, `Error: Access denied: …`, "access denied"},
	})
	if info, err := os.Stat(filepath.Join(dir, "x", "y")); err != nil || !info.IsDir() {
		t.Errorf("not made: %v", err)
	}
	if got := turn.Changes(); fmt.Sprint(got) != "[created folder x/y]" {
		t.Errorf("changes: %q", got)
	}
}

func TestGetFileInfo(t *testing.T) {
	zone := time.Local
	time.Local = time.FixedZone("Here", 2*3600)
	t.Cleanup(func() { time.Local = zone })
	v, dir := newVault(t, map[string]string{
		"Projects/a.md": "---\ncreated: 2026-01-15T10:30\n---\n" + strings.Repeat("x", 2456-34), "Projects/b.md": "", "Projects/.hidden": "",
	})
	modified := time.Date(2026, 2, 3, 14, 22, 0, 0, time.Local)
	for _, name := range []string{"Projects/a.md", "Projects"} {
		if err := os.Chtimes(filepath.Join(dir, name), modified, modified); err != nil {
			t.Fatal(err)
		}
	}
	turn := NewRegistry(v, Options{}).Turn(nil)
	runSteps(t, turn, []step{
		{
			"get_file_info", `{"path": "projects/a.md"}`,
			"File: Projects/a.md\nType: file\nSize: 2.4 KB (2,456 bytes)\nCreated: Jan 15, 2026 10:30 AM\nModified: Feb 3, 2026 2:22 PM", "2.4 KB",
		},
		{"get_file_info", `{"path": "Projects"}`, "Folder: Projects/\nType: folder\nItems: 2\nCreated: …", "2 items"},
		{"get_file_info", `{"path": "Projects"}`, "…\nModified: Feb 3, 2026 2:22 PM", ""},
		{"get_file_info", `{"path": "."}`, "Folder: .\nType: folder\nItems: 1\n…", "1 item"},
		{"get_file_info", `{"path": "none.md"}`, `Error: File not found: "none.md"…`, "not found"},
	})
}

func TestFileInfoWithoutBirth(t *testing.T) {
	turn := turnOver(&fakeStore{stat: func(string) (vault.Info, error) {
		return vault.Info{Path: "a.md", Size: 156, Modified: time.Date(2026, 2, 3, 0, 5, 0, 0, time.Local)}, nil
	}}, nil)
	runSteps(t, turn, []step{{
		"get_file_info", `{"path": "a.md"}`,
		"File: a.md\nType: file\nSize: 156 bytes\nCreated: unknown\nModified: Feb 3, 2026 12:05 AM", "156 bytes",
	}})
}

// said records what a turn sends.
type said struct {
	messages []string
	err      error
}

func (s *said) SendMessage(_ context.Context, text string, isQuestion bool) error {
	s.messages = append(s.messages, fmt.Sprintf("%v %s", isQuestion, text))
	return s.err
}

func TestSendMessage(t *testing.T) {
	var s said
	turn := turnOver(&fakeStore{}, &s)
	runSteps(t, turn, []step{
		{"send_message", `{"message": "Reading 12 notes."}`, "Message sent.", "sent"},
		{"send_message", `{"message": "Which one?", "is_question": true}`, "Question sent. …", "asked"},
		{"send_message", `{"message": " \n"}`, "Error: The message is blank. …", ""},
	})
	if got := fmt.Sprint(s.messages); got != "[false Reading 12 notes. true Which one?]" {
		t.Errorf("sent %s", got)
	}
	s.err = context.Canceled
	runSteps(t, turn, []step{{"send_message", `{"message": "x"}`, "Error: send_message was stopped before it finished.", "stopped"}})
	runSteps(t, turnOver(&fakeStore{}, nil), []step{{"send_message", `{"message": "x"}`, `Error: There is no tool "send_message"…`, "unknown tool"}})
}
