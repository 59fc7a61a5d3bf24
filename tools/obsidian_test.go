package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chatvault/tools/wording"
	"chatvault/vault/obsidian"
)

func TestDailyNote(t *testing.T) {
	v, dir := newVault(t, map[string]string{
		".obsidian/daily-notes.json": `{"folder": "Daily", "format": "YYYY/MM-DD", "template": "Templates/Day"}`,
		"Templates/Day.md":           "# {{title}}\r\n{{date}}\r\n\r\n## Log",
		"Daily/2021/11-20.md":        "# Saturday\n- one\n",
		"Daily/2021/11-19.md":        "one\r\ntwo",
		"Daily/2021/11-18.md":        "a\x00b",
	})
	turn := NewRegistry(v, Options{}).Turn(nil)
	today := time.Now().Format("2006/01-02")
	runSteps(t, turn, []step{
		{"daily_note", `{"action": "path", "date": "2021-11-20"}`, "Daily note for Saturday, 2021-11-20: Daily/2021/11-20.md (already exists)", "exists"},
		{"daily_note", `{"action": "path", "date": "2021-11-21"}`, `Daily note for Sunday, 2021-11-21: Daily/2021/11-21.md (does not exist yet; the action append creates it from the template "Templates/Day.md")`, "does not exist"},
		{"daily_note", `{"action": "path"}`, fmt.Sprintf("…Daily/%s.md (does not exist yet…", today), ""},
		{"daily_note", `{"action": "path", "date": "Yesterday"}`, fmt.Sprintf("…Daily/%s.md (does not exist yet…", time.Now().AddDate(0, 0, -1).Format("2006/01-02")), ""},
		{"daily_note", `{"action": "path", "date": "tomorrow"}`, fmt.Sprintf("…Daily/%s.md (does not exist yet…", time.Now().AddDate(0, 0, 1).Format("2006/01-02")), ""},
		{"daily_note", `{"action": "read", "date": "2021-11-20"}`, "1: # Saturday\n2: - one", "2 lines"},
		{
			"daily_note", `{"action": "read", "date": "2021-11-21"}`,
			`Error: There is no daily note for Sunday, 2021-11-21 yet: "Daily/2021/11-21.md" does not exist. The action append creates it.`, "not there",
		},
		{
			"daily_note", `{"action": "append", "date": "2021-11-20", "content": "- two\n- three"}`,
			"Appended 2 lines to \"Daily/2021/11-20.md\".\n\n--- Daily/2021/11-20.md\n+++ Daily/2021/11-20.md\n@@ -1,2 +1,4 @@\n # Saturday\n - one\n+- two\n+- three", "+2 −0",
		},
		{"daily_note", `{"action": "append", "date": "2021-11-19", "content": "three\n"}`, `Appended 1 line to "Daily/2021/11-19.md".…`, ""},
		{
			"daily_note", `{"action": "append", "date": "2021-11-21", "content": "- Rain"}`,
			`Created file "Daily/2021/11-21.md" (39 bytes) from the template "Templates/Day.md". Appended 1 line to "Daily/2021/11-21.md".`, "created, 39 bytes",
		},
		{"daily_note", `{"action": "append", "date": "2021-11-21", "content": "- Sun"}`, `Appended 1 line to "Daily/2021/11-21.md".…`, ""},
		{"daily_note", `{"action": "append", "date": "2021-11-21", "heading": "Mood", "content": "Good."}`, `Appended the heading "## Mood" with 1 line to "Daily/2021/11-21.md".…`, ""},
		{"daily_note", `{"action": "append", "date": "2021-11-21", "heading": "log", "content": "- Wind"}`, `Appended 1 line under "## Log" in "Daily/2021/11-21.md".…`, ""},
		{
			"daily_note", `{"action": "append", "date": "2021-11-22", "heading": "Log", "content": "- Snow"}`,
			`Created file "Daily/2021/11-22.md" (39 bytes) from the template "Templates/Day.md". Appended 1 line under "## Log" in "Daily/2021/11-22.md".`, "",
		},
		{"daily_note", `{"action": "append", "date": "2021-11-18", "content": "- Sun"}`, `Error: "Daily/2021/11-18.md" is a binary file…`, "binary"},
		{"daily_note", `{"action": "append", "date": "2021-11-20"}`, `Error: Missing argument "content" for daily_note: the lines to append.`, "invalid arguments"},
		{"daily_note", `{"action": "read", "content": "x"}`, `Error: content and heading work only with the action append, not with read.`, "invalid arguments"},
		{"daily_note", `{"action": "open"}`, `Error: Wrong arguments for daily_note: action: enum: open does not equal any of: [path read append]. It takes action, date, period, content, heading. Use: {"action": "append", "date": "today", "content": "- text"}`, "invalid arguments"},
		{"daily_note", `{"action": "path", "date": "21.11.2021"}`, `Error: Argument "date" of daily_note must be today, yesterday, tomorrow or a date such as …`, "invalid date"},
		{"daily_note", `{"action": "path", "date": "2021-02-30"}`, `Error: Argument "date" of daily_note must be…`, "invalid date"},
		{"daily_note", `{"action": "path", "date": "0000-01-01"}`, `Error: Argument "date" of daily_note must be…`, "invalid date"},
	})
	for name, want := range map[string]string{
		"Daily/2021/11-20.md": "# Saturday\n- one\n- two\n- three\n",
		"Daily/2021/11-19.md": "one\r\ntwo\r\n\r\nthree",
		"Daily/2021/11-21.md": "# 11-21\r\n2021-11-21\r\n\r\n## Log\r\n- Rain\r\n- Sun\r\n- Wind\r\n\r\n## Mood\r\nGood.\r\n",
	} {
		if got := content(t, dir, name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if got := strings.Join(turn.Changes(), ", "); got != "edited Daily/2021/11-20.md, edited Daily/2021/11-19.md, created Daily/2021/11-21.md, edited Daily/2021/11-21.md, created Daily/2021/11-22.md" {
		t.Errorf("changes: %s", got)
	}
}

// A daily note that changed since it was read is not written; one that was never read is appended to.
func TestDailyNoteChanged(t *testing.T) {
	v, dir := newVault(t, map[string]string{"2021-11-20.md": "one\n"})
	turn := NewRegistry(v, Options{}).Turn(nil)
	runSteps(t, turn, []step{{"daily_note", `{"action": "read", "date": "2021-11-20"}`, "1: one", ""}})
	if err := os.WriteFile(filepath.Join(dir, "2021-11-20.md"), []byte("other\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	runSteps(t, turn, []step{
		{"daily_note", `{"action": "append", "date": "2021-11-20", "content": "two"}`, `Error: "2021-11-20.md" changed on disk since you last read it…`, "changed on disk"},
		{"daily_note", `{"action": "read", "date": "2021-11-20"}`, "1: other", ""},
		{"daily_note", `{"action": "append", "date": "2021-11-20", "content": "two"}`, "Appended 1 line…", ""},
	})
	if got := content(t, dir, "2021-11-20.md"); got != "other\n\ntwo\n" {
		t.Errorf("%q", got)
	}
}

func TestActiveNote(t *testing.T) {
	v, dir := newVault(t, map[string]string{
		"a.md": "", "b.md": "",
		".obsidian/workspace.json": `{"main":{"type":"tabs","currentTab":0,"children":[
			{"id":"1","type":"leaf","state":{"state":{"file":"a.md"}}},{"id":"2","type":"leaf","state":{"state":{"file":"b.md"}}}]},"active":"1"}`,
	})
	turn := NewRegistry(v, Options{}).Turn(nil)
	saved := time.Now().Add(-time.Hour)
	setTimes := func(when time.Time) {
		if err := os.Chtimes(filepath.Join(dir, ".obsidian", "workspace.json"), when, when); err != nil {
			t.Fatal(err)
		}
	}
	setTimes(saved)
	runSteps(t, turn, []step{{
		"get_active_note", `{}`,
		"Active note: a.md\nIt is the active tab in Obsidian, as of " + wording.MomentText(saved) + ".", "a.md",
	}})
	setTimes(time.Now().Add(-75 * time.Hour))
	runSteps(t, turn, []step{{
		"get_active_note", `{}`,
		"…\nThis is a guess: Obsidian has recorded nothing since, so another note may be open by now. Ask the user before you change it.…", "a.md, a guess",
	}})
	if err := os.Remove(filepath.Join(dir, ".obsidian", "workspace.json")); err != nil {
		t.Fatal(err)
	}
	runSteps(t, turn, []step{{"get_active_note", `{}`, "Error: It is not known which note is open: …", "not found"}})
}

func TestActiveText(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.Local)
	for _, tt := range []struct {
		note  obsidian.ActiveNote
		want  string
		guess bool
	}{
		{obsidian.ActiveNote{Path: "a.md", Why: obsidian.ActiveMain, Saved: now}, "Active note: a.md\nIt is the tab in front in Obsidian's main area, as of Nov 21, 2026 12:00 PM.", false},
		{
			obsidian.ActiveNote{Path: "a.md", Why: obsidian.ActiveLast, Saved: now},
			"Active note: a.md\nIt was opened last in Obsidian; no tab shows it now, as of Nov 21, 2026 12:00 PM.\nThis is a guess. Ask the user before you change it.", true,
		},
	} {
		if got, guess := activeText(tt.note, now); got != tt.want || guess != tt.guess {
			t.Errorf("%q, %v", got, guess)
		}
	}
}

// A new note without a folder goes where Obsidian's settings put new notes.
func TestNewNotes(t *testing.T) {
	v, dir := newVault(t, map[string]string{
		".obsidian/app.json": `{"newFileLocation": "folder", "newFileFolderPath": "Inbox"}`,
		"Top.md":             "old\n", "Inbox/Theirs.md": "theirs\n",
	})
	turn := NewRegistry(v, Options{}).Turn(nil)
	const where = ` New notes go to "Inbox/" in this vault, as Obsidian's settings say.`
	runSteps(t, turn, []step{
		{"write_file", `{"path": "Plum.md", "content": "x\n"}`, `Created file "Inbox/Plum.md" (2 bytes).` + where, "created, 2 bytes"},
		{"write_file", `{"path": "Plum.md", "content": "xy\n"}`, `Overwrote file "Inbox/Plum.md" (3 bytes).` + where, ""}, // its own note, by the same name
		{"write_file", `{"path": "Top.md", "content": "new\n"}`, `Overwrote file "Top.md" (4 bytes).`, ""},
		{"write_file", `{"path": "./Up.md", "content": "x"}`, `Created file "Up.md" (1 byte).`, ""},
		{"write_file", `{"path": "Sub/Plum.md", "content": "x"}`, `Created file "Sub/Plum.md" (1 byte).`, ""},
		{"write_file", `{"path": "data.csv", "content": "x"}`, `Created file "data.csv" (1 byte).`, ""},
		{
			"write_file", `{"path": "theirs.md", "content": "x"}`,
			`Error: "theirs.md" would be created in "Inbox/", where new notes go in this vault, and "Inbox/Theirs.md" already exists. ` +
				`Read it and write to its full path, choose another name, or write to "./theirs.md" to create it outside that folder.`, "already exists",
		},
		{"read_file", `{"path": "Inbox/Theirs.md"}`, "1: theirs", ""},
		{"write_file", `{"path": "Theirs.md", "content": "mine\n"}`, `Overwrote file "Inbox/Theirs.md" (5 bytes).` + where, ""},
		{"write_file", `{"path": "a:b.md", "content": "x"}`, `Error: Access denied: …`, ""},
		{"write_file", `{"path": "../x.md", "content": "x"}`, `Error: Access denied: …`, ""},
	})
	if got := content(t, dir, "Inbox/Plum.md") + content(t, dir, "Up.md"); got != "xy\nx" {
		t.Errorf("%q", got)
	}
}

func TestWriteFromTemplate(t *testing.T) {
	v, dir := newVault(t, map[string]string{
		".obsidian/templates.json": `{"folder": "Templates"}`,
		".obsidian/app.json":       `{"newFileLocation": "folder", "newFileFolderPath": "Inbox"}`,
		"Templates/Meeting.md":     "---\ntags: meeting\n---\n# {{title}}\n\n## Notes",
		"Templates/Talk.md":        "# <% tp.file.title %>\n",
		"There.md":                 "here\n",
	})
	turn := NewRegistry(v, Options{}).Turn(nil)
	runSteps(t, turn, []step{
		{"write_file", `{"path": "Work/Plan.md", "content": "- one", "template": "meeting"}`, `Created file "Work/Plan.md" (46 bytes). It starts with the template "Templates/Meeting.md".`, "created, 46 bytes"},
		{"write_file", `{"path": "Empty.md", "content": "", "template": "Meeting"}`, `Created file "Inbox/Empty.md" (39 bytes). It starts with the template "Templates/Meeting.md". New notes go to "Inbox/" in this vault, as Obsidian's settings say.`, ""},
		{"write_file", `{"path": "Talk.md", "content": "", "template": "Talk"}`, `…The template has code of the plugin Templater (<% … %>), which was left as it is: tell the user, who can run it in Obsidian.…`, ""},
		{"write_file", `{"path": "There.md", "content": "x", "template": "Meeting"}`, `Error: "There.md" already exists, and only a new note can start from a template. Choose another name, or add to the note with append_file or edit_file.`, ""},
		{"write_file", `{"path": "New.md", "content": "x", "template": "Letter"}`, `Error: No template is called "Letter". Available: "Meeting", "Talk".`, ""},
		{"write_file", `{"path": "New.md", "content": "---\na: b\n---\nx", "template": "Meeting"}`, `Error: The content has front matter…`, ""},
		{"edit_file", `{"path": "Work/Plan.md", "old_text": "- one", "new_text": "- two"}`, `…-- one…`, ""},
	})
	for name, want := range map[string]string{
		"Work/Plan.md":   "---\ntags: meeting\n---\n# Plan\n\n## Notes\n\n- two\n",
		"Inbox/Empty.md": "---\ntags: meeting\n---\n# Empty\n\n## Notes",
		"Inbox/Talk.md":  "# <% tp.file.title %>\n",
		"There.md":       "here\n",
	} {
		if data, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(data) != want {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "New.md")); err == nil {
		t.Error("a note was made all the same")
	}
}
