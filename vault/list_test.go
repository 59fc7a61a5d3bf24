package vault

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"chatvault/vault/search"
	"chatvault/vault/vaulterr"
)

// setTime sets the time of an entry to the given number of seconds after a fixed day.
func setTime(t testing.TB, v *Vault, name string, seconds int) {
	t.Helper()
	when := time.Date(2026, 1, 1, 0, 0, seconds, 0, time.UTC)
	if err := os.Chtimes(filepath.Join(v.dir, filepath.FromSlash(name)), when, when); err != nil {
		t.Fatal(err)
	}
}

func listedPaths(t testing.TB, v *Vault, q search.ListQuery) ([]string, int) {
	t.Helper()
	r, err := v.List(context.Background(), q)
	if err != nil {
		t.Fatalf("List(%+v): %v", q, err)
	}
	paths := []string{}
	for _, e := range r.Entries {
		p := e.Path
		if e.Folder {
			p += "/"
		}
		paths = append(paths, p)
	}
	return paths, r.Total
}

func TestList(t *testing.T) {
	v := walkVault(t, "old.md", "new.md", "same1.md", "same2.md", "Projects/p.md", "Projects/Deep/q.md", "Work [2026]/w.md", ".obsidian/app.json")
	for name, at := range map[string]int{
		"old.md": 1, "new.md": 90, "same1.md": 50, "same2.md": 50, "Projects/p.md": 60, "Projects/Deep/q.md": 70,
		"Work [2026]/w.md": 80, "Projects/Deep": 5, "Projects": 40, "Work [2026]": 30,
	} {
		setTime(t, v, name, at)
	}
	if err := os.Mkdir(filepath.Join(v.dir, "Empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	setTime(t, v, "Empty", 0)
	if err := os.Symlink("Projects", filepath.Join(v.dir, "Link")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		q     search.ListQuery
		want  string
		total int
	}{
		{search.ListQuery{}, "new.md same1.md same2.md Projects/ Work [2026]/ old.md Empty/", 7},
		{search.ListQuery{Pattern: "*.md"}, "new.md same1.md same2.md old.md", 4},
		{search.ListQuery{Pattern: "*.md", MaxResults: 2}, "new.md same1.md", 4},
		{search.ListQuery{Pattern: "**/*.md"}, "new.md Work [2026]/w.md Projects/Deep/q.md Projects/p.md same1.md same2.md old.md", 7},
		{search.ListQuery{Pattern: "Projects/**"}, "Projects/Deep/q.md Projects/p.md Projects/Deep/", 3},
		{search.ListQuery{Folder: "projects"}, "Projects/p.md Projects/Deep/", 2},
		{search.ListQuery{Folder: "Projects/", Pattern: "**/*.md"}, "Projects/Deep/q.md Projects/p.md", 2},
		{search.ListQuery{Folder: ".", Pattern: "**/"}, "Projects/ Work [2026]/ Projects/Deep/ Empty/", 4},
		{search.ListQuery{Folder: "Work [2026]"}, "Work [2026]/w.md", 1},
		{search.ListQuery{Pattern: `Work \[2026\]/*`}, "Work [2026]/w.md", 1},
		{search.ListQuery{Folder: "Empty"}, "", 0},
		{search.ListQuery{Pattern: "**/app.json"}, "", 0},
	} {
		got, total := listedPaths(t, v, c.q)
		if strings.Join(got, " ") != c.want || total != c.total {
			t.Errorf("List(%+v) = %q of %d, want %q of %d", c.q, got, total, c.want, c.total)
		}
	}
	r, err := v.List(context.Background(), search.ListQuery{Pattern: "{new.md,Projects}"})
	if err != nil {
		t.Fatal(err)
	}
	if e := r.Entries[0]; e.Size != 7 || e.Folder || e.Modified.Unix() != time.Date(2026, 1, 1, 0, 1, 30, 0, time.UTC).Unix() {
		t.Errorf("%+v", e)
	}
	if e := r.Entries[1]; e.Size != 0 || !e.Folder {
		t.Errorf("%+v", e)
	}
	for _, c := range []struct {
		q    search.ListQuery
		kind vaulterr.Kind
	}{
		{search.ListQuery{Folder: "nowhere"}, vaulterr.KindNotFound},
		{search.ListQuery{Folder: "new.md"}, vaulterr.KindNotFolder},
		{search.ListQuery{Folder: ".obsidian"}, vaulterr.KindDenied},
		{search.ListQuery{Folder: "../x"}, vaulterr.KindDenied},
		{search.ListQuery{Pattern: "[x"}, vaulterr.KindOther},
	} {
		var ve *vaulterr.Error
		if _, err := v.List(context.Background(), c.q); !errors.As(err, &ve) || ve.Kind != c.kind {
			t.Errorf("List(%+v) = %v, want an error of kind %v", c.q, err, c.kind)
		}
	}
}

func TestListManyFiles(t *testing.T) {
	v := walkVault(t)
	for i := range 700 {
		name := fmt.Sprintf("d%d/n%d.md", i%7, i)
		writeTestFile(t, v.dir, name, "")
		setTime(t, v, name, i/2)
	}
	var want []string
	for i := 699; i > 0; i -= 2 {
		pair := []string{fmt.Sprintf("d%d/n%d.md", i%7, i), fmt.Sprintf("d%d/n%d.md", (i-1)%7, i-1)}
		slices.Sort(pair)
		want = append(want, pair...)
	}
	for _, limit := range []int{1, 10, 100, 700, 1000} {
		got, total := listedPaths(t, v, search.ListQuery{Pattern: "**/*.md", MaxResults: limit})
		if total != 700 || !slices.Equal(got, want[:min(limit, 700)]) {
			t.Errorf("limit %d: %d entries of %d, first %q", limit, len(got), total, got[0])
		}
	}
}
