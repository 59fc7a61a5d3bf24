package tools

import "testing"

func TestIncludeIgnored(t *testing.T) {
	v, _ := newVault(t, map[string]string{
		".obsidian/app.json": `{"userIgnoreFilters": ["Templates/", "/^old/"]}`,
		"Templates/t.md":     "plum\n", "old.md": "plum\n", "older.md": "plum\n", "Notes/n.md": "plum\n", "Only/": "", "Templates/Only/": "",
	})
	turn := NewRegistry(v, Options{}).Turn(nil)
	runSteps(t, turn, []step{
		{"search_files", `{"pattern": "plum"}`, "Found 1 matching file(s):\n\n## Notes/n.md\nLine 1: > plum\n\n[3 items that Obsidian's settings exclude left out; include_ignored adds them]", "1 note"},
		{"search_files", `{"pattern": "plum", "include_ignored": true}`, "Found 4 matching file(s):…", "4 notes"},
		{"search_files", `{"pattern": "pear"}`, "No matches for \"pear\" in any note. Files other than notes, canvases and drawings were skipped; file_pattern **/* searches all text files.\n\n[3 items that…", "no notes"},
		{"search_files", `{"pattern": "plum", "file_pattern": "*.txt"}`, "…[1 item that Obsidian's settings exclude left out; include_ignored adds them]", ""},
		{"list_files", `{"pattern": "o*.md"}`, "No items match \"o*.md\" in the vault. A pattern without / looks in this folder only: \"**/o*.md\" looks at every depth.\n\n[2 items that Obsidian's settings exclude left out; include_ignored adds them]", "no items"},
		{"list_files", `{"pattern": "o*.md", "include_ignored": true}`, "Found 2 item(s):…", "2 items"},
		{"list_files", `{"path": "Templates", "pattern": "*.md"}`, "Found 1 item(s):…", "1 item"},
		{"list_files", `{"path": "Only"}`, "There is nothing in \"Only\".", "no items"},
		{"read_file", `{"path": "Templates/t.md"}`, "1: plum", ""},
	})
	v, _ = newVault(t, map[string]string{".obsidian/app.json": `{"userIgnoreFilters": ["old"]}`, "old.md": ""})
	runSteps(t, NewRegistry(v, Options{}).Turn(nil), []step{
		{"list_files", `{}`, "There is nothing in the vault.\n\n[1 item that Obsidian's settings exclude left out; include_ignored adds them]", "no items"},
	})
}
