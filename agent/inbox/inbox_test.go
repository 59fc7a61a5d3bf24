package inbox

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
	"chatvault/internal/base/statefile/statetest"
)

func entry(id string, minute int) Entry {
	when := time.Date(2026, 3, 2, 12, minute, 0, 0, time.UTC)
	return Entry{Inbound: event.Inbound{ID: id, Text: "text of " + id, Source: event.SourceDirect, Time: when}, Owner: "1-dead"}
}

func saveAll(t *testing.T, b *Box, entries ...Entry) {
	t.Helper()
	for _, e := range entries {
		if err := b.Save(e); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDamagedInboxEntry cuts an entry at every byte and flips its bytes: the others load, invalid ones are set aside
// and reported, and nothing is overwritten.
func TestDamagedInboxEntry(t *testing.T) {
	root := statetest.Root(t)
	b := Open(root)
	saveAll(t, b, entry("good", 1), entry("hurt", 2))
	path := filepath.Join(root.Name(), File("hurt"))
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
		if err != nil || !slices.ContainsFunc(entries, func(e Entry) bool { return e.ID == "good" }) || len(entries)+len(warnings) != 2 {
			t.Fatalf("%s: %d entries, %q, %v", what, len(entries), warnings, err)
		}
		if len(warnings) == 0 {
			return
		}
		if strings.Contains(warnings[0], "left as it is") { // the version is a newer one
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

// TestTornUpdate cuts the file of an updated entry at every byte after the message, and fills its end with zeros, as a
// power failure may: the message loads, with a state that it had, and can be updated again.
func TestTornUpdate(t *testing.T) {
	root := statetest.Root(t)
	b := Open(root)
	e := entry("torn", 1)
	saveAll(t, b, e)
	path := filepath.Join(root.Name(), File(e.ID))
	first, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for e.Attempts = 1; e.Attempts <= 2; e.Attempts++ {
		if err := b.Update(e, e.Attempts == 2); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(path)
	if err != nil || !bytes.HasPrefix(data, first) || bytes.Count(data, []byte(e.Text)) != 1 {
		t.Fatalf("%s, %v", data, err)
	}
	for cut := len(first); cut <= len(data); cut++ {
		for _, torn := range [][]byte{data[:cut], append(bytes.Clone(data[:cut]), make([]byte, len(data)-cut)...)} {
			if err := os.WriteFile(path, torn, 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := b.Load(e.ID)
			if want := bytes.Count(bytes.TrimSuffix(torn[:cut], []byte{'\n'}), []byte{'\n'}); err != nil || got.Text != e.Text || got.Attempts > want || got.Attempts < want-1 {
				t.Fatalf("cut at %d: %+v, %v", cut, got, err)
			}
			got.Attempts = 7
			if err := b.Update(got, true); err != nil {
				t.Fatal(err)
			}
			if again, err := b.Load(e.ID); err != nil || again.Attempts != 7 || again.Text != e.Text {
				t.Fatalf("cut at %d and updated: %+v, %v", cut, again, err)
			}
		}
	}
}

// TestUnreadableEntryStays: an entry is not set aside because of a temporary disk error or a newer version.
func TestUnreadableEntryStays(t *testing.T) {
	root := statetest.Root(t)
	b := Open(root)
	saveAll(t, b, entry("later", 1))
	path := File("later")
	later := []byte(`{"id":"later","text":["another","shape"],"schema":2}`)
	if err := root.WriteFile(path, later, 0o600); err != nil {
		t.Fatal(err)
	}
	entries, warnings, err := b.List()
	if err != nil || len(entries) != 0 || len(warnings) != 1 || !strings.Contains(warnings[0], "later version") {
		t.Errorf("%v, %q, %v", entries, warnings, err)
	}
	if err := b.Drop("later"); err == nil {
		t.Error("dropped although it could not be read")
	}
	if data, err := root.ReadFile(path); err != nil || !bytes.Equal(data, later) {
		t.Errorf("left: %q, %v", data, err)
	}
}

func TestIDsCannotEscapeFolder(t *testing.T) {
	b := Open(statetest.Root(t))
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

func TestOrder(t *testing.T) {
	b := Open(statetest.Root(t))
	saveAll(t, b, entry("c", 2), entry("a", 1), entry("b", 1), entry("d", 0))
	entries, _, err := b.List()
	var ids string
	for _, e := range entries {
		ids += e.ID
	}
	if err != nil || ids != "dabc" {
		t.Errorf("%q, %v", ids, err)
	}
}

// TestEntryClaimedOnce: if several processes start at once, one of them gets the message.
func TestEntryClaimedOnce(t *testing.T) {
	root := statetest.Root(t)
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
		saveAll(t, Open(root), entry(id, i))
		var taken atomic.Int32
		var wg sync.WaitGroup
		for _, o := range owners {
			wg.Go(func() {
				if _, err := For(root, o.Name).Claim(id); err == nil {
					taken.Add(1)
				} else if !strings.Contains(err.Error(), "belongs to another chatvault that is running") {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if n := taken.Load(); n != 1 {
			t.Fatalf("%s was claimed %d times", id, n)
		}
		if err := Open(root).Drop(id); err == nil {
			t.Errorf("%s was removed while claimed", id)
		}
	}
}
