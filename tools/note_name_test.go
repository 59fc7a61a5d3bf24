package tools

import "testing"

// An existing note can be named like a link; the path of a new one is taken literally.
func TestNotesByName(t *testing.T) {
	v, dir := newVault(t, map[string]string{
		"Ideas/Alpha.md": "idea\n", "Projects/Alpha.md": "project\n", "Projects/Beta.md": "---\nstatus: open\n---\n# Top\nbeta, see [[Home]]\n",
		"Home.md": "home\n", "Projects/Home.md": "other home\n", "Old/Draft.md": "draft\n", "Beta/": "", "pic/plum.png": "x",
		".obsidian/app.json": `{"trashOption": "local"}`,
	})
	turn := NewRegistry(v, Options{}).Turn(nil)
	runSteps(t, turn, []step{
		{"read_file", `{"path": "[[Draft]]"}`, "[Path: Old/Draft.md]\n1: draft", ""},
		{"read_file", `{"path": "Draft"}`, "[Path: Old/Draft.md]\n1: draft", ""},
		{"read_file", `{"path": "[[Old/Draft|the draft]]"}`, "[Path: Old/Draft.md]\n1: draft", ""},
		{"read_file", `{"path": "[[Beta#Top]]", "start_line": 5}`, "[Path: Projects/Beta.md]\n5: beta, see [[Home]]\n[Showing lines 5-5 of 5 total]", ""},
		{"read_file", `{"path": "Home"}`, "[Path: Home.md]\n1: home", ""},
		{"read_file", `{"path": "[[Projects/Home]]"}`, "[Path: Projects/Home.md]\n1: other home", ""},
		{"read_file", `{"path": "[[Alpha]]"}`, `Error: "[[Alpha]]" matches several notes: "Ideas/Alpha.md", "Projects/Alpha.md". Give the full path of the one you mean.`, "several match"},
		{"read_file", `{"path": "Alpha"}`, `Error: "Alpha" matches several notes: …`, "several match"},
		{"read_file", `{"path": "Beta"}`, `Error: "Beta" is a folder…`, "is a folder"}, // an existing path takes precedence
		{"read_file", `{"path": "Draft.md"}`, "[Path: Old/Draft.md]\n1: draft", ""},
		{"read_file", `{"path": "Notes/Draft.md"}`, "[Path: Old/Draft.md]\n1: draft", ""}, // in any folder
		{"delete_file", `{"path": "Notes/Draft.md"}`, `Error: File not found: "Notes/Draft.md"…`, "not found"},
		{"move_file", `{"source": "Notes/Draft", "folder": "New"}`, `Error: File not found: "Notes/Draft"…`, "not found"},
		{"read_file", `{"path": "[[Nothing]]"}`, `Error: File not found: "Nothing"…`, "not found"},
		{"read_file", `{"path": "[[plum.png]]"}`, "…1: x…", ""},
		{"get_file_info", `{"path": "[[Draft]]"}`, "File: Old/Draft.md\n…", ""},
		{"get_outline", `{"path": "[[Beta]]"}`, `Outline of "Projects/Beta.md" …`, ""},
		{"get_properties", `{"path": "[[Beta]]"}`, "Properties of \"Projects/Beta.md\":…", ""},
		{"get_links", `{"path": "[[Beta]]"}`, `Links of "Projects/Beta.md"…`, ""},
		{"get_tags", `{"path": "Draft"}`, `There are no tags in "Old/Draft.md"…`, ""},
		{"list_tasks", `{"path": "Draft"}`, `…"Old/Draft.md"…`, ""},
		{"set_property", `{"path": "[[Beta]]", "key": "status", "value": "done"}`, `Set status: done in "Projects/Beta.md".…`, ""},
		{"edit_file", `{"path": "Draft", "old_text": "draft", "new_text": "Draft"}`, `Replaced 1 occurrence in "Old/Draft.md".…`, ""},
		{"append_file", `{"path": "[[Draft]]", "content": "more", "create": true}`, `Appended 1 line to "Old/Draft.md".…`, ""},
		{"append_file", `{"path": "Draft", "content": "new", "create": true}`, `Created file "Draft" …`, ""},
		{"append_file", `{"path": "[[Gone]]", "content": "new", "create": true}`, `Error: No note is called "Gone". Give the path of the note to create, such as "Gone.md".`, "not found"},
		{"write_file", `{"path": "Alpha.md", "content": "top\n"}`, `Created file "Alpha.md" (4 bytes).`, ""},
		{"read_file", `{"path": "[[Alpha]]"}`, "[Path: Alpha.md]\n1: top", ""},
		{"move_file", `{"source": "[[Ideas/Alpha]]", "destination": "Gamma.md"}`, `Moved "Ideas/Alpha.md" to "Gamma.md".…`, ""},
		{"move_file", `{"source": "Gamma", "new_name": "Delta"}`, `Moved "Gamma.md" to "Delta.md".…`, ""},
		{"move_file", `{"source": "Delta", "folder": "Ideas"}`, `Moved "Delta.md" to "Ideas/Delta.md".…`, ""},
		{"move_file", `{"source": "Delta", "folder": ".", "new_name": "Gamma.md"}`, `Moved "Ideas/Delta.md" to "Gamma.md".…`, ""},
		{"move_file", `{"source": "Gamma"}`, `Error: Say where to…`, "invalid arguments"},
		{"move_file", `{"source": "Gamma", "destination": "X.md", "folder": "Y"}`, `Error: destination is the full new path…`, "invalid arguments"},
		{"delete_file", `{"path": "Gamma"}`, `Deleted 'Gamma.md' to trash.`, ""},
		{"delete_file", `{"path": "Gamma"}`, `Error: File not found: "Gamma"…`, "not found"},
	})
	if got := content(t, dir, "Projects/Alpha.md") + content(t, dir, "Old/Draft.md") + content(t, dir, "Draft"); got != "project\nDraft\n\nmore\nnew\n" {
		t.Errorf("the notes hold %q", got)
	}
}
