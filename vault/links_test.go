package vault

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"chatvault/internal/base/atomicfile"
	"chatvault/vault/journal"
	"chatvault/vault/vaulterr"
	"chatvault/vault/walk"
)

// linked is a vault in which most files link to Hub.md.
var linked = map[string]string{
	"Hub.md":                 "# Hub\n[[A]] ![[pic.png]] [b](Notes/B%20b.md)\n",
	"A.md":                   "---\nup: \"[[Hub]]\"\n---\n[[Hub#Part|the hub]] and [hub](Hub.md#Part), not `[[Hub]]`\n",
	"Notes/B b.md":           "\xef\xbb\xbf[[Hub]]\r\n![[Hub#^b1]]\r\n[x](../Hub.md)\r\n",
	"Notes/Deep/C.md":        "[hub]: <../../Hub.md> 'title'\n",
	"Board.canvas":           "{\"nodes\":[\n{\"type\":\"file\",\"file\":\"Hub.md\",\"subpath\":\"#Part\"},\n{\"type\":\"text\",\"text\":\"[[Hub]]\\n\"}]}",
	"Unrelated.md":           "[[A]] [[Nowhere]] [[Hubris]]\n",
	"pic.png":                "\x89PNG [[Hub]]",
	"Notes/list.txt":         "[[Hub]]",
	".obsidian/app.json":     "{}",
	".obsidian/Hub links.md": "[[Hub]]",
	".hidden.md":             "[[Hub]]",
}

func TestMoveUpdatesLinks(t *testing.T) {
	v := newTest(t, linked)
	mustTest(t, os.Chmod(filepath.Join(v.dir, "A.md"), 0o640))
	link(t, v, "A.md", "Link.md")
	before := snapshot(v.dir)
	c, err := v.Move(t.Context(), "hub.md", "New place/The hub.md")
	mustTest(t, err)
	want := map[string]string{
		"A.md":                 "---\nup: \"[[The hub]]\"\n---\n[[The hub#Part|the hub]] and [hub](The%20hub.md#Part), not `[[Hub]]`\n",
		"Notes/B b.md":         "\xef\xbb\xbf[[The hub]]\r\n![[The hub#^b1]]\r\n[x](../New%20place/The%20hub.md)\r\n",
		"Notes/Deep/C.md":      "[hub]: <../../New place/The hub.md> 'title'\n",
		"Board.canvas":         "{\"nodes\":[\n{\"type\":\"file\",\"file\":\"New place/The hub.md\",\"subpath\":\"#Part\"},\n{\"type\":\"text\",\"text\":\"[[The hub]]\\n\"}]}",
		"New place/The hub.md": linked["Hub.md"], // its own links keep their targets
	}
	for name, text := range want {
		if got := readFromDisk(t, v, name); got != text {
			t.Errorf("%s is\n%q, want\n%q", name, got, text)
		}
	}
	var rewrites []string
	for _, r := range c.Rewrites {
		rewrites = append(rewrites, fmt.Sprint(r.Path, " ", r.Links))
		if r.NewPath != r.Path || string(r.After) != want[r.Path] || string(r.Before) != linked[r.Path] {
			t.Errorf("%+v", r)
		}
	}
	if want := []string{"A.md 3", "Board.canvas 2", "Notes/B b.md 3", "Notes/Deep/C.md 1"}; !slices.Equal(rewrites, want) {
		t.Errorf("rewrites %q, want %q", rewrites, want)
	}
	if c.Note != "" {
		t.Errorf("%+v", c)
	}
	if info, err := os.Stat(filepath.Join(v.dir, "A.md")); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the mode is %v", info.Mode())
	}
	noTemps(t, v)
	// Undo restores every byte.
	if _, err := v.Move(t.Context(), "New place/The hub.md", "Hub.md"); err != nil {
		t.Fatal(err)
	}
	mustTest(t, os.Remove(filepath.Join(v.dir, "New place")))
	if d := differences(snapshot(v.dir), before); len(d) > 0 {
		t.Errorf("after moving back: %s", strings.Join(d, "\n"))
	}
}

