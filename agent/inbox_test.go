package agent

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/lock"
	"chatvault/internal/atomicfile"
	"chatvault/internal/statefile"
)

func entry(id string, minute int) Pending {
	when := time.Date(2026, 3, 2, 12, minute, 0, 0, time.UTC)
	return Pending{Inbound: event.Inbound{ID: id, Text: "text of " + id, Source: event.SourceDirect, Time: when}, Owner: "1-dead"}
}

func saved(t *testing.T, b *Inbox, entries ...Pending) {
	t.Helper()
	for _, e := range entries {
		if err := b.Save(e); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDamagedInboxEntry cuts an entry at every byte and flips its bytes: the others load, what
// makes no sense is set aside and named, nothing is overwritten.
func TestDamagedInboxEntry(t *testing.T) {
	root := state(t)
	b := NewInbox(root)
	saved(t, b, entry("good", 1), entry("hurt", 2))
	path := filepath.Join(root.Name(), inboxFile("hurt"))
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, broken []byte) {
		t.Helper()
		if err := os.WriteFile(path, broken, 0o600); err != nil {
			t.Fatal(err)
		}
		entries, warnings, err := b.List()
		if err != nil || !slices.ContainsFunc(entries, func(e Pending) bool { return e.ID == "good" }) || len(entries)+len(warnings) != 2 {
			t.Fatalf("%s: %d entries, %q, %v", what, len(entries), warnings, err)
		}
		if len(warnings) == 0 {
			return
		}
		if strings.Contains(warnings[0], "left as it is") { // it claims to be of a later version
			return
		}
		aside, _ := filepath.Glob(path + ".corrupt-*")
		if len(aside) != 1 {
			t.Fatalf("%s: set aside %v, %q", what, aside, warnings)
		}
		if kept, _ := os.ReadFile(aside[0]); !bytes.Equal(kept, broken) {
			t.Fatalf("%s: set aside as %q", what, kept)
		}
		if err := os.Remove(aside[0]); err != nil {
			t.Fatal(err)
		}
	}
	for cut := range len(data) - 1 { // the last byte is a line feed
		check(fmt.Sprintf("cut at %d", cut), data[:cut])
	}
	random := rand.New(rand.NewPCG(1, 2))
	for i := range data {
		broken := bytes.Clone(data)
		broken[i] ^= byte(1 + random.IntN(255))
		check(fmt.Sprintf("byte %d flipped to %q", i, broken[i]), broken)
	}
}

// TestUnreadableEntryStays: a disk that fails for a moment, or a later version's entry, is no
// reason to move a message away.
func TestUnreadableEntryStays(t *testing.T) {
	root := state(t)
	b := NewInbox(root)
	saved(t, b, entry("later", 1))
	path := inboxFile("later")
	later := []byte(`{"id":"later","text":["another","shape"],"schema":2}`)
	if err := root.WriteFile(path, later, 0o600); err != nil {
		t.Fatal(err)
	}
	entries, warnings, err := b.List()
	if err != nil || len(entries) != 0 || len(warnings) != 1 || !strings.Contains(warnings[0], "later version") {
		t.Errorf("%v, %q, %v", entries, warnings, err)
	}
	if err := b.Drop("later"); err == nil {
		t.Error("dropped without knowing what it is")
	}
	if data, err := root.ReadFile(path); err != nil || !bytes.Equal(data, later) {
		t.Errorf("left: %q, %v", data, err)
	}
}

func TestMessageIDsNameNoOtherFile(t *testing.T) {
	b := NewInbox(state(t))
	for _, id := range []string{"", ".", "..", "../x", "a/b", `a\b`, "a b", "ä", ".hidden", "a\n", strings.Repeat("a", 101)} {
		e := entry(id, 0)
		if err := b.Save(e); err == nil {
			t.Errorf("%q was saved", id)
		}
		if _, err := b.Load(id); err == nil {
			t.Errorf("%q was loaded", id)
		}
		if err := b.Remove(id); err == nil {
			t.Errorf("%q was removed", id)
		}
	}
}

func TestInboxIsInOrder(t *testing.T) {
	b := NewInbox(state(t))
	saved(t, b, entry("c", 2), entry("a", 1), entry("b", 1), entry("d", 0))
	entries, _, err := b.List()
	var ids string
	for _, e := range entries {
		ids += e.ID
	}
	if err != nil || ids != "dabc" {
		t.Errorf("%q, %v", ids, err)
	}
}

// TestOneMessageIsTakenUpByOneProcess: of several that start at once, one gets it.
func TestOneMessageIsTakenUpByOneProcess(t *testing.T) {
	root := state(t)
	var owners []*lock.Owner
	for range 4 {
		o, err := lock.NewOwner(root)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = o.Close() }()
		owners = append(owners, o)
	}
	for i := range 20 {
		id := fmt.Sprint("m", i)
		saved(t, NewInbox(root), entry(id, i))
		var taken atomic.Int32
		var wg sync.WaitGroup
		for _, o := range owners {
			wg.Go(func() {
				if _, err := NewInbox(root).claim(id, o.Name); err == nil {
					taken.Add(1)
				} else if !strings.Contains(err.Error(), "belongs to another chatvault that is running") {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if n := taken.Load(); n != 1 {
			t.Fatalf("%s was taken %d times", id, n)
		}
		if err := NewInbox(root).Drop(id); err == nil {
			t.Errorf("%s was dropped under its owner", id)
		}
	}
}

// TestOwnersComeAndGo: many processes start, look for dead ones, and end; none is taken for
// dead while it lives, and none leaves a trace.
func TestOwnersComeAndGo(t *testing.T) {
	root := state(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				o, err := lock.NewOwner(root)
				if err != nil {
					t.Error(err)
					return
				}
				lock.Sweep(root)
				if !lock.Alive(root, o.Name) {
					t.Errorf("%s is taken for dead", o.Name)
				}
				if err := o.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	lock.Sweep(root)
	if left, _ := os.ReadDir(filepath.Join(root.Name(), lock.RunFolder)); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestLocksDoNotFollowLinks(t *testing.T) {
	for _, name := range []string{lock.TurnLockFile, lock.StateLockFile, lock.RunFolder} {
		root := state(t)
		outside := filepath.Join(memory(t), "target")
		if err := os.Symlink(outside, filepath.Join(root.Name(), name)); err != nil {
			t.Fatal(err)
		}
		if name == lock.RunFolder {
			if err := os.Mkdir(outside, 0o700); err != nil {
				t.Fatal(err)
			}
			if _, err := lock.NewOwner(root); err == nil {
				t.Error("run is a link and was used")
			}
			if files, _ := os.ReadDir(outside); len(files) > 0 {
				t.Errorf("written outside: %v", files)
			}
			continue
		}
		if _, err := statefile.NewLock(root, name); err == nil {
			t.Errorf("%s is a link and was used", name)
		}
		if _, err := os.Lstat(outside); err == nil {
			t.Errorf("%s made a file outside", name)
		}
	}
}

func TestNotesOfStoppedTurns(t *testing.T) {
	root := state(t)
	note := func(text string, changes ...string) {
		t.Helper()
		if err := changeNotes(root, func(n *notes) { n.add(stopped{Text: text, Changes: changes}) }); err != nil {
			t.Fatal(err)
		}
	}
	note("first", "edited a.md")
	note(strings.Repeat("long ", 20_000))
	n, err := loadNotes(root)
	got := n.stopSentences(stoppedRoom{maxStoppedText, maxStoppedTold}, nil)
	if err != nil || len(got) != 2 || got[0] != "The user stopped an earlier request (“first”). It had already done this: edited a.md." ||
		!strings.HasPrefix(got[1], "The user stopped the previous request (“long long") || !strings.Contains(got[1], "characters left out …]") || !strings.HasSuffix(got[1], "”). It had changed nothing.") {
		t.Errorf("%q, %v", got, err)
	}
	for i := range 8 {
		note(fmt.Sprint(i))
	}
	n, _ = loadNotes(root)
	if len(n.Stops) != maxStops || n.Stops[0].Text != "first" || n.Stops[4].Text != "7" {
		t.Errorf("kept %+v", n.Stops)
	}
	for i := range 8 {
		note(fmt.Sprint("change ", i), "x")
	}
	if n, _ = loadNotes(root); len(n.Stops) != maxStops || n.Stops[0].Text != "change 3" {
		t.Errorf("kept %+v", n.Stops)
	}

	// What makes no sense is set aside, and noting works on.
	if err := root.WriteFile(notesFile, []byte(`{"schema":`), 0o600); err != nil {
		t.Fatal(err)
	}
	note("after")
	if n, err := loadNotes(root); err != nil || len(n.Stops) != 1 {
		t.Errorf("%+v, %v", n, err)
	}
	if aside, _ := filepath.Glob(filepath.Join(root.Name(), notesFile+".corrupt-*")); len(aside) != 1 {
		t.Errorf("set aside: %v", aside)
	}
	if temps, _ := filepath.Glob(filepath.Join(root.Name(), atomicfile.TempPrefix+"*")); len(temps) > 0 {
		t.Errorf("left: %v", temps)
	}
}
