//go:build unix

package vault

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"pgregory.net/rapid"

	"chatvault/vault/failure"
	"chatvault/vault/journal"
	"chatvault/vault/pathname"
)

// hostile is a vault whose journal somebody else wrote, who knows all that is in it but for what is in
// the trash, and where everything is.
type hostile struct {
	t       *rapid.T
	v       *Vault
	forger  *forger
	outside string
	paths   []string
	seen    []string // of these, those that tools could name
	prints  []string
	n       int // of turns
	refused int // records that break the rule
	before  int // of these, those that counted before there was one
	passed  int // records that do not break it
}

const privateText = "PRIVATE "

func newHostile(t *testing.T, rt *rapid.T, memory string) *hostile {
	top, err := os.MkdirTemp(memory, "hostile")
	must(err)
	h := &hostile{t: rt, outside: filepath.Join(top, "outside")}
	dir := filepath.Join(top, "vault")
	must(os.MkdirAll(h.outside, 0o755))
	must(os.WriteFile(filepath.Join(h.outside, "o.md"), []byte("outside"), 0o644))
	texts := map[string]string{
		"a.md": "a", "b.md": "b [[a]]", "l.md": "[[a]] [x](F/b.md)", "F/b.md": "fb", "F/sub/c.md": "c", "Box/note.md": "n", "Box/.x": "bx",
		".git/config": "git", ".git/hooks/README": "", ".obsidian/app.json": `{"trashOption":"local"}`, "F/.hidden": "h", "F/.git/config": "fgit", "F/.git/hooks/README": "r",
		"Diary/x.md": privateText + "x", "F/pay.md": privateText + "pay", "run.sh": "#!/bin/sh", ".smarthole/config.toml": "x = 1",
		".trash/T/n.md": "tn", ".trash/T/.git/hooks/pre-commit": hookText, ".trash/T/.x": "tx", ".trash/old.md": privateText + "old",
	}
	for name, text := range texts {
		must(os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755))
		must(os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	for _, name := range []string{"run.sh", ".trash/T/.git/hooks/pre-commit"} {
		must(os.Chmod(filepath.Join(dir, name), 0o755))
	}
	must(os.Mkdir(filepath.Join(dir, "empty"), 0o700))
	for name, target := range map[string]string{"out": h.outside, "F/out.md": "../../outside/o.md", "in.md": "a.md"} {
		must(os.Symlink(target, filepath.Join(dir, name)))
	}
	h.v, err = Open(dir)
	must(err)
	t.Cleanup(func() { _ = h.v.Close() })
	must(h.v.SetPrivate([]string{"/Diary/", "pay.md"}))
	keepJournal(t, h.v)
	h.forger = newForger(t, h.v)
	h.prints = []string{"", "link to a.md", "link to " + h.outside, "link to ../../outside/o.md", "3 bytes of 17", "80000000 bytes of 1790000000000000000", strings.Repeat("0", 64), "zz"}
	for _, text := range slices.Sorted(maps.Values(texts)) {
		switch {
		case text == texts[".trash/old.md"]:
		case strings.HasPrefix(text, privateText):
			h.prints = append(h.prints, journal.Print([]byte(text)))
		default:
			h.prints = append(h.prints, h.forger.object(text))
		}
	}
	h.paths = append(slices.Sorted(maps.Keys(texts)),
		"", ".", "F", "F/sub", "G", "N", "N/.x", "N/.x/y", "N/new.md", "N/.git/hooks/pre-commit", "T", "T/n.md", "T/.git/hooks/pre-commit", "T/.x", "new.md", "empty", "Box", "Box/.y",
		".git", ".git/hooks/pre-commit", ".git/hooks", "F/.git", "F/.git/hooks/pre-commit", "F/.envrc", "../outside/o.md", h.outside+"/o.md", "/etc/passwd", "F/../.git/hooks/pre-commit",
		"out/o.md", "out/new.md", "F/out.md", "in.md", "Diary", "DIARY/x.md", "diary./x.md", "Diary/new.md", "F/new.md", ".smarthole/prompts/system.tmpl", ".trash/old.md", "\u200b.git/config", "GIT~1/config")
	h.seen = slices.DeleteFunc(slices.Clone(h.paths), func(at string) bool { return !walkedPath(at) || h.v.Private(at) })
	return h
}

func (h *hostile) path(label string) string {
	if !h.odds(4, label+" at all") {
		return rapid.SampledFrom(h.seen).Draw(h.t, label)
	}
	return rapid.SampledFrom(h.paths).Draw(h.t, label)
}

func (h *hostile) print() string { return rapid.SampledFrom(h.prints).Draw(h.t, "print") }
func (h *hostile) odds(n int, label string) bool {
	return rapid.IntRange(0, n-1).Draw(h.t, label) == n-1
}

func (h *hostile) mode() uint32 {
	modes := []uint32{0, 0o644, 0o600, 0o755, 0o777, 0o666}
	if h.odds(20, "a mode that is none") {
		modes = []uint32{0o4755, 1 << 23, 0o1777}
	}
	return rapid.SampledFrom(modes).Draw(h.t, "mode")
}

func (h *hostile) file(at string) journal.File {
	return journal.File{Path: at, Before: h.print(), After: h.print(), Mode: h.mode(), Size: 1, NewSize: 1, Kept: h.odds(2, "kept"), Links: rapid.IntRange(0, 2).Draw(h.t, "links")}
}

// near is a path at, in, or above another one.
func (h *hostile) near(at string) string {
	switch rapid.IntRange(0, 4).Draw(h.t, "near") {
	case 0:
		return at
	case 1:
		if dir := path.Dir(at); dir != "." {
			return dir
		}
		return at
	case 2, 3:
		in := slices.DeleteFunc(slices.Clone(h.paths), func(in string) bool { return !pathname.In(in, at) })
		if len(in) > 0 {
			return rapid.SampledFrom(in).Draw(h.t, "in")
		}
		return path.Join(at, "x.md")
	}
	if h.odds(4, "beside") {
		return h.path("anywhere")
	}
	return at
}

// change is one that may be well formed: of its fields those that such an operation has, and now and
// then any other.
func (h *hostile) change() journal.Change {
	op := rapid.SampledFrom([]string{"create", "overwrite", "move", "delete", "mkdir", "remove", "restore", "rmdir", "none", "", "chmod"}).Draw(h.t, "op")
	c := journal.Change{Op: op, Path: h.path("path"), Folder: h.odds(2, "folder")}
	rule := recordRules[op]
	wants := func(field recordFields, label string) bool {
		return rule.fields&field != 0 && h.odds(2, label) || h.odds(30, "stray "+label)
	}
	if c.Folder && rule.fields&withFolder == 0 && !h.odds(20, "stray folder") {
		c.Folder = false
	}
	if op == "move" || wants(withNewPath, "new path") {
		c.NewPath = h.path("new path")
		if op == "delete" {
			c.NewPath = rapid.SampledFrom([]string{".trash/" + path.Base(c.Path), ".trash/T", ".trash/old.md", ".smarthole/journal", "../outside/o.md", h.outside}).Draw(h.t, "trash")
		}
	}
	if rule.undoes == always && !h.odds(20, "nothing undone") || rule.undoes == either && h.odds(2, "undoes") {
		c.Undoes = &journal.Undoes{Seq: rapid.IntRange(0, 3).Draw(h.t, "undoes")}
	}
	if wants(withFrom, "from") {
		c.From = "trash"
	}
	if wants(withMore, "more") {
		c.More, c.Print = rapid.SampledFrom([]int{1, 1 << 40, -1}).Draw(h.t, "more"), h.print()
	}
	if wants(withFolders, "folders") {
		c.Folders = []string{h.near(c.Path)}
		if op == "move" {
			c.Folders[0] = path.Dir(c.NewPath)
		} else if op != "restore" {
			c.Folders[0] = path.Dir(c.Path)
		}
	}
	if wants(withGone, "gone") {
		c.Gone = []journal.Folder{{Path: h.near(c.Path), Mode: h.mode()}}
	}
	if wants(withTree, "tree") && c.Folder {
		c.Tree = []journal.Folder{{Path: c.Path, Mode: h.mode()}}
		if in := h.near(c.Path); in != c.Path {
			c.Tree = append(c.Tree, journal.Folder{Path: in, Mode: h.mode()})
		}
	}
	if rule.fields&withFiles != 0 || h.odds(20, "stray files") {
		h.files(&c)
	}
	return c
}

func (h *hostile) files(c *journal.Change) {
	paths := []string{c.Path}
	switch c.Op {
	case "create":
	case "overwrite", "move":
		for c.Undoes != nil && h.odds(2, "one more") && len(paths) < 3 {
			paths = append(paths, h.path("also"))
		}
	default:
		if c.Folder {
			paths = nil
			for range rapid.IntRange(0, 4).Draw(h.t, "files") {
				paths = append(paths, h.near(c.Path))
			}
			paths = slices.DeleteFunc(paths, func(at string) bool { return at == c.Path })
		}
	}
	for i, at := range paths {
		f := h.file(at)
		switch c.Op { // as such a change has them
		case "create", "restore":
			f.Before = ""
		case "delete", "remove":
			f.After = ""
		}
		if c.Op == "move" && at == c.Path {
			f.NewPath = c.NewPath
		} else if c.Op == "move" && c.Folder && pathname.In(at, c.Path) {
			f.NewPath = c.NewPath + strings.TrimPrefix(at, c.Path)
		}
		if data, err := os.ReadFile(filepath.Join(h.v.dir, at)); err == nil && !h.odds(3, "not as it is there") {
			switch print := journal.Print(data); c.Op {
			case "create", "restore", "overwrite", "move":
				f.After = print
			default:
				f.Before = print
			}
		}
		if i == 0 && c.Op == "move" && h.odds(2, "it stays as it is") {
			f.Before = f.After
		}
		if h.odds(20, "of the wrong kind") {
			f = h.file(at)
		}
		c.Files = append(c.Files, f)
	}
}

// forge writes a journal.
func (h *hostile) forge() {
	count := func(c *journal.Change) {
		switch {
		case RecordFault(c) == "":
			h.passed++
		case oldTrusted(c):
			h.before++
			fallthrough
		default:
			h.refused++
		}
	}
	for range rapid.IntRange(0, 4).Draw(h.t, "turns") {
		h.n++
		o := Origin{Turn: fmt.Sprintf("turn-%d", h.n), Source: rapid.SampledFrom([]string{"chat", "tool", "undo", "redo"}).Draw(h.t, "source"), Undoes: fmt.Sprintf("turn-%d", rapid.IntRange(1, 5).Draw(h.t, "of"))}
		var changes []journal.Change
		for range rapid.IntRange(1, 3).Draw(h.t, "changes") {
			c := h.change()
			c.State = rapid.SampledFrom([]journal.State{journal.Done, journal.Done, journal.Done, journal.Unclear, journal.Planned, journal.Failed}).Draw(h.t, "state")
			c.Time = rapid.SampledFrom([]time.Time{time.Now(), time.Unix(0, 0), time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)}).Draw(h.t, "time")
			c.Seq = len(changes) + 1
			count(&c)
			changes = append(changes, c)
		}
		h.forger.turn(o, changes...)
	}
	if !h.odds(4, "nothing pending") {
		h.n++
		c := h.change()
		c.Seq, c.Time = rapid.SampledFrom([]int{1, 2, 1 << 60}).Draw(h.t, "seq"), time.Now()
		count(&c)
		h.forger.pending(Origin{Turn: fmt.Sprintf("turn-%d", h.n), Source: "chat"}, c)
	}
}

