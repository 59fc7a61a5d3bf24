package tools

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"chatvault/tools/textedit"
	"chatvault/vault"
)

// judge is a Messenger that decides about changes and records them in asked.
type judge struct {
	said
	decide func(Proposal) error
	take   func(Proposal) []int // the accepted parts
	asked  []Proposal
}

func (j *judge) Consents() bool { return true }

func (j *judge) Approve(_ context.Context, p Proposal) (c Consent, err error) {
	j.asked = append(j.asked, p)
	if j.decide != nil {
		err = j.decide(p)
	}
	if j.take != nil {
		c.Hunks = j.take(p)
	}
	return c, err
}

var noteFiles = map[string]string{
	"Notes/a.md":          "# A\n\none\ntwo\nthree\nfour\n",
	"Notes/empty.md":      "",
	"Links/1.md":          "- [[Notes/empty]]\n",
	"P/x.md":              "x\n",
	"P/sub/y.md":          "y\n",
	"P/pic.png":           "\x00png",
	".obsidian/app.json":  `{"trashOption":"local"}`,
	".smarthole/x":        "",
	"secret/.hidden/z.md": "z\n",
}

// judged returns a turn over noteFiles whose changes j decides about.
func judged(t *testing.T, j *judge) (*Turn, string) {
	t.Helper()
	v, dir := newVault(t, noteFiles)
	return NewRegistry(v, Options{}).Turn(j), dir
}

