package tools

import (
	"strings"
	"testing"

	"chatvault/tools/textedit"
)

// All edits of a call refer to the original file and are made together or not at all, with one diff.
func TestSeveralEdits(t *testing.T) {
	v, dir := newVault(t, map[string]string{"a.md": "one\ntwo\nthree\nfour\nfive\n", "crlf.md": "\ufeffone\r\ntwo", "empty.md": ""})
	turn := NewRegistry(v, Options{}).Turn(nil)
	runSteps(t, turn, []step{
		{
			"edit_file", `{"path": "a.md", "edits": [{"delete_lines": {"start": 4, "end": 4}}, {"old_text": "one", "new_text": "1"}, {"insert_after_line": 1, "content": "x"}, {"insert_before_line": 2, "content": "y"}]}`,
			"Made 4 edits in \"a.md\".\n\n--- a.md\n+++ a.md\n@@ -1,5 +1,6 @@\n-one\n+1\n+x\n+y\n two\n three\n-four\n five", "+3 −2",
		},
		{
			"edit_file", `{"path": "a.md", "edits": [{"old_text": "five", "new_text": "5"}, {"old_text": "six", "new_text": "6"}]}`,
			`Error: Edit 2 of 2: old_text was not found in "a.md". …`, "not edited",
		},
		{
			"edit_file", `{"path": "a.md", "edits": [{"old_text": "two\nthree", "new_text": "2"}, {"delete_lines": {"start": 5, "end": 5}}]}`,
			`Error: Two of the edits overlap in "a.md". Combine them into one. Nothing was written.`, "not edited",
		},
		{"edit_file", `{"path": "a.md", "edits": [{"old_text": "five", "new_text": "5"}]}`, `Replaced 1 occurrence in "a.md".…`, ""},
		{"edit_file", `{"path": "a.md", "edits": []}`, `Error: Wrong arguments for edit_file: edits: minItems: array length 0 is less than 1. …`, ""},
		{"edit_file", `{"path": "a.md", "edits": [{"old_text": "a", "new_text": "b"}], "replace_all": true}`, `Error: edits cannot be combined with other edits: put those into the list.`, "invalid arguments"},
		{"edit_file", `{"path": "a.md", "edits": [{"old_text": "a", "new_text": "b"}, {"old_text": "a"}]}`, `Error: Edit 2 of 2: edit_file needs both "old_text"…`, "invalid arguments"},
		{"edit_file", `{"path": "a.md", "edits": [{"old": "a", "new_text": "b"}]}`, `Error: Wrong arguments for edit_file: edits[]: unknown arguments ["old"]. …`, "invalid arguments"},
		{"edit_file", `{"path": "empty.md", "edits": [{"insert_after_line": 0, "content": "a"}, {"insert_after_line": 0, "content": "b"}]}`, `Error: "empty.md" is empty: write its content with write_file.`, "not edited"},
		{"edit_file", `{"path": "crlf.md", "edits": [{"insert_after_line": 2, "content": "three"}, {"old_text": "one\n", "new_text": "1\n"}]}`, "Made 2 edits in \"crlf.md\".…", ""},
	})
	if got, want := content(t, dir, "a.md"), "1\nx\ny\ntwo\nthree\n5\n"; got != want {
		t.Errorf("a.md holds %q, want %q", got, want)
	}
	if got, want := content(t, dir, "crlf.md"), "\ufeff1\r\ntwo\r\nthree"; got != want {
		t.Errorf("crlf.md holds %q, want %q", got, want)
	}
	if got := turn.Changes(); len(got) != 2 {
		t.Errorf("changes: %q", got)
	}
}