// noTemps fails if a temporary file is left.
func noTemps(t testing.TB, v *Vault) {
	t.Helper()
	err := filepath.WalkDir(v.dir, func(name string, e fs.DirEntry, err error) error {
		if err == nil && atomicfile.IsTemp(e.Name()) {
			t.Errorf("%s is left", name)
		}
		return err
	})
	mustTest(t, err)
}

func TestMoveFolderUpdatesLinks(t *testing.T) {
	v := newTest(t, map[string]string{
		"P/a.md": "[[b]] [[P/b]] [t](./b.md) [t](../n.md) [[n]]", "P/b.md": "x", "P/.secret.md": "[[P/a]]", "P/Q/c.md": "[t](../a.md) ![[P/pic.png]]", "P/pic.png": "",
		"n.md": "[[a]] [[P/a]] [t](P/b.md) [t](P/Q/c.md)", "R/": "",
	})
	c, err := v.Move(t.Context(), "P", "R/S")
	mustTest(t, err)
	for name, want := range map[string]string{
		"R/S/a.md":       "[[b]] [[R/S/b]] [t](./b.md) [t](../../n.md) [[n]]",
		"R/S/Q/c.md":     "[t](../a.md) ![[R/S/pic.png]]",
		"R/S/.secret.md": "[[P/a]]",
		"n.md":           "[[a]] [[R/S/a]] [t](R/S/b.md) [t](R/S/Q/c.md)",
	} {
		if got := readFromDisk(t, v, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if len(c.Rewrites) != 3 || c.Rewrites[0].NewPath != "R/S/Q/c.md" || c.Rewrites[1].NewPath != "R/S/a.md" || c.Rewrites[1].Links != 2 {
		t.Errorf("%+v", c.Rewrites)
	}
	noTemps(t, v)
}

func TestMoveLinkUpdateSetting(t *testing.T) {
	for _, set := range []string{`{}`, `{"alwaysUpdateLinks":true}`, `{"alwaysUpdateLinks":false}`, `not JSON`} {
		v := newTest(t, map[string]string{"x/a.md": "", "n.md": "[[a]]", ".obsidian/app.json": set})
		_, err := v.Move(t.Context(), "x/a.md", "x/b.md")
		mustTest(t, err)
		if got := readFromDisk(t, v, "n.md"); got != "[[b]]" {
			t.Errorf("%s: %q", set, got)
		}
	}
	for format, want := range map[string]string{"shortest": "[[x/a]]", "relative": "[[../x/a]]", "absolute": "[[x/a]]"} {
		v := newTest(t, map[string]string{"x/a.md": "", "b.md": "", "y/n.md": "[[a]]", ".obsidian/app.json": `{"newLinkFormat":"` + format + `"}`})
		_, err := v.Move(t.Context(), "b.md", "a.md") // makes the name ambiguous
		mustTest(t, err)
		if got := readFromDisk(t, v, "y/n.md"); got != want {
			t.Errorf("%s: %q, want %q", format, got, want)
		}
	}
}

// TestMoveLeavesLinks: links that cannot be rewritten stay unchanged and are reported.
func TestMoveLeavesLinks(t *testing.T) {
	v := newTest(t, map[string]string{
		"a.md": "", "fixed.md": "[[a]]", "secret/n.md": "[[a]]", "prop.md": "---\nx: \"[[a|y]]\"\n---\n",
	})
	mustTest(t, os.Chmod(filepath.Join(v.dir, "fixed.md"), 0o444))
	f, err := os.Create(filepath.Join(v.dir, "long.md"))
	mustTest(t, err)
	mustTest(t, f.Truncate(walk.MaxText+1))
	mustTest(t, f.Close())
	mustTest(t, v.SetPrivate([]string{"/secret"}))
	c, err := v.Move(t.Context(), "a.md", "a [x]]y.md")
	mustTest(t, err)
	if readFromDisk(t, v, "fixed.md") != "[[a]]" || readFromDisk(t, v, "secret/n.md") != "[[a]]" || readFromDisk(t, v, "prop.md") != "---\nx: \"[[a|y]]\"\n---\n" {
		t.Error("a link that must stay unchanged was changed")
	}
	want := `1 link could not be updated to the new name, so that nothing or another file is found there: "prop.md, line 2". A path without # | [ ] and : would work. ` +
		`Links in read-only files were left unchanged: "fixed.md". ` +
		`Not checked for links, because unreadable or too long: "long.md".`
	if c.Note != want || len(c.Rewrites) != 0 {
		t.Errorf("%q, %+v", c.Note, c.Rewrites)
	}
}

// TestMoveIsAtomic fails each step of a move once: the move happens completely or not at all.
func TestMoveIsAtomic(t *testing.T) {
	for _, to := range []string{"New/The hub.md", "HUB.md"} {
		whole := journalTest(t, linked)
		steps := runFaulty(t, whole, to, 0)
		for failing := 1; failing <= steps; failing++ {
			v := journalTest(t, linked)
			before := snapshot(v.dir)
			runFaulty(t, v, to, failing)
			checkOldOrNew(t, failing, v, before, snapshot(whole.dir))
		}
		if steps < 10 {
			t.Errorf("a move had only %d steps", steps)
		}
	}
}

// TestMoveManyIsAtomic does the same with many notes, which are written concurrently.
func TestMoveManyIsAtomic(t *testing.T) {
	const manyFiles = 32
	files := map[string]string{"Hub.md": "# Hub\n"}
	for i := range manyFiles + 3 {
		files[fmt.Sprintf("%d/%d.md", i%5, i)] = "[[Hub]]\n"
	}
	whole := journalTest(t, files)
	steps := runFaulty(t, whole, "New.md", 0)
	if steps < 4*manyFiles {
		t.Errorf("a move had only %d steps", steps)
	}
	for failing := 1; failing <= steps; failing += 1 + steps/8 {
		v := journalTest(t, files)
		before := snapshot(v.dir)
		runFaulty(t, v, "New.md", failing)
		checkOldOrNew(t, failing, v, before, snapshot(whole.dir))
	}
}

// checkOldOrNew checks that a vault is in its old state or, if only the last sync failed, in its new one, and that the
// journal agrees.
func checkOldOrNew(t *testing.T, failing int, v *Vault, old, done map[string]string) {
	t.Helper()
	want := old
	if lastChange(t, v).State == journal.Done {
		want = done
	}
	if d := differences(snapshot(v.dir), want); len(d) > 0 {
		t.Errorf("step %d failed: %s", failing, strings.Join(d, "\n"))
	}
	noTemps(t, v)
}

// runFaulty moves the hub while the nth step fails (none if 0) and returns the number of steps.
func runFaulty(t *testing.T, v *Vault, to string, nth int) int {
	t.Helper()
	fire := errors.New("the disk is on fire")
	var steps atomic.Int64
	v.files.Fault = func(atomicfile.Step, string) error {
		if int(steps.Add(1)) == nth {
			return fire
		}
		return nil
	}
	_, err := v.Move(t.Context(), "Hub.md", to)
	if nth == 0 {
		mustTest(t, err)
	} else if !errors.Is(err, fire) {
		t.Errorf("step %d failed, but the error is %v", nth, err)
	}
	return int(steps.Load())
}

// journalTest returns a vault with a journal.
func journalTest(t *testing.T, files map[string]string) *Vault {
	t.Helper()
	v := newTest(t, files)
	keepJournal(t, v)
	return v
}

// moveWith moves Hub.md to New.md and calls a function right before.
func moveWith(t *testing.T, v *Vault, meddle func()) error {
	t.Helper()
	_, err := v.Do(t.Context(), Request{Op: OpMove, Path: "Hub.md", NewPath: "New.md"}, func(Change, []byte) error { meddle(); return nil })
	return err
}

func TestMoveDuringWrites(t *testing.T) {
	for what, meddle := range map[string]func(dir string) (name, text string){
		"edits a note": func(string) (string, string) { return "Notes/B b.md", "theirs [[Hub]]" },
		"edits a note, so that size and times are as before": func(dir string) (string, string) {
			name := filepath.Join(dir, "Notes/B b.md")
			info, err := os.Stat(name)
			mustTest(t, err)
			mustTest(t, os.WriteFile(name, bytes.ToUpper([]byte(linked["Notes/B b.md"])), 0o644))
			mustTest(t, os.Chtimes(name, info.ModTime(), info.ModTime()))
			return "", ""
		},
		"takes the new name":  func(string) (string, string) { return "New.md", "theirs" },
		"deletes the old one": func(dir string) (string, string) { mustTest(t, os.Remove(filepath.Join(dir, "Hub.md"))); return "", "" },
	} {
		v := journalTest(t, linked)
		var want map[string]string
		err := moveWith(t, v, func() {
			if name, text := meddle(v.dir); text != "" {
				mustTest(t, os.WriteFile(filepath.Join(v.dir, name), []byte(text), 0o644))
			}
			want = snapshot(v.dir)
		})
		if err == nil || !errors.Is(err, vaulterr.KindChanged) && !errors.Is(err, vaulterr.KindExists) {
			t.Errorf("%s: %v", what, err)
		}
		if d := differences(snapshot(v.dir), want); len(d) > 0 {
			t.Errorf("%s: %s", what, strings.Join(d, "\n"))
		}
		noTemps(t, v)
	}
}

// TestMoveRollbackKeepsOtherChanges: syncing the folders fails after all notes have their new texts and another
// program has changed one: that one stays, and the others are restored with their times.
func TestMoveRollbackKeepsOtherChanges(t *testing.T) {
	v := journalTest(t, linked)
	long := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	mustTest(t, os.Chtimes(filepath.Join(v.dir, "A.md"), long, long))
	want := snapshot(v.dir)
	var once sync.Once
	v.files.Fault = func(step atomicfile.Step, _ string) (err error) {
		if step == atomicfile.StepSyncDir {
			once.Do(func() {
				err = errors.New("the disk is on fire")
				mustTest(t, os.WriteFile(filepath.Join(v.dir, "Notes/B b.md"), []byte("theirs"), 0o644))
			})
		}
		return err
	}
	_, err := v.Move(t.Context(), "Hub.md", "New.md")
	if err == nil || !strings.Contains(err.Error(), "on fire") {
		t.Error(err)
	}
	checkSentence(t, err)
	delete(want, "Notes/B b.md")
	got := snapshot(v.dir)
	if text := got["Notes/B b.md"]; !strings.HasSuffix(text, " theirs") {
		t.Errorf("another program's text was lost: %q", text)
	}
	delete(got, "Notes/B b.md")
	if d := differences(got, want); len(d) > 0 {
		t.Error(strings.Join(d, "\n"))
	}
	if info, err := os.Stat(filepath.Join(v.dir, "A.md")); err != nil || !info.ModTime().Equal(long) {
		t.Errorf("it was modified %v, %v", info.ModTime(), err)
	}
	noTemps(t, v)
}

// TestMoveFollowsNoSymlink: a folder with links to update is replaced by a symbolic link after the move has been
// planned.
func TestMoveFollowsNoSymlink(t *testing.T) {
	v := newTest(t, linked)
	elsewhere := t.TempDir()
	mustTest(t, os.WriteFile(filepath.Join(elsewhere, "B b.md"), []byte(linked["Notes/B b.md"]), 0o644))
	err := moveWith(t, v, func() {
		mustTest(t, os.Rename(filepath.Join(v.dir, "Notes"), filepath.Join(v.dir, "Other notes")))
		mustTest(t, os.Symlink(elsewhere, filepath.Join(v.dir, "Notes")))
	})
	if data, readErr := os.ReadFile(filepath.Join(elsewhere, "B b.md")); readErr != nil || string(data) != linked["Notes/B b.md"] {
		t.Errorf("%q, %v (%v)", data, readErr, err)
	}
	noTemps(t, v)
}
