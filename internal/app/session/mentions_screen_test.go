package session_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"chatvault/agent"
	"chatvault/internal/app/session"
	"chatvault/tools"
	mentions "chatvault/tui/complete"
)

// Files with odd names are attached, unless no path can name them.
func TestAttachOddNames(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no file can be called so there")
	}
	v, dir := session.Shelves(t)
	unnameable := []string{`back\slash.md`, `Diary/a\b.md`, "a:b.md", "file:x.md", "end.md\n"}
	names := []string{"-dash.md", `"quoted".md`, "#hash.md", "a|b.md", "new\nline.md", " lead.md", "it's.md", "a@b.md", "esc\x1b.md", "dots..md", "q?*[x].md"}
	for _, name := range append(names, unnameable...) {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte("hello"), 0o600); err != nil {
			t.Skip("this file system takes no such name: ", err)
		}
		named := mentions.Mentions("of " + mentions.Mention(name) + " all")
		if len(named) != 1 {
			t.Errorf("%q is mentioned as %q", name, named)
			continue
		}
		f, found := session.Mentioned(context.Background(), v, named)[named[0]]
		list, err := session.Attacher(v, tools.Options{})(context.Background(), named[0], 1000)
		var a agent.Attached
		if len(list) > 0 {
			a = list[0]
		}
		switch {
		case slices.Contains(unnameable, name):
			if f.Path == name && f.Why == "" || a.Path != "" {
				t.Errorf("%q: %+v, attached %q", name, f, a.Path)
			}
		case !found || f.Path != name || f.Why != "" || a.Path != name || err != nil:
			t.Errorf("%q: %+v, attached %q, %v", name, f, a.Path, err)
		}
	}
	for _, none := range []string{`no\such.md`, "x:y.md", "../a.md", ".obsidian/app.json"} {
		if got := session.Mentioned(context.Background(), v, []string{none}); len(got) > 0 {
			t.Errorf("%q: %+v", none, got)
		}
	}
}

// A file with a strange name is found by its mention.
func TestMentionOddNames(t *testing.T) {
	strange := []string{`with [brackets]/it's "quoted".md`, "  lead space.md", "esc\x1b[31mred.md", "a@b.md", "trail .md "}
	all := map[string]string{}
	for _, name := range strange {
		all[name] = "x"
	}
	v := session.VaultOf(t, all)
	for _, name := range strange {
		got := mentions.Mentions("see " + mentions.Mention(name) + " now")
		found := session.Mentioned(context.Background(), v, got)
		if len(got) != 1 || found[got[0]].Path != name {
			t.Errorf("%q: mentions %q, finds %+v", name, got, found)
		}
	}
}
