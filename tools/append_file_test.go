package tools

import (
	"strings"
	"testing"
)

func TestAppendFile(t *testing.T) {
	v, dir := newVault(t, map[string]string{
		"a.md": "# A\n\n## Log\n\n- one\n\n## Log\n\n- two\n", "b.txt": "one", "bin.md": "\x00", "c.md": "# One\n## A\n### Log\n# Two\n## A\n### Log\n", ".obsidian/app.json": `{"newFileLocation":"folder","newFileFolderPath":"Inbox"}`,
	})
	turn := NewRegistry(v, Options{}).Turn(nil)
	runSteps(t, turn, []step{
		{"append_file", `{"path": "A.md", "content": "- x", "heading": "Log"}`, `Error: "a.md" has 2 headings "Log", on lines 3, 7. Name the one above it too, such as Monday#Tasks, or use edit_file with insert_after_line.`, "no such heading"},
		{"append_file", `{"path": "c.md", "content": "- x", "heading": "Log"}`, `Error: "c.md" has 2 headings "Log", on lines 3, 6. Name the one above it too, such as Monday#Tasks, or use edit_file with insert_after_line.`, "no such heading"},
		{"append_file", `{"path": "c.md", "content": "- x", "heading": "A#Log"}`, `Error: "c.md" has 2 headings "A#Log", on lines 3, 6. Name the one above it too, such as Monday#Tasks, or use edit_file with insert_after_line.`, "no such heading"},
		{"append_file", `{"path": "c.md", "content": "- x", "heading": "One#A#Log"}`, "Appended 1 line under \"### Log\" in \"c.md\".…", ""},
		{"append_file", `{"path": "a.md", "content": "- x", "heading": "Lok"}`, `Error: "a.md" has no heading "Lok". It has "# A", "## Log", "## Log". Set "create_heading": true to create it at the end.`, "no such heading"},
		{"append_file", `{"path": "A.md", "content": "- three"}`, "Appended 1 line to \"a.md\".\n\n--- a.md\n…", "+1 −0"},
		{"append_file", `{"path": "a.md", "content": "text", "heading": "Sources", "create_heading": true}`, "Appended the heading \"## Sources\" with 1 line to \"a.md\".\n\n…", "+4 −0"},
		{"append_file", `{"path": "b.txt", "content": "two\n"}`, `Appended 1 line to "b.txt".…`, "+2 −1"},
		{"append_file", `{"path": "b.txt", "content": "x", "heading": "A"}`, `Error: "b.txt" is not a Markdown note and has no headings; leave heading out.`, "not a note"},
		{"append_file", `{"path": "bin.md", "content": "x"}`, `Error: "bin.md" is a binary file, not text; nothing can be added to it.`, "binary"},
		{"append_file", `{"path": "a.md", "content": " \n"}`, `Error: content is blank; nothing would be added.`, ""},
		{"append_file", `{"path": "a.md", "content": "x", "create_heading": true}`, `Error: create_heading needs "heading".`, ""},
		{"append_file", `{"path": "New/n.md", "content": "x"}`, `…Set "create": true to create it.`, "not found"},
		{"append_file", `{"path": "New/n.md", "content": "x", "heading": "Log", "create": true}`, `Created file "New/n.md" (10 bytes).`, "created, 10 bytes"},
		{"append_file", `{"path": "m.md", "content": "x", "create": true}`, `Created file "Inbox/m.md" (2 bytes). New notes go to "Inbox/" in this vault, as Obsidian's settings say.`, ""},
		{"append_file", `{"path": "New/", "content": "x", "create": true}`, `Error: …`, ""},
		{"append_file", `{"path": ".obsidian/x.md", "content": "x", "create": true}`, `Error: Access denied…`, ""},
	})
	for name, want := range map[string]string{
		"a.md": "# A\n\n## Log\n\n- one\n\n## Log\n\n- two\n- three\n\n## Sources\n\ntext\n", "b.txt": "one\ntwo", "New/n.md": "## Log\n\nx\n", "Inbox/m.md": "x\n",
	} {
		if got := content(t, dir, name); got != want {
			t.Errorf("%s holds %q, want %q", name, got, want)
		}
	}
	if got := strings.Join(turn.Changes(), "; "); got != "edited c.md; edited a.md; edited b.txt; created New/n.md; created Inbox/m.md" {
		t.Errorf("changes: %s", got)
	}
}