func TestEditModes(t *testing.T) {
	text, line := "x", 1
	tests := []struct {
		name string
		args editArgs
		want string
	}{
		{"none", editArgs{}, "edit_file needs one kind of edit: old_text with new_text, "},
		{
			"two",
			editArgs{OldText: &text, NewText: &text, InsertAfterLine: &line, Content: &text},
			"old_text/new_text and insert_after_line cannot be combined",
		},
		{
			"after and before",
			editArgs{InsertAfterLine: &line, InsertBeforeLine: &line, Content: &text},
			"insert_after_line and insert_before_line cannot be combined",
		},
		{"old_text alone", editArgs{OldText: &text}, `needs both "old_text", the exact text, and "new_text"`},
		{"new_text alone", editArgs{NewText: &text}, `needs both "old_text", the exact text, and "new_text"`},
		{"insert without content", editArgs{InsertAfterLine: &line}, `Missing argument "content"`},
		{"content without a place", editArgs{Content: &text}, "edit_file needs one kind of edit"},
		{"content to delete", editArgs{DeleteLines: &lineRange{1, 1}, Content: &text}, "content works only with insert_after_line"},
		{"content to replace", editArgs{OldText: &text, NewText: &text, Content: &text}, "content works only with insert_after_line"},
		{"replace_all to insert", editArgs{InsertBeforeLine: &line, Content: &text, ReplaceAll: true}, "replace_all works only with old_text"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := tt.args.check(); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestEdits(t *testing.T) {
	insertAfter := func(n int, content string) editArgs {
		return editArgs{InsertAfterLine: &n, Content: &content}
	}
	insertBefore := func(n int, content string) editArgs {
		return editArgs{InsertBeforeLine: &n, Content: &content}
	}
	replace := func(old, replacement string) editArgs {
		return editArgs{OldText: &old, NewText: &replacement}
	}
	replaceAll := func(old, replacement string) editArgs {
		return editArgs{OldText: &old, NewText: &replacement, ReplaceAll: true}
	}
	deleteFrom := func(start, end int) editArgs {
		return editArgs{DeleteLines: &lineRange{Start: start, End: end}}
	}
	tests := []struct {
		name   string
		before string
		args   editArgs
		after  string // or
		err    string // substring of the error
		says   string // the summary, if it matters
	}{
		{name: "replace", before: "a b c\n", args: replace("b", "B"), after: "a B c\n", says: `Replaced 1 occurrence in "a.md".`},
		{name: "replace by nothing", before: "a b c\n", args: replace(" b", ""), after: "a c\n"},
		{name: "replace across lines", before: "a\nb\nc\n", args: replace("a\nb", "x\ny\nz"), after: "x\ny\nz\nc\n"},
		{name: "replace in CRLF", before: "a\r\nb\r\nc\r\n", args: replace("a\nb", "x\ny\nz"), after: "x\r\ny\r\nz\r\nc\r\n"},
		{name: "CRLF asked of LF", before: "a\nb\n", args: replace("a\r\nb", "x\r\ny"), after: "x\ny\n"},
		{name: "mixed line ends stay mixed", before: "a\nb\r\nc\nd\r\ne\r\n", args: replace("a\nb\nc\nd", "a\nB\nc\nd"), after: "a\nB\r\nc\nd\r\ne\r\n"},
		{name: "a match that begins with a line end", before: "a\r\nb", args: replace("\nb", "\nc"), after: "a\r\nc"},
		{name: "a match that ends before a line end", before: "a\r\nb", args: replace("a", "x"), after: "x\r\nb"},
		{name: "line ends of a file without any", before: "abc", args: replace("b", "1\r\n2"), after: "a1\r\n2c"},
		{name: "a lone carriage return is text", before: "a\rb\n", args: replace("a\rb", "c"), after: "c\n"},
		{name: "the byte order mark stays", before: "\ufeffa\r\n", args: replace("a", "b"), after: "\ufeffb\r\n"},
		{name: "a copied byte order mark is not doubled", before: "\ufeffa\n", args: replace("\ufeffa", "\ufeffb"), after: "\ufeffb\n"},
		{name: "all", before: "x-x-x", args: replaceAll("x", "yy"), after: "yy-yy-yy", says: `Replaced 3 occurrences in "a.md".`},
		{name: "all of one", before: "x", args: replaceAll("x", "y"), after: "y", says: `Replaced 1 occurrence in "a.md".`},
		{name: "all does not replace what it wrote", before: "aa", args: replaceAll("a", "aa"), after: "aaaa"},
		{name: "overlapping, all", before: "aaa", args: replaceAll("aa", "b"), after: "ba"},
		{name: "overlapping is not once", before: "aaa", args: replace("aa", "b"), err: `found 2 times in "a.md" (lines 1)`},
		{name: "several on a line", before: "x x\n", args: replace("x", "z"), err: `found 2 times in "a.md" (lines 1)`},
		{name: "several on many lines", before: strings.Repeat("x x\n", 25), args: replace("x", "z"), err: "found 50 times in \"a.md\" (lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20)"},
		{name: "several", before: "x\ny\nx\nx x\n", args: replace("x", "z"), err: `old_text was found 4 times in "a.md" (lines 1, 3, 4).`},
		{name: "empty old_text", before: "x\n", args: replace("", "z"), err: "old_text is empty"},
		{name: "no change", before: "x\n", args: replace("x", "x"), err: "nothing would change"},
		{name: "no change but line ends", before: "x\ny\n", args: replace("x\ny", "x\r\ny"), err: "nothing would change"},

		{name: "insert", before: "a\nb\n", args: insertAfter(1, "x\ny"), after: "a\nx\ny\nb\n", says: `Inserted 2 lines after line 1 in "a.md".`},
		{name: "insert, ended", before: "a\nb\n", args: insertAfter(1, "x\n"), after: "a\nx\nb\n", says: `Inserted 1 line after line 1 in "a.md".`},
		{name: "insert a blank line", before: "a\nb\n", args: insertAfter(1, "\n"), after: "a\n\nb\n"},
		{name: "insert at the top", before: "a\n", args: insertAfter(0, "x"), after: "x\na\n", says: `Inserted 1 line after line 0 in "a.md".`},
		{name: "insert at the top after the byte order mark", before: "\ufeffa\r\n", args: insertAfter(0, "x\ny"), after: "\ufeffx\r\ny\r\na\r\n"},
		{name: "insert at the end", before: "a\n", args: insertAfter(1, "x"), after: "a\nx\n"},
		{name: "insert at the end without a line end", before: "a", args: insertAfter(1, "x\n"), after: "a\nx"},
		{name: "insert at the end without a line end, CRLF", before: "a\r\nb", args: insertAfter(2, "x\n"), after: "a\r\nb\r\nx"},
		{name: "insert a blank line at the end without a line end", before: "a", args: insertAfter(1, "\n"), after: "a\n\n"},
		{name: "insert into an empty file", before: "", args: insertAfter(0, "x\n"), after: "x\n"},
		{name: "insert into an empty file as given", before: "", args: insertAfter(0, "x"), after: "x"},
		{name: "insert before", before: "a\nb\n", args: insertBefore(2, "x"), after: "a\nx\nb\n", says: `Inserted 1 line after line 1 in "a.md".`},
		{name: "insert before the first", before: "a\n", args: insertBefore(1, "x"), after: "x\na\n"},
		{name: "insert past the end", before: "a\nb\n", args: insertAfter(3, "x"), err: `"a.md" has 2 lines; the line to insert at is past its end. Use insert_after_line 2 to add at the end.`},
		{name: "insert before past the end", before: "a\nb\n", args: insertBefore(4, "x"), err: `"a.md" has 2 lines; the line to insert at is past its end. Use insert_after_line 2 to add at the end.`},
		{name: "insert nothing", before: "a\n", args: insertAfter(0, ""), err: "content is empty"},

		{name: "delete", before: "a\nb\nc\n", args: deleteFrom(2, 2), after: "a\nc\n", says: `Deleted lines 2-2 (1 line) in "a.md".`},
		{name: "delete the last ones", before: "a\nb\nc\n", args: deleteFrom(2, 3), after: "a\n", says: `Deleted lines 2-3 (2 lines) in "a.md".`},
		{name: "delete the last without a line end", before: "a\r\nb\r\nc", args: deleteFrom(3, 3), after: "a\r\nb"},
		{name: "delete all", before: "\ufeffa\nb", args: deleteFrom(1, 2), after: "\ufeff"},
		{name: "delete past the end", before: "a\nb\n", args: deleteFrom(2, 3), err: `delete_lines.end 3 is past the end of "a.md", which has 2 lines`},
		{name: "delete backwards", before: "a\nb\n", args: deleteFrom(2, 1), err: "delete_lines.start 2 is after delete_lines.end 1"},
		{name: "delete from an empty file", before: "", args: deleteFrom(1, 1), err: `delete_lines.end 1 is past the end of "a.md", which has 0 lines.`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := textedit.NewFile([]byte(tt.before))
			e, err := tt.args.workOut(f, "a.md")
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Fatalf("got %v, want an error with %q", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := string(f.Content(e.Splices)); got != tt.after {
				t.Errorf("got %q, want %q", got, tt.after)
			}
			if tt.says != "" && e.Summary != tt.says {
				t.Errorf("says %q, want %q", e.Summary, tt.says)
			}
		})
	}
}
