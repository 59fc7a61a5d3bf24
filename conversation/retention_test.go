package conversation

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"chatvault/internal/base/text"
)

// stored returns the files of the conversations' folder except the index.
func stored(t testing.TB, m *Manager) []string {
	t.Helper()
	files, err := os.ReadDir(filepath.Join(m.store.root.Name(), folder))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range files {
		if f.Name() != "index.json" {
			out = append(out, f.Name())
		}
	}
	return out
}

func TestDelete(t *testing.T) {
	m := NewManager(openRoot(t, memory(t)), Options{})
	order := ended(t, m, 3)
	other := restarted(t, m)
	if _, err := other.List(); err != nil {
		t.Fatal(err)
	}
	// The file set aside from it is deleted too.
	if err := os.WriteFile(filepath.Join(m.store.root.Name(), aside(order[0])), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := m.Delete(order[2]); err == nil || !strings.Contains(err.Error(), "has not ended") {
		t.Errorf("the active one was deleted: %v", err)
	}
	if err := m.Delete(order[0]); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{order[0], "20270101-000000-00000000"} {
		if err := m.Delete(id); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", id, err)
		}
	}
	if err := m.Delete("../index"); err == nil {
		t.Error("something else was deleted")
	}
	if got := stored(t, m); !slices.Equal(got, []string{order[1] + ".jsonl", order[2] + ".jsonl"}) {
		t.Errorf("left: %v", got)
	}
	for _, m := range []*Manager{m, other} {
		if list, err := m.List(); err != nil || names(list, order) != "1 2" {
			t.Errorf("listed %v, %v", list, err)
		}
	}
	if _, err := m.End(at(100), "new"); err != nil {
		t.Fatal(err)
	}
	if err := m.Delete(order[2]); err != nil {
		t.Errorf("deleted after it ended: %v", err)
	}
}

func TestClearAndRetain(t *testing.T) {
	m := NewManager(openRoot(t, memory(t)), Options{})
	if n, err := m.Clear(); n != 0 || err != nil {
		t.Errorf("nothing to clear: %d, %v", n, err)
	}
	order := ended(t, m, 6)
	for _, c := range []struct {
		max, removed int
		left         string
	}{{0, 0, "0 1 2 3 4 5"}, {-1, 0, "0 1 2 3 4 5"}, {9, 0, "0 1 2 3 4 5"}, {5, 0, "0 1 2 3 4 5"}, {3, 2, "2 3 4 5"}, {3, 0, "2 3 4 5"}, {1, 2, "4 5"}} {
		n, err := m.Retain(c.max)
		if list, listErr := restarted(t, m).List(); n != c.removed || err != nil || listErr != nil || names(list, order) != c.left {
			t.Errorf("Retain(%d): %d removed, left %s, %v %v", c.max, n, names(list, order), err, listErr)
		}
	}
	if n, err := m.Clear(); n != 1 || err != nil {
		t.Errorf("cleared %d, %v", n, err)
	}
	if got := ids(activeConversation(t, m)); got != "t5" {
		t.Errorf("active afterwards: %s", got)
	}
}

// TestRetentionSkipsNewerVersions: conversations written by a newer version do not count towards the limit.
func TestRetentionSkipsNewerVersions(t *testing.T) {
	m := NewManager(openRoot(t, memory(t)), Options{})
	order := ended(t, m, 4)
	name := filepath.Join(m.store.root.Name(), file(order[0]))
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(strings.Replace(string(data), `"schema":1`, `"schema":9`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if n, err := m.Retain(1); n != 1 || err != nil {
		t.Errorf("%d removed, %v", n, err)
	}
	if n, err := m.Clear(); n != 1 || err != nil {
		t.Errorf("%d cleared, %v", n, err)
	}
	if err := m.Delete(order[0]); err == nil || !strings.Contains(err.Error(), "later version") {
		t.Errorf("deleted: %v", err)
	}
	if list, err := m.Untitled(0); err != nil || len(list) > 0 {
		t.Errorf("untitled: %v, %v", list, err)
	}
	if list, err := m.List(); err != nil || names(list, order) != "3" {
		t.Errorf("left: %v, %v", list, err)
	}
}

// TestRetainReadsFiles: a conversation that only an outdated index lists as ended, and an unreadable one, are kept.
func TestRetainReadsFiles(t *testing.T) {
	m := NewManager(openRoot(t, memory(t)), Options{})
	order := ended(t, m, 4)
	dir := m.store.root.Name()
	name := filepath.Join(dir, file(order[0]))
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	x := m.cached
	lines := strings.SplitAfter(string(data), "\n")
	if err := os.WriteFile(name, []byte(strings.Join(lines[:2], "")), 0o600); err != nil { // not ended
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, file(order[1]))); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, file(order[1])), 0o700); err != nil {
		t.Fatal(err)
	}
	n, err := m.remove(text.Of(x.entries(func(e indexed) bool { return !e.Ended.IsZero() }), func(e Entry) string { return e.ID }))
	if n != 1 || err == nil || !strings.Contains(err.Error(), order[1]) {
		t.Errorf("%d removed, %v", n, err)
	}
	if got := stored(t, m); len(got) != 3 {
		t.Errorf("left: %v", got)
	}
}
