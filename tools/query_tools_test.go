package tools

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"chatvault/tools/listing"
)

// notesToAsk is a vault with links, tags, tasks and properties, and with private files.
var notesToAsk = map[string]string{
	"Home.md":            "# Home\n\n[[Alpha]] and [b](Projects/Beta.md#One)\n[[Missing]] [[Home#Home]]\n",
	"Projects/Alpha.md":  "---\ntags: [Work, project/alpha]\nstatus: draft\nrating: 3\n---\n# Alpha\n\nSee [[Home|the start]] and again [[home]].\n\n## Next\n\n- [ ] call Ana #call 📅 2026-11-22\n- [x] done 📅 2026-11-01\n- [ ] no day\n\n### Later\n\ntext\n",
	"Projects/Beta.md":   "---\nstatus: done\nup: \"[[Home]]\"\n---\n# Beta\n#work `#no`\n\n- [ ] write 📅 2026-11-21\n- [-] dropped\n",
	"Lonely.md":          "#Project/alpha/x [[Nowhere]] [[Missing]]\n",
	"Templates/t.md":     "# {{title}}\n- [ ] template #template [[Template link]]\n",
	"broken.md":          "---\na: b: c\n---\n",
	"x.txt":              "- [ ] no note\n",
	".obsidian/app.json": `{"userIgnoreFilters": ["Templates/"]}`,
	".obsidian/n.md":     "---\ncanary: CANARY\n---\n# CANARY\n#canary [[Home]] [[Canary]]\n- [ ] CANARY\n",
	"Diary/Secret.md":    "---\ncanary: CANARY\n---\n# CANARY\n#canary [[Home]] [[Canary]]\n- [ ] CANARY\n",
}