// snapshot returns a hash of all files below a folder.
func snapshot(t *testing.T, dir string) string {
	t.Helper()
	sum := sha256.New()
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(sum, "%q %v\n", name, info.Mode())
		if e.Type().IsRegular() {
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			fmt.Fprintf(sum, "%d %s %v\n", len(data), data, info.ModTime())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(sum.Sum(nil))
}

// gatedCalls are calls that change something, with their proposals.
var gatedCalls = []struct {
	tool, args string
	want       Proposal // Diff is a required substring
	result     string   // if allowed
}{
	{
		"write_file", `{"path":"new/b.md","content":"hello\n"}`,
		Proposal{Kind: ChangeCreate, Path: "new/b.md", Diff: "--- /dev/null\n+++ new/b.md\n@@ -0,0 +1 @@\n+hello", Detail: "new file, 6 bytes; creates the folder new"},
		`Created file "new/b.md" (6 bytes).`,
	},
	{
		"write_file", `{"path":"notes/A.md","content":"# A\n\none\n2\nthree\nfour\n"}`,
		Proposal{Kind: ChangeOverwrite, Path: "Notes/a.md", Diff: " one\n-two\n+2\n three", Detail: "24 bytes become 22 bytes", Unread: true},
		`Overwrote file "Notes/a.md" (22 bytes).`,
	},
	{
		"write_file", `{"path":"Notes/empty.md","content":"x"}`,
		Proposal{Kind: ChangeOverwrite, Path: "Notes/empty.md", Diff: "+x\n\\ No newline", Detail: "0 bytes become 1 byte"},
		`Overwrote file "Notes/empty.md" (1 byte).`,
	},
	{
		"write_file", `{"path":"P/pic.png","content":"text"}`,
		Proposal{Kind: ChangeOverwrite, Path: "P/pic.png", Diff: "+text", Detail: "a file that is not text (4 bytes) becomes 4 bytes of text", Destructive: true, Unread: true},
		`Overwrote file "P/pic.png" (4 bytes).`,
	},
	{
		"edit_file", `{"path":"Notes/a.md","old_text":"two","new_text":"2"}`,
		Proposal{Kind: ChangeEdit, Path: "Notes/a.md", Diff: "-two\n+2\n"},
		"Replaced 1 occurrence…",
	},
	{
		"edit_file", `{"path":"Notes/a.md","delete_lines":{"start":2,"end":5}}`,
		Proposal{Kind: ChangeEdit, Path: "Notes/a.md", Diff: "-one\n-two\n-three\n", Detail: "removes 3 of 5 lines", Destructive: true},
		"Deleted lines 2-5…",
	},
	{
		"append_file", `{"path":"notes/A.md","content":"five"}`,
		Proposal{Kind: ChangeEdit, Path: "Notes/a.md", Diff: " four\n+\n+five"},
		"Appended 1 line…",
	},
	{
		"append_file", `{"path":"new/c.md","content":"hello","create":true}`,
		Proposal{Kind: ChangeCreate, Path: "new/c.md", Diff: "+hello", Detail: "new file, 6 bytes; creates the folder new"},
		`Created file "new/c.md" (6 bytes).`,
	},
	{
		"set_property", `{"path":"Notes/a.md","key":"status","value":"done"}`,
		Proposal{Kind: ChangeEdit, Path: "Notes/a.md", Diff: "+---\n+status: done\n+---\n # A\n"},
		"Set status: done…",
	},
	{
		"move_file", `{"source":"p","destination":"Old/P"}`,
		Proposal{Kind: ChangeMove, Path: "P", NewPath: "Old/P", Detail: "folder with 2 notes (sub/y.md, x.md), 1 other file, 1 folder, 8 bytes; creates the folder Old", Folder: true},
		`Moved "P" to "Old/P".`,
	},
	{
		"move_file", `{"source":"Notes/empty.md","destination":"Void.md"}`,
		Proposal{
			Kind: ChangeMove, Path: "Notes/empty.md", NewPath: "Void.md", Detail: "file, 0 bytes",
			Rewrites: []LinkRewrite{{Path: "Links/1.md", Links: 1, Diff: "--- Links/1.md\n+++ Links/1.md\n@@ -1 +1 @@\n-- [[Notes/empty]]\n+- [[Void]]"}},
		},
		`Moved "Notes/empty.md" to "Void.md". Updated 1 link in 1 note.`,
	},
	{
		"delete_file", `{"path":"notes/a.md"}`,
		Proposal{
			Kind: ChangeDelete, Path: "Notes/a.md", Detail: "file, 24 bytes; to the vault's .trash folder", Destructive: true,
			Diff: "--- Notes/a.md\n+++ Notes/a.md\n@@ -1,6 +0,0 @@\n-# A\n-\n-one\n-two\n-three\n-four",
		},
		"Deleted 'Notes/a.md' to trash.",
	},
	{
		"delete_file", `{"path":"Notes/empty.md"}`,
		Proposal{Kind: ChangeDelete, Path: "Notes/empty.md", Detail: "file, 0 bytes; linked from 1 note: Links/1.md; to the vault's .trash folder", Destructive: true},
		"Deleted 'Notes/empty.md' to trash.",
	},
	{
		"delete_file", `{"path":"P","recursive":true}`,
		Proposal{Kind: ChangeDelete, Path: "P", Detail: "folder with 2 notes (sub/y.md, x.md), 1 other file, 1 folder, 8 bytes; to the vault's .trash folder", Destructive: true, Folder: true},
		"Deleted 'P' to trash.",
	},
	{
		"create_folder", `{"path":"Q/R"}`,
		Proposal{Kind: ChangeFolder, Path: "Q/R", Detail: "creates the folder Q"},
		`Created folder "Q/R".`,
	},
}

func TestGateAllows(t *testing.T) {
	for _, c := range gatedCalls {
		var j judge
		turn, dir := judged(t, &j)
		before := snapshot(t, dir)
		j.decide = func(Proposal) error {
			if snapshot(t, dir) != before {
				t.Errorf("%s %s: something happened before the answer", c.tool, c.args)
			}
			return nil
		}
		runSteps(t, turn, []step{{tool: c.tool, args: c.args, want: c.result}})
		if len(j.asked) != 1 {
			t.Errorf("%s %s: asked %d times", c.tool, c.args, len(j.asked))
			continue
		}
		got, want := j.asked[0], c.want
		want.Tool = c.tool
		if !strings.Contains(got.Diff, want.Diff) || (got.Diff == "") != (want.Diff == "") {
			t.Errorf("%s %s: the diff is\n%s", c.tool, c.args, got.Diff)
		}
		if (got.Prose == nil) != (want.Diff == "") || got.Pick {
			t.Errorf("%s %s: compared as %+v, to be taken in parts: %v", c.tool, c.args, got.Prose, got.Pick)
		}
		got.Diff, want.Diff, got.Prose = "", "", nil
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s %s:\ngot  %+v\nwant %+v", c.tool, c.args, got, want)
		}
		if len(turn.Changes()) != 1 {
			t.Errorf("%s %s: changes %q", c.tool, c.args, turn.Changes())
		}
	}
}

func TestGateDenies(t *testing.T) {
	for _, c := range gatedCalls {
		for _, refusal := range []struct {
			err           error
			want, summary string
		}{
			{&Denied{Note: "put it into Ideas instead"}, "Error: The user denied this change and said: “put it into Ideas instead” Nothing was changed. …", "denied: “put it into Ideas instead”"},
			{&Denied{}, "Error: The user denied this change. Nothing was changed. …", "denied"},
			{errors.New("there is no way to ask for it here"), "Error: Not allowed: there is no way to ask for it here. Nothing was changed. …", "denied"},
		} {
			j := judge{decide: func(Proposal) error { return refusal.err }}
			turn, dir := judged(t, &j)
			before := snapshot(t, dir)
			runSteps(t, turn, []step{{tool: c.tool, args: c.args, want: refusal.want, summary: refusal.summary}})
			if snapshot(t, dir) != before || len(turn.Changes()) > 0 {
				t.Errorf("%s %s was denied and happened: %q", c.tool, c.args, turn.Changes())
			}
		}
	}
}