// thing is what is at a path.
type thing struct {
	inode uint64
	mode  fs.FileMode
	text  string // of a file, and where a link leads
}

// things are all that is in a folder, but for the journal.
func things(dir string) map[string]thing {
	all := map[string]thing{}
	must(filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		must(err)
		at, _ := filepath.Rel(dir, name)
		if at == filepath.Join(".smarthole", "journal") {
			return fs.SkipDir
		}
		info, err := e.Info()
		must(err)
		g := thing{inode: info.Sys().(*syscall.Stat_t).Ino, mode: info.Mode()}
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			g.text, _ = os.Readlink(name)
		case info.Mode().IsRegular():
			text, err := os.ReadFile(name)
			must(err)
			g.text = string(text)
		}
		all[at] = g
		return nil
	}))
	return all
}

// hiddenPart is a path from its first hidden component on; "": it has none. folder is what that is in.
func hiddenPart(at string) (folder, hidden string) {
	inner := innerOf(at)
	if inner == at && (at == "." || walkedPath(at)) {
		return "", ""
	}
	return path.Dir(inner), strings.TrimPrefix(at, strings.TrimPrefix(path.Dir(inner)+"/", "./"))
}

// harm is what one step did that no tool could have done.
func (h *hostile) harm(before, after map[string]thing) (harm []string) {
	say := func(format string, args ...any) { harm = append(harm, fmt.Sprintf(format, args...)) }
	were, are := map[uint64]string{}, map[uint64]string{}
	for at, g := range before {
		were[g.inode] = at
	}
	for at, g := range after {
		are[g.inode] = at
	}
	trashed := func(at string) bool { return strings.HasPrefix(at, ".trash") }
	for at, g := range before {
		now, there := after[at]
		folder, hidden := hiddenPart(at)
		switch {
		case h.v.Private(at):
			if !there || now != g {
				say("private %s was %+v, is %+v", at, g, now)
			}
		case trashed(at), hidden == "":
		case there && now == g:
		case folder == ".":
			say("hidden %s was %+v, is %+v", at, g, now)
		default: // it goes with its folder alone
			to, moved := are[g.inode]
			_, part := hiddenPart(strings.TrimPrefix(to, ".trash/"))
			_, stays := are[before[folder].inode]
			if moved && (part != hidden || after[to] != g) || !moved && (stays || pathname.OthersFolder(at)) {
				say("hidden %s was %+v, is %s, %+v", at, g, to, after[to])
			}
		}
	}
	for at, g := range after {
		was, old := before[at]
		from, moved := were[g.inode]
		folder, hidden := hiddenPart(at)
		switch {
		case trashed(at), old && was == g:
		case h.v.Private(at):
			say("private %s is new: %+v", at, g)
		case hidden != "":
			in, known := were[after[folder].inode]
			if moved && !trashed(from) && folder != "." {
				break // looked at above
			}
			if folder == "." || pathname.OthersFolder(at) || g.mode.IsRegular() && g.mode&0o113 != 0 && !moved || g.mode&fs.ModeSymlink != 0 && !moved && h.astray(at, g.text) || known && !trashed(in) {
				say("hidden %s is new: %+v", at, g)
			}
		case strings.Contains(g.text, privateText) && g.mode.IsRegular():
			say("%s holds what is private: %q", at, g.text)
		case moved && g.mode != before[from].mode && (!g.mode.IsDir() || g.mode&^before[from].mode != 0 || (g.mode^before[from].mode)&0o700 != 0):
			say("%s has other modes: %v, was %v", at, g.mode, before[from].mode)
		case moved:
		case g.mode&fs.ModeSymlink != 0:
			if h.astray(at, g.text) {
				say("%s leads to %s", at, g.text)
			}
		case g.mode.IsRegular() && g.mode != was.mode && g.mode&(0o113|fs.ModeSetuid|fs.ModeSetgid|fs.ModeSticky) != 0, g.mode.IsDir() && g.mode&0o002 != 0:
			say("%s is new, and has the mode %v", at, g.mode)
		}
	}
	slices.Sort(harm)
	return harm
}