func TestQueryTools(t *testing.T) {
	v, _ := newVault(t, notesToAsk)
	if err := v.SetPrivate([]string{"Diary"}); err != nil {
		t.Fatal(err)
	}
	turn := NewRegistry(v, Options{}).Turn(nil)
	excluded := "\n\n[1 item that Obsidian's settings exclude left out; include_ignored adds them]"
	runSteps(t, turn, []step{
		{
			"get_links", `{"path": "home.md"}`, "Links of \"Home.md\"\n\n" +
				"Outgoing (4, 2 unresolved):\nLine 3: [[Alpha]] -> Projects/Alpha.md\nLine 3: [b](Projects/Beta.md#One) -> Projects/Beta.md, which has no such heading or block\n" +
				"Line 4: [[Missing]] -> nothing: no such file\nLine 4: [[Home#Home]] -> this note\n\n" +
				"Backlinks (2 lines in 2 files):\n\n## Projects/Alpha.md\nLine 8: See [[Home|the start]] and again [[home]].\n\n## Projects/Beta.md\nLine 3: up: \"[[Home]]\"",
			"4 out (2 unresolved), 2 back",
		},
		{"get_links", `{"path": "Lonely.md", "mode": "backlinks"}`, "Links of \"Lonely.md\"\n\nBacklinks: none. No other file links here.", "0 back"},
		{"get_links", `{"path": "Home.md", "mode": "outgoing", "max_results": 1}`, "…\n\n[3 more links; raise max_results or read the note]", ""},
		{"get_links", `{"mode": "unresolved"}`, "Found 3 unresolved link target(s) in the vault, most used first:\n\nMissing: 2 notes (Home.md, Lonely.md)\nBeta#One: 1 note (Home.md)\nNowhere: 1 note (Lonely.md)" + excluded, "3 targets"},
		{"get_links", `{"mode": "unresolved", "path": "Projects"}`, `Every link in "Projects" leads to a file.`, "no targets"},
		{"get_links", `{"mode": "orphans", "include_ignored": true}`, "Found 3 note(s) in the vault that no other file links to:\n\nLonely.md\nTemplates/t.md\nbroken.md", "3 notes"},
		{"get_links", `{}`, `Error: get_links needs "path" here. …`, ""},
		{"get_links", `{"mode": "sideways"}`, `Error: Wrong arguments for get_links: mode: enum: sideways does not equal any of: [outgoing backlinks unresolved orphans]. It takes path, mode, include_ignored, max_results. Use: {"path": "Notes/a.md"}`, ""},
		{"get_links", `{"path": "Diary/Secret.md"}`, `Error: Access denied…`, "access denied"},
		{
			"get_tags", `{}`, "Found 5 tag(s) in 3 of 5 notes, most used first:\n\n#Project: 2 notes, by nested tags only\n" +
				"#project/alpha: 2 notes, 1 of them with the tag itself\n#Work: 2 notes\n#call: 1 note\n#Project/alpha/x: 1 note" + excluded, "5 tags",
		},
		{"get_tags", `{"tag": "#PROJECT/alpha"}`, "Found 2 note(s) in the vault with #PROJECT/alpha:\n\nLonely.md (line 1 #Project/alpha/x)\nProjects/Alpha.md (line 2)" + excluded, "2 notes"},
		{"get_tags", `{"tag": "wrk"}`, "No note in the vault has the tag #wrk. Did you mean #Work?" + excluded, "no notes"},
		{"get_tags", `{"path": "Projects/Beta.md"}`, "Found 1 tag(s) in 1 of 1 note, most used first:\n\n#work: 1 note", "1 tag"},
		{"get_tags", `{"tag": "##"}`, `Error: "##" is not a tag. …`, ""},
		{
			"list_tasks", `{}`, "Found 3 open task(s) in 2 notes, earliest due first:\n\n## Projects/Beta.md\nLine 8: [ ] write 📅 2026-11-21 (under \"Beta\")\n\n" +
				"## Projects/Alpha.md\nLine 12: [ ] call Ana #call 📅 2026-11-22 (under \"Next\")\nLine 14: [ ] no day (under \"Next\")" + excluded, "3 tasks",
		},
		{"list_tasks", `{"state": "done"}`, "Found 2 done task(s) in 2 notes, earliest due first:\n\n## Projects/Alpha.md\nLine 13: [x] done 📅 2026-11-01 (under \"Next\")\n\n## Projects/Beta.md\nLine 9: [-] dropped (under \"Beta\")" + excluded, ""},
		{"list_tasks", `{"state": "all", "due_from": "2026-11-01", "due_until": "2026-11-21", "max_results": 1}`, "…[1 more task; raise max_results or narrow it with path, tag, heading or due_until]…", ""},
		{"list_tasks", `{"path": "Templates"}`, "Found 1 open task(s) in 1 note, earliest due first:\n\n## Templates/t.md\nLine 2: [ ] template #template [[Template link]] (under \"{{title}}\")", "1 task"},
		{"list_tasks", `{"file_pattern": "*.txt"}`, "Found 1 open task(s) in 1 note, earliest due first:\n\n## x.txt\nLine 1: [ ] no note", ""},
		{"list_tasks", `{"tag": "nothing"}`, "No open tasks in the vault match." + excluded, "no tasks"},
		{"list_tasks", `{"due_from": "soon"}`, `Error: Argument "due_from" of list_tasks must be today, yesterday, tomorrow or a date such as ` + time.Now().Format("2006-01-02") + `, not "soon".`, "invalid date"},
		{"list_tasks", `{"due_from": "2026-11-02", "due_until": "2026-11-01"}`, "Error: due_until 2026-11-01 is before due_from 2026-11-02. Give the earlier day as due_from.", ""},
		{"list_tasks", `{"state": "late"}`, `Error: Wrong arguments for list_tasks: state: enum: late does not equal any of: [open done all]. It takes state, path, file_pattern, tag, heading, due_from, due_until, date, priority, include_ignored, max_results. Use: {"path": "Projects", "due_until": "2026-11-30"}`, ""},
		{"get_outline", `{"path": "Projects/Alpha.md"}`, "Outline of \"Projects/Alpha.md\" (18 lines, 3 headings), with the lines of each section:\n\n6-18: # Alpha\n10-18: ## Next\n16-18: ### Later", "3 headings"},
		{"get_outline", `{"path": "Lonely.md"}`, `"Lonely.md" has no headings (1 line).`, "no headings"},
		{"get_outline", `{"path": "x.txt"}`, `Error: "x.txt" is not a Markdown note (.md); get_outline works only on notes.`, "not a note"},
		{"get_properties", `{"path": "Projects/Alpha.md"}`, "Properties of \"Projects/Alpha.md\":\n\ntags: [Work, project/alpha]\nstatus: draft\nrating: 3", "3 properties"},
		{"get_properties", `{"path": "Lonely.md"}`, `"Lonely.md" has no properties.`, "no properties"},
		{"get_properties", `{"path": "broken.md"}`, `Error: The front matter of "broken.md" cannot be used (line 2: mapping values are not allowed in this context). Fix it with edit_file: …`, "front matter"},
		{
			"get_properties", `{}`, "Found 4 properties in 2 of 5 notes, most used first, with their values:\n\nstatus: 2 notes; done, draft\nrating: 1 note; 3\n" +
				"tags: 1 note; Work, project/alpha\nup: 1 note; \"[[Home]]\"\n\n[Front matter that cannot be parsed: 1 note (broken.md)]" + excluded, "4 properties",
		},
		{"get_properties", `{"key": "Status"}`, "Found 2 note(s) in the vault with \"Status\":\n\nProjects/Alpha.md: draft\nProjects/Beta.md: done" + excluded, "2 notes"},
		{"get_properties", `{"key": "tags", "value": "work"}`, "Found 1 note(s) in the vault with \"tags\" \"work\":\n\nProjects/Alpha.md: [Work, project/alpha]" + excluded, ""},
		{"get_properties", `{"key": "up", "value": "home", "path": "Projects"}`, "Found 1 note(s) in \"Projects\" with \"up\" \"home\":\n\nProjects/Beta.md: \"[[Home]]\"", ""},
		{"get_properties", `{"key": "canary"}`, `No note in the vault has the property "canary".` + excluded, "no notes"},
		{"get_properties", `{"value": "x"}`, `Error: value needs "key": {"key": "status", "value": "draft"}.`, ""},
	})
}