// TestGateStopped cancels the turn while the user is asked and approves anyway: nothing changes.
func TestGateStopped(t *testing.T) {
	for _, c := range gatedCalls {
		ctx, cancel := context.WithCancel(t.Context())
		j := judge{decide: func(Proposal) error { cancel(); return nil }}
		turn, dir := judged(t, &j)
		before := snapshot(t, dir)
		r := turn.Call(ctx, c.tool, json.RawMessage(c.args))
		if !r.IsError || r.Summary != "stopped" || snapshot(t, dir) != before {
			t.Errorf("%s %s: %+v", c.tool, c.args, r)
		}
		cancel()
	}
}

// TestGateAsksOfNoInvalidCall checks that invalid calls do not ask the user.
func TestGateAsksOfNoInvalidCall(t *testing.T) {
	j := judge{}
	turn, dir := judged(t, &j)
	before := snapshot(t, dir)
	for _, c := range []step{
		{tool: "write_file", args: `{"path":".obsidian/app.json","content":""}`},
		{tool: "write_file", args: `{"path":"../x.md","content":""}`},
		{tool: "write_file", args: `{"path":"Notes","content":""}`},
		{tool: "write_file", args: `{"path":"new/","content":""}`},
		{tool: "write_file", args: `{"path":"a?.md","content":""}`},
		{tool: "edit_file", args: `{"path":"gone.md","old_text":"a","new_text":"b"}`},
		{tool: "edit_file", args: `{"path":"Notes/a.md","old_text":"nowhere","new_text":"b"}`},
		{tool: "edit_file", args: `{"path":"Notes/a.md","old_text":"two","new_text":"two"}`},
		{tool: "move_file", args: `{"source":"gone.md","destination":"b.md"}`},
		{tool: "move_file", args: `{"source":"Notes/a.md","destination":"P/x.md"}`},
		{tool: "move_file", args: `{"source":"P","destination":"P/sub/P"}`},
		{tool: "move_file", args: `{"source":"P/x.md","destination":".smarthole/x"}`},
		{tool: "delete_file", args: `{"path":"gone.md"}`},
		{tool: "delete_file", args: `{"path":"P"}`}, // not empty, and not recursive
		{tool: "delete_file", args: `{"path":"."}`},
		{tool: "delete_file", args: `{"path":".obsidian","recursive":true}`},
		{tool: "create_folder", args: `{"path":".git"}`},
		{tool: "create_folder", args: `{"path":"Notes/a.md"}`},
	} {
		r := turn.Call(t.Context(), c.tool, json.RawMessage(c.args))
		if !r.IsError || len(j.asked) > 0 {
			t.Errorf("%s %s: %q, asked %+v", c.tool, c.args, r.Text, j.asked)
		}
	}
	if r := turn.Call(t.Context(), "create_folder", json.RawMessage(`{"path":"notes"}`)); r.Text != `Folder "Notes" already exists.` || len(j.asked) > 0 {
		t.Errorf("%q, asked %+v", r.Text, j.asked)
	}
	if snapshot(t, dir) != before {
		t.Error("something happened")
	}
	same := `{"path":"P/x.md","content":"x\n"}`
	if r := turn.Call(t.Context(), "write_file", json.RawMessage(same)); r.IsError || len(j.asked) > 0 {
		t.Errorf("a write that changes nothing: %q, asked %+v", r.Text, j.asked)
	}
}