// astray says whether a link leads out of the vault, or to what is private.
func (h *hostile) astray(at, target string) bool {
	to, err := linkTarget(target, path.Base(at), at, path.Dir(at))
	return err != nil || h.v.Private(to)
}

// step does one thing that an owner, or the agent, does, and looks at what came of it.
func (h *hostile) step(ctx context.Context) {
	before, outside := things(h.v.dir), things(h.outside)
	what := rapid.SampledFrom([]string{"recover", "recover", "undo", "undo one", "undo one", "redo", "history", "list"}).Draw(h.t, "what")
	switch what {
	case "recover":
		if err := h.v.Recover(ctx); err != nil {
			h.t.Errorf("the vault is not usable: %v", err)
		}
	case "undo":
		_, _ = h.v.Undo(ctx, "")
	case "undo one":
		_, _ = h.v.Undo(ctx, fmt.Sprintf("turn-%d", rapid.IntRange(1, max(h.n, 1)).Draw(h.t, "one")))
	case "redo":
		_, _ = h.v.Redo(ctx)
	case "history":
		_, changes, _ := h.v.NoteHistory(ctx, h.path("of"))
		for i := range changes {
			if v := h.v.ReadVersion(ctx, &changes[i]); strings.Contains(string(v.Before)+string(v.After), privateText) {
				h.t.Errorf("the history of %s tells of what is private", changes[i].Path)
			}
		}
	case "list":
		_, err := h.v.ChangedTurns(ctx, 0)
		must(err)
	}
	if d := h.harm(before, things(h.v.dir)); len(d) > 0 {
		h.t.Errorf("after %s:\n%s", what, strings.Join(d, "\n"))
	}
	if now := things(h.outside); !maps.Equal(now, outside) {
		h.t.Errorf("after %s: outside is %v", what, now)
	}
}

