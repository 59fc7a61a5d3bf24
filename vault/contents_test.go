package vault

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func TestContents(t *testing.T) {
	v := newTest(t, map[string]string{
		"P/a.md": "alpha", "P/sub/b.MD": "be", "P/sub/c.txt": "xyz", "P/empty/": "", "P/.git/config": "h", "P/.git/deep/er.md": "h",
		"note.md": "one", ".hidden": "x", "Q/x.md": "",
	})
	c, err := v.contents(t.Context(), "p")
	mustTest(t, err)
	if c.Path != "P" || !c.Folder || c.Notes != 2 || c.Files != 5 || c.Folders != 4 || c.Bytes != 12 || !slices.Equal(c.Names, []string{"a.md", "sub/b.MD"}) {
		t.Errorf("folder: %+v", c)
	}
	f, err := v.contents(t.Context(), "NOTE.md")
	mustTest(t, err)
	if f.Path != "note.md" || f.Folder || f.Notes != 1 || f.Files != 1 || f.Bytes != 3 || f.Print != Hash([]byte("one")) {
		t.Errorf("file: %+v", f)
	}
	for _, bad := range []string{".hidden", "gone.md", "../x", "P/.git"} {
		if _, err := v.contents(t.Context(), bad); err == nil {
			t.Errorf("%s has contents", bad)
		}
	}
}

// TestContentsFingerprint: each kind of change gives another fingerprint.
func TestContentsFingerprint(t *testing.T) {
	v := newTest(t, map[string]string{"P/a.md": "alpha", "P/sub/b.md": "be", "P/.git/config": "h"})
	last := ""
	at := func(name string) string { return filepath.Join(v.Dir(), filepath.FromSlash(name)) }
	for _, c := range []struct {
		what   string
		change func() error
	}{
		{"unchanged", func() error { return nil }},
		{"a new note", func() error { return os.WriteFile(at("P/c.md"), nil, 0o644) }},
		{"added text", func() error { return os.WriteFile(at("P/a.md"), []byte("alpha and"), 0o644) }},
		{"other text", func() error {
			return errors.Join(os.WriteFile(at("P/sub/b.md"), []byte("eb"), 0o644), os.Chtimes(at("P/sub/b.md"), time.Now(), time.Now().Add(time.Hour)))
		}},
		{"a hidden file", func() error { return os.WriteFile(at("P/.git/config"), []byte("hh"), 0o644) }},
	} {
		mustTest(t, c.change())
		now, err := v.contents(t.Context(), "P")
		mustTest(t, err)
		again, err := v.contents(t.Context(), "P")
		mustTest(t, err)
		if now.Print == last || again.Print != now.Print {
			t.Errorf("%s: the contents comparison is wrong", c.what)
		}
		last = now.Print
	}
}
