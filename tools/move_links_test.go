package tools

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var linkFiles = map[string]string{"a.md": "# A\n", "n.md": "[[a]] one\n", "m.md": "[[a|x]] [y](a.md)\n", "o.md": "no links\n"}

const moveIt = `{"source":"a.md","destination":"Sub/b.md"}`

// called runs a tool and returns its text. It fails the test unless the call succeeds exactly if ok.
func called(t *testing.T, turn *Turn, ok bool, name, args string) string {
	t.Helper()
	r := turn.Call(t.Context(), name, json.RawMessage(args))
	if r.IsError == ok {
		t.Fatalf("%s %s: %s", name, args, r.Text)
	}
	return r.Text
}

// TestMoveFollowsWhatWasRead checks that a turn's knowledge of notes is updated with their rewritten links, and only
// with them.
func TestMoveFollowsWhatWasRead(t *testing.T) {
	v, dir := newVault(t, linkFiles)
	turn := NewRegistry(v, Options{}).Turn(nil)
	for _, name := range []string{"a.md", "n.md", "m.md"} {
		called(t, turn, true, "read_file", `{"path":"`+name+`"}`)
	}
	theirs := "[[a|x]] [y](a.md) and more of theirs\n"
	if err := os.WriteFile(filepath.Join(dir, "m.md"), []byte(theirs), 0o600); err != nil {
		t.Fatal(err)
	}
	got := called(t, turn, true, "move_file", moveIt)
	if got != `Moved "a.md" to "Sub/b.md". Updated 3 links in 2 notes.` {
		t.Error(got)
	}
	called(t, turn, true, "edit_file", `{"path":"n.md","old_text":"one","new_text":"two"}`)
	called(t, turn, true, "edit_file", `{"path":"Sub/b.md","old_text":"# A","new_text":"# B"}`)
	if got := called(t, turn, false, "edit_file", `{"path":"m.md","old_text":"more","new_text":"less"}`); !strings.Contains(got, "changed on disk since you last read it") {
		t.Error(got)
	}
	if got := content(t, dir, "m.md"); got != "[[b|x]] [y](Sub/b.md) and more of theirs\n" {
		t.Error(got)
	}
	if got := turn.Changes(); len(got) != 3 || got[0] != "moved a.md → Sub/b.md (3 links in 2 notes)" {
		t.Errorf("%q", got)
	}
}

// TestMoveShowsLinks checks that the approver sees the link updates and that the move happens exactly as shown.
func TestMoveShowsLinks(t *testing.T) {
	for meddled, name := range map[string]string{"": "", "a note that is rewritten": "n.md", "another note": "o.md", "a note that links now": "o.md "} {
		v, dir := newVault(t, linkFiles)
		var asked Proposal
		j := &judge{decide: func(p Proposal) error {
			asked = p
			if name == "" {
				return nil
			}
			text := "[[a]] one more\n"
			if meddled == "another note" {
				text = "other words\n"
			}
			return os.WriteFile(filepath.Join(dir, strings.TrimSpace(name)), []byte(text), 0o600)
		}}
		r := NewRegistry(v, Options{}).Turn(j).Call(t.Context(), "move_file", json.RawMessage(moveIt))
		if len(asked.Rewrites) != 2 || asked.Rewrites[0].Path != "m.md" || asked.Rewrites[0].Links != 2 || asked.Rewrites[1].Links != 1 ||
			!strings.Contains(asked.Rewrites[1].Diff, "-[[a]] one\n+[[b]] one") {
			t.Errorf("%s: asked with %+v", meddled, asked.Rewrites)
		}
		_, err := os.Stat(filepath.Join(dir, "a.md"))
		if meddled == "" || meddled == "another note" {
			if r.IsError || err == nil {
				t.Errorf("%s: %s", meddled, r.Text)
			}
			continue
		}
		if !r.IsError || !strings.Contains(r.Text, "changed while the user was asked") || err != nil {
			t.Errorf("%s: %s", meddled, r.Text)
		}
	}
}

// TestMoveWithLinkSetting: links are updated also if Obsidian is set to ask, and the result says so.
func TestMoveWithLinkSetting(t *testing.T) {
	for set, text := range map[string]string{
		`{"alwaysUpdateLinks":true}`:  "Updated 3 links in 2 notes.",
		`{"alwaysUpdateLinks":false}`: "Updated 3 links in 2 notes, although Obsidian is set to ask before it updates links (alwaysUpdateLinks is off).",
	} {
		v, dir := newVault(t, linkFiles)
		if err := os.MkdirAll(filepath.Join(dir, ".obsidian"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, ".obsidian/app.json"), []byte(set), 0o600); err != nil {
			t.Fatal(err)
		}
		turn := NewRegistry(v, Options{}).Turn(nil)
		if got, want := called(t, turn, true, "move_file", moveIt), `Moved "a.md" to "Sub/b.md". `+text; got != want {
			t.Errorf("%s, want %s", got, want)
		}
		if got := content(t, dir, "n.md"); got != "[[b]] one\n" {
			t.Errorf("%s: %q", set, got)
		}
		if got := called(t, turn, true, "move_file", `{"source":"o.md","destination":"p.md"}`); got != `Moved "o.md" to "p.md".` {
			t.Errorf("%s: %s", set, got)
		}
	}
}