// TestForgedJournals: whatever a journal says, nothing comes of it but what a tool could have done: nothing
// hidden comes or goes but with its folder, nothing private is changed or shown, no mode is widened, and
// the vault can be changed afterwards.
func TestForgedJournals(t *testing.T) {
	memory := inMemory(t)
	refused, before, passed := 0, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		h := newHostile(t, rt, memory)
		defer func() { _ = os.RemoveAll(filepath.Dir(h.outside)) }()
		for range rapid.IntRange(1, 3).Draw(rt, "rounds") {
			h.forge()
			for range rapid.IntRange(1, 6).Draw(rt, "steps") {
				h.step(t.Context())
			}
		}
		if _, err := h.v.Write(t.Context(), "at the end.md", []byte("new"), ""); err != nil {
			rt.Errorf("the vault cannot be changed: %v", err)
		}
		refused, before, passed = refused+h.refused, before+h.before, passed+h.passed
	})
	t.Logf("%d records counted, %d did not, %d of which did once", passed, refused, before)
	if !testing.Short() && (refused < 50 || before < 10 || passed < 50) { // which tries a fifth
		t.Error("the generator finds too little")
	}
}

// oldTrusted is the rule that once let a hook through: the control of the tests here.
func oldTrusted(c *journal.Change) bool {
	inside := func(at string) bool {
		return walkedPath(at) || c.Folder && fs.ValidPath(at) && strings.HasPrefix(at, c.Path+"/")
	}
	if c.Op != "none" && !walkedPath(c.Path) || c.Op == "move" && !walkedPath(c.NewPath) {
		return false
	}
	for _, f := range slices.Concat(c.Gone, c.Tree) {
		if !inside(f.Path) {
			return false
		}
	}
	for i := range c.Files {
		if f := &c.Files[i]; !inside(f.Path) || f.NewPath != "" && !walkedPath(f.NewPath) {
			return false
		}
	}
	return !slices.ContainsFunc(c.Folders, func(at string) bool { return !inside(at) })
}

// TestForgedHookWasPlanted: the old rule let the hook through, and what it let through was written.
func TestForgedHookWasPlanted(t *testing.T) {
	c := journal.Change{Op: "none", Path: ".git", Folder: true, Files: []journal.File{
		{Path: ".git/hooks/pre-commit", Before: journal.Print([]byte(hookText)), Mode: 0o755},
		{Path: "a.md", Before: journal.Print([]byte("a")), After: strings.Repeat("0", 64)},
	}}
	if !oldTrusted(&c) {
		t.Error("the control does not hold: the old rule knew of it")
	}
	if RecordFault(&c) == "" {
		t.Error("it is let through")
	}
	v := keptTest(t, map[string]string{".git/hooks/README": ""})
	if err := v.ground().put(t.Context(), ".git/hooks/pre-commit", "", []byte(hookText), 0o755, time.Time{}); !errors.Is(err, failure.KindDenied) || exists(v, ".git/hooks/pre-commit") {
		t.Errorf("what is let through is written: %v", err)
	}
}