// TestGateHoldsWhatWasShown changes the vault while the user is asked: the approved plan is no longer valid, so
// nothing changes.
func TestGateHoldsWhatWasShown(t *testing.T) {
	write := func(name, text string) func(string) error {
		return func(dir string) error {
			name := filepath.Join(dir, filepath.FromSlash(name))
			return errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644))
		}
	}
	remove := func(name string) func(string) error {
		return func(dir string) error { return os.RemoveAll(filepath.Join(dir, filepath.FromSlash(name))) }
	}
	for _, c := range []struct {
		tool, args string
		meanwhile  func(dir string) error
	}{
		{"write_file", `{"path":"b.md","content":"mine"}`, write("b.md", "theirs")},
		{"write_file", `{"path":"b.md","content":"mine"}`, write("B.MD", "theirs")},
		{"write_file", `{"path":"b/c.md","content":"mine"}`, write("b", "a file")},
		{"write_file", `{"path":"Notes/a.md","content":"mine"}`, write("Notes/a.md", "theirs")},
		{"write_file", `{"path":"Notes/a.md","content":"mine"}`, remove("Notes/a.md")},
		{"edit_file", `{"path":"Notes/a.md","old_text":"two","new_text":"2"}`, write("Notes/a.md", "two\n")},
		{"edit_file", `{"path":"Notes/a.md","old_text":"two","new_text":"2"}`, remove("Notes")},
		{"delete_file", `{"path":"Notes/a.md"}`, write("Notes/a.md", "much more\n")},
		{"delete_file", `{"path":"P","recursive":true}`, write("P/sub/deep/new.md", "precious")},
		{"delete_file", `{"path":"P","recursive":true}`, write("P/.new", "hidden")},
		{"delete_file", `{"path":"P","recursive":true}`, remove("P/sub")},
		{"delete_file", `{"path":"P","recursive":true}`, remove("P")},
		{"move_file", `{"source":"Notes/a.md","destination":"b.md"}`, write("Notes/a.md", "other")},
		{"move_file", `{"source":"Notes/a.md","destination":"b.md"}`, write("b.md", "theirs")},
		{"move_file", `{"source":"P","destination":"Old/P"}`, write("P/new.md", "more")},
		{"create_folder", `{"path":"Q"}`, write("Q", "a file")},
		{"append_file", `{"path":"Notes/a.md","content":"five"}`, write("Notes/a.md", "theirs\n")},
		{"append_file", `{"path":"new.md","content":"five","create":true}`, write("new.md", "theirs\n")},
		{"set_property", `{"path":"Notes/a.md","key":"k","value":"v"}`, write("Notes/a.md", "theirs\n")},
		{"daily_note", `{"action":"append","content":"x"}`, write(time.Now().Format("2006-01-02")+".md", "theirs\n")},
		{"move_file", `{"source":"Notes/empty.md","destination":"Q/empty.md"}`, write("Links/1.md", "- [[Notes/empty]] and [[Notes/empty|again]]\n")}, // one more link
		{"move_file", `{"source":"Notes/empty.md","destination":"Q/empty.md"}`, write("Links/1.md", "nothing any more\n")},
		{"move_file", `{"source":"Notes/empty.md","destination":"Q/empty.md"}`, write("Links/2.md", "[[Notes/empty]]\n")},
		{"move_file", `{"source":"Notes/empty.md","destination":"Q/empty.md"}`, remove("Links/1.md")},
	} {
		var j judge
		turn, dir := judged(t, &j)
		var after string
		j.decide = func(Proposal) error {
			err := c.meanwhile(dir)
			after = snapshot(t, dir)
			return err
		}
		r := turn.Call(t.Context(), c.tool, json.RawMessage(c.args))
		if len(j.asked) != 1 || !r.IsError || len(turn.Changes()) > 0 {
			t.Errorf("%s %s: asked %d times, %+v", c.tool, c.args, len(j.asked), r)
		}
		if snapshot(t, dir) != after {
			t.Errorf("%s %s: something happened all the same: %s", c.tool, c.args, r.Text)
		}
	}
}

// TestGateTooLarge overwrites a file that is too large to be shown.
func TestGateTooLarge(t *testing.T) {
	var j judge
	turn, dir := judged(t, &j)
	name := filepath.Join(dir, "big.md")
	if err := os.WriteFile(name, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(name, vault.MaxRead+1); err != nil { // a sparse file
		t.Fatal(err)
	}
	runSteps(t, turn, []step{{tool: "write_file", args: `{"path":"big.md","content":"small"}`, want: `Overwrote file "big.md" (5 bytes).`}})
	if len(j.asked) != 1 || !j.asked[0].Destructive || j.asked[0].Detail != "a file too large to show (64.0 MB) becomes 5 bytes of text" {
		t.Errorf("%+v", j.asked)
	}
}

// TestGateSaysWhatIsNotShown checks that the detail says so if a change is too long for a diff.
func TestGateSaysWhatIsNotShown(t *testing.T) {
	var j judge
	turn, _ := judged(t, &j)
	text, err := json.Marshal(strings.Repeat("a line\n\n", textedit.MaxShown/4))
	if err != nil {
		t.Fatal(err)
	}
	turn.Call(t.Context(), "write_file", json.RawMessage(`{"path":"long.md","content":`+string(text)+`}`))
	if len(j.asked) != 1 || !strings.HasSuffix(j.asked[0].Detail, "; too long to be shown whole") {
		t.Errorf("%+v", j.asked)
	}
}

// TestNoGate checks that a messenger that does not require consent is not asked.
func TestNoGate(t *testing.T) {
	v, dir := newVault(t, noteFiles)
	runSteps(t, NewRegistry(v, Options{}).Turn(&said{}), []step{{tool: "delete_file", args: `{"path":"Notes/a.md"}`, want: "Deleted 'Notes/a.md' to trash."}})
	if _, err := os.Stat(filepath.Join(dir, "Notes/a.md")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
