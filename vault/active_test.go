package vault

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chatvault/vault/obsidian"
	"chatvault/vault/vaulterr"
)

func leaf(id, file string) string {
	return fmt.Sprintf(`{"id":%q,"type":"leaf","state":{"type":"markdown","state":{"file":%q,"mode":"source"},"icon":"x"}}`, id, file)
}

func tabsOf(current int, leaves ...string) string {
	return fmt.Sprintf(`{"type":"tabs","currentTab":%d,"children":[%s]}`, current, strings.Join(leaves, ","))
}

func TestActiveNote(t *testing.T) {
	empty := `{"id":"e","type":"leaf","state":{"type":"empty","state":{},"title":"New tab"}}`
	odd := `{"id":"o","type":"leaf","state":{"type":"plugin","state":"text"}}`
	explorer := `{"id":"x","type":"leaf","state":{"type":"file-explorer","state":{"sortOrder":"alphabetical"}}}`
	outline := leaf("out", "a.md")
	tests := []struct {
		name, workspace string
		want            string
		why             obsidian.ActiveReason
	}{
		{"the leaf with the focus", `{"main":{"type":"split","children":[` + tabsOf(0, leaf("1", "a.md"), leaf("2", "b.md")) + `]},"active":"2"}`, "b.md", obsidian.ActiveTab},
		{"in a separate window", `{"main":{"type":"split","children":[` + tabsOf(0, leaf("1", "a.md")) + `]},"floating":{"type":"floating","children":[{"type":"window","children":[` + tabsOf(0, leaf("9", "Sub/C.md")) + `]}]},"active":"9"}`, "Sub/C.md", obsidian.ActiveTab},
		{"the file list has the focus", `{"main":{"type":"split","children":[` + tabsOf(1, leaf("1", "a.md"), leaf("2", "b.md")) + `]},"left":{"type":"split","children":[` + tabsOf(0, explorer) + `]},"active":"x"}`, "b.md", obsidian.ActiveMain},
		{"nothing has the focus", `{"main":{"type":"split","children":[` + tabsOf(0, empty) + `,` + tabsOf(1, leaf("1", "a.md"), leaf("2", "b.md")) + `]}}`, "b.md", obsidian.ActiveMain},
		{"only an empty tab", `{"main":{"type":"split","children":[` + tabsOf(0, empty, odd) + `]},"active":"e","lastOpenFiles":["gone.md","b.md","a.md"]}`, "b.md", obsidian.ActiveLast},
		{"the active note is missing", `{"main":{"type":"split","children":[` + tabsOf(0, leaf("1", "gone.md")) + `,` + tabsOf(0, leaf("2", "B.MD")) + `]},"active":"1"}`, "b.md", obsidian.ActiveMain},
		{"a picture", `{"main":{"type":"split","children":[` + tabsOf(0, leaf("1", "p.png")) + `]},"active":"1"}`, "p.png", obsidian.ActiveTab},
		{"sidebar tabs do not count", `{"main":{"type":"split","children":[` + tabsOf(0, empty) + `]},"right":{"type":"split","children":[` + tabsOf(0, outline) + `]},"active":"e","lastOpenFiles":["b.md"]}`, "b.md", obsidian.ActiveLast},
		{"a part of another type", `{"main":{"type":"split","children":[` + tabsOf(0, leaf("1", "a.md")) + `]},"left":[],"active":"1"}`, "a.md", obsidian.ActiveTab},
		{"out of the vault, hidden, a folder", `{"main":{"type":"split","children":[` + tabsOf(0, leaf("1", "../b.md")) + `]},"active":"1","lastOpenFiles":["/etc/passwd",".obsidian/app.json","Sub","a.md"]}`, "a.md", obsidian.ActiveLast},
		{"a private one among the last", `{"lastOpenFiles":["Hidden/s.md","a.md"]}`, "a.md", obsidian.ActiveLast},
		{"private ones among the tabs", `{"main":{"type":"split","children":[` + tabsOf(2, leaf("1", "Hidden/s.md"), leaf("2", "b.md"), leaf("3", "a.md")) + `]},"active":"3"}`, "a.md", obsidian.ActiveTab},
	}
	for _, tt := range tests {
		v := newTest(t, map[string]string{
			"a.md": "", "b.md": "", "Sub/C.md": "", "p.png": "", "Hidden/s.md": "secret", ".obsidian/app.json": "{}",
			".obsidian/workspace.json": tt.workspace,
		})
		mustTest(t, v.SetPrivate([]string{"Hidden/"}))
		saved := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		mustTest(t, os.Chtimes(filepath.Join(v.dir, ".obsidian", "workspace.json"), saved, saved))
		got, err := v.Obsidian.ActiveNote(t.Context())
		if err != nil || got.Path != tt.want || got.Why != tt.why || !got.Saved.Equal(saved) {
			t.Errorf("%s: %+v, %v", tt.name, got, err)
		}
	}
}

func TestActiveNoteUnknown(t *testing.T) {
	for name, tt := range map[string]struct {
		workspace string
		kind      error
		want      string
	}{
		"no workspace":         {"", vaulterr.KindNotFound, "is not known"},
		"broken":               {"{", vaulterr.KindNotFound, "is not known"},
		"no open tabs":         {"{}", vaulterr.KindNotFound, "No note is open"},
		"private":              {`{"main":{"type":"split","children":[` + tabsOf(0, leaf("1", "hidden/Ann.md")) + `]},"active":"1","lastOpenFiles":["a.md"]}`, vaulterr.KindDenied, "open in Obsidian is private"},
		"private in main area": {`{"main":{"type":"split","children":[` + tabsOf(0, leaf("1", "Hidden/Ann.md")) + `]},"lastOpenFiles":["a.md"]}`, vaulterr.KindDenied, "open in Obsidian is private"},
		"too deep":             {strings.Repeat(`{"main":{"children":[`, 20_000), vaulterr.KindNotFound, "is not known"},
	} {
		files := map[string]string{"a.md": "", "Hidden/Ann.md": "secret"}
		if tt.workspace != "" {
			files[".obsidian/workspace.json"] = tt.workspace
		}
		v := newTest(t, files)
		mustTest(t, v.SetPrivate([]string{"Hidden/"}))
		_, err := v.Obsidian.ActiveNote(t.Context())
		if !errors.Is(err, tt.kind) || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "Ann") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