// TestQueryToolsSayNothingOfWhatIsPrivate makes every query.
func TestQueryToolsSayNothingOfWhatIsPrivate(t *testing.T) {
	v, _ := newVault(t, notesToAsk)
	if err := v.SetPrivate([]string{"Diary"}); err != nil {
		t.Fatal(err)
	}
	turn := NewRegistry(v, Options{}).Turn(nil)
	for _, call := range []struct{ tool, args string }{
		{"get_links", `{"path": "Home.md", "max_results": 500}`},
		{"get_links", `{"mode": "unresolved", "include_ignored": true}`},
		{"get_links", `{"mode": "orphans", "include_ignored": true}`},
		{"get_tags", `{"include_ignored": true, "max_results": 500}`},
		{"list_tasks", `{"state": "all", "include_ignored": true}`},
		{"list_tasks", `{"file_pattern": "**/*", "state": "all"}`},
		{"get_properties", `{"include_ignored": true}`},
		{"get_properties", `{"key": "canar", "include_ignored": true}`},
		{"get_tags", `{"tag": "canar", "include_ignored": true}`},
		{"list_tasks", `{"path": "."}`},
	} {
		r := turn.Call(t.Context(), call.tool, []byte(call.args))
		if r.IsError || strings.Contains(strings.ReplaceAll(strings.ToLower(r.Text), "canar\"", ""), "canary") || strings.Contains(r.Text, "Diary") || strings.Contains(r.Text, "Secret") {
			t.Errorf("%s %s: %s", call.tool, call.args, r.Text)
		}
	}
	for _, path := range []string{"Diary", "Diary/Secret.md", "diary/secret.md", ".obsidian", ".obsidian/n.md"} {
		for tool, args := range map[string]string{
			"get_links": `{"path": %q}`, "get_tags": `{"path": %q}`, "list_tasks": `{"path": %q}`, "get_outline": `{"path": %q}`, "get_properties": `{"path": %q}`,
			"set_property": `{"path": %q, "key": "a", "value": "b"}`, "append_file": `{"path": %q, "content": "x", "create": true}`,
		} {
			r := turn.Call(t.Context(), tool, fmt.Appendf(nil, args, path))
			if !r.IsError || r.Summary != "access denied" || strings.Contains(r.Text, "CANARY") {
				t.Errorf("%s of %s: %s", tool, path, r.Text)
			}
		}
	}
}

// TestQueryToolsAreBounded checks that results from a large vault are bounded and say how to get the rest.
func TestQueryToolsAreBounded(t *testing.T) {
	files := map[string]string{"Hub.md": "# Hub\n"}
	long := strings.Repeat("long ", 100)
	var many strings.Builder
	for i := range 600 {
		fmt.Fprintf(&many, "## H%d %s\n- [ ] t%d %s #tag%d [[gone %d %s]]\n", i, long, i, long, i, i, long)
	}
	for i := range 3 {
		files[fmt.Sprintf("N%d.md", i)] = many.String()
	}
	var front strings.Builder
	for i := range 600 {
		fmt.Fprintf(&front, "k%d: %s\n", i, long[:80])
	}
	files["P.md"] = "---\n" + front.String() + "---\n" + strings.Repeat("[[Hub]] "+long+"\n", 600)
	v, _ := newVault(t, files)
	turn := NewRegistry(v, Options{}).Turn(nil)
	for _, call := range []struct{ tool, args string }{
		{"get_links", `{"path": "Hub.md", "max_results": 500}`},
		{"get_links", `{"path": "N1.md", "max_results": 500}`},
		{"get_links", `{"mode": "unresolved", "max_results": 500}`},
		{"get_tags", `{"max_results": 9999}`},
		{"list_tasks", `{"max_results": 500}`},
		{"get_outline", `{"path": "N0.md", "max_results": 500}`},
		{"get_properties", `{"path": "P.md", "max_results": 500}`},
		{"get_properties", `{"max_results": 500}`},
	} {
		r := turn.Call(t.Context(), call.tool, []byte(call.args))
		if r.IsError || len(r.Text) > 2*listing.MaxBytes+2000 || !strings.Contains(r.Text, " more ") {
			t.Errorf("%s %s: %d bytes, ending %q", call.tool, call.args, len(r.Text), r.Text[max(0, len(r.Text)-200):])
		}
	}
}
