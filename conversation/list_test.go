package conversation

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// ended writes n conversations, each ended by the next; the last is active.
func ended(t testing.TB, m *Manager, n int) []string {
	t.Helper()
	var list []string
	for i := range n {
		c, _ := appendTurn(t, m, turn(fmt.Sprintf("t%d", i), at(10*i)))
		list = append(list, c.ID)
		if i < n-1 {
			if _, err := m.End(at(10*i+1), "new"); err != nil {
				t.Fatal(err)
			}
		}
	}
	return list
}

func names(list []Entry, order []string) string {
	var out []string
	for _, e := range list {
		for i, id := range order {
			if e.ID == id {
				out = append(out, fmt.Sprint(i))
			}
		}
	}
	return strings.Join(out, " ")
}

func TestRecentAndUntitled(t *testing.T) {
	m := NewManager(openRoot(t, memory(t)), Options{})
	order := ended(t, m, 5)
	if err := m.SetTitle(order[2], "Tomatoes", "About tomatoes."); err != nil {
		t.Fatal(err)
	}
	for _, m := range []*Manager{m, restarted(t, m)} {
		for n, want := range map[int]string{2: "3 2", 9: "3 2 1 0", 0: "3 2 1 0", -1: "3 2 1 0"} {
			if got, err := m.Recent(n); err != nil || names(got, order) != want {
				t.Errorf("Recent(%d): %q, want %q, %v", n, names(got, order), want, err)
			}
		}
		for n, want := range map[int]string{1: "3", 0: "3 1 0"} {
			if got, err := m.Untitled(n); err != nil || names(got, order) != want {
				t.Errorf("Untitled(%d): %q, want %q, %v", n, names(got, order), want, err)
			}
		}
		list, err := m.List()
		if err != nil || names(list, order) != "0 1 2 3 4" || list[2].Summary != "About tomatoes." || list[2].Name() != "Tomatoes" || list[1].Name() != "question t1" {
			t.Errorf("%+v, %v", list, err)
		}
	}
}

func TestGetByPrefix(t *testing.T) {
	m := NewManager(openRoot(t, memory(t)), Options{})
	for i, id := range []string{"20260301-120000-aaaaaaaa", "20260301-120000-abaaaaaa", "20260302-120000-cccccccc", "20260302"} {
		if err := m.Append(id, turn(fmt.Sprint(i), at(i))); err != nil {
			t.Fatal(err)
		}
	}
	for id, want := range map[string]string{
		"20260301-120000-aaaaaaaa": "0", "20260301-120000-aa": "0", "20260301-120000-ab": "1",
		"20260302-": "2", "20260302": "3", // an exact ID, though others have it as a prefix
	} {
		if c, err := m.Get(id); err != nil || ids(c) != want {
			t.Errorf("%s: %v, %v", id, c, err)
		}
	}
	for _, id := range []string{"", "2027", "20260301-120000-aaaaaaaaa", "../index", "%s"} {
		if c, err := m.Get(id); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), fmt.Sprintf("%q", id)) {
			t.Errorf("%q: %v, %v", id, c, err)
		}
	}
	_, err := m.Get("20260301")
	if err == nil || errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "aaaaaaaa, ") || !strings.Contains(err.Error(), "abaaaaaa") {
		t.Errorf("ambiguous: %v", err)
	}
	for i := range 20 {
		if err := m.Append(fmt.Sprintf("x%02d", i), turn(fmt.Sprint(i), at(i))); err != nil {
			t.Fatal(err)
		}
	}
	if _, err = m.Get("x"); err == nil || !strings.Contains(err.Error(), "and 17 more") {
		t.Errorf("too many matches: %v", err)
	}
}

func TestSetTitle(t *testing.T) {
	m, id := withTurns(t, "a")
	size := func() int64 {
		info, err := os.Stat(filepath.Join(m.store.root.Name(), file(id)))
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	for _, c := range []struct{ title, summary, wantTitle, wantSummary string }{
		{"  Planning\n the\tgarden ", " Beds.\nAnd seeds.\n", "Planning the garden", "Beds.\nAnd seeds."},
		{"", "Only seeds.", "Planning the garden", "Only seeds."},
		{"Seeds <and> “more”", "", "Seeds <and> “more”", "Only seeds."},
		{strings.Repeat("word ", 100), strings.Repeat("ä", 5000), strings.Repeat("word ", 22) + "word…", strings.Repeat("ä", 3999) + "…"},
		{"\xff\x00", "", "\uFFFD\x00", strings.Repeat("ä", 3999) + "…"},
	} {
		if err := m.SetTitle(id, c.title, c.summary); err != nil {
			t.Fatal(err)
		}
		for _, m := range []*Manager{m, restarted(t, m)} {
			if d := get(t, m, id); len([]rune(d.Title)) > maxTitle || d.Summary != c.wantSummary || !strings.HasPrefix(d.Title, strings.TrimSuffix(c.wantTitle, "…")) && c.title[0] != 0xff {
				t.Errorf("%q: %q, %q", c.title, d.Title, d.Summary)
			}
		}
	}
	before := size()
	if err := m.SetTitle(id, get(t, m, id).Title, ""); err != nil || size() != before {
		t.Errorf("the same title was recorded again: %v", err)
	}
	if err := m.SetTitle(id, " \n", "\t"); err == nil {
		t.Error("a title without a word was taken")
	}
	if err := m.SetTitle("20270101-000000-00000000", "T", ""); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of no conversation: %v", err)
	}
}

// A process killed before it writes a conversation's first line leaves an empty file, which is no conversation.
func TestEmptyFileIgnored(t *testing.T) {
	dir := memory(t)
	root := openRoot(t, dir)
	if err := root.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := root.WriteFile(file("20261127-033347-abcdef12"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	m := NewManager(root, Options{Warn: func(text string) { t.Error(text) }})
	if list, err := m.List(); err != nil || len(list) > 0 {
		t.Errorf("%+v, %v", list, err)
	}
	if c := activeConversation(t, m); c != nil {
		t.Errorf("%s is active", c.ID)
	}
}
