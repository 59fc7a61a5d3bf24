package vault

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"chatvault/vault/query"
	"chatvault/vault/vaulterr"
)

func TestStat(t *testing.T) {
	v := newTest(t, map[string]string{
		"a.md": "---\ncreated: 2024-01-15T10:30\ntags: [x]\n---\ntext", "plain.md": "text", "folder/x.md": "", "folder/.hidden": "", "folder/sub/y.md": "",
	})
	link(t, v, "../a.md", "folder/link.md")
	info, err := v.Stat(t.Context(), "A.md")
	if err != nil || info.Path != "a.md" || info.Folder || info.Size != 48 || info.Created != time.Date(2024, 1, 15, 10, 30, 0, 0, time.Local) {
		t.Errorf("%+v, %v", info, err)
	}
	info, err = v.Stat(t.Context(), "folder/link.md")
	if !errors.Is(err, vaulterr.KindDenied) {
		t.Errorf("through a link: %+v, %v", info, err)
	}
	info, err = v.Stat(t.Context(), "folder/")
	if err != nil || !info.Folder || info.Items != 2 || info.Size != 0 {
		t.Errorf("folder: %+v, %v", info, err)
	}
	info, err = v.Stat(t.Context(), "plain.md")
	if err != nil || time.Since(info.Modified) > time.Minute || !info.Created.IsZero() && time.Since(info.Created) > time.Minute {
		t.Errorf("plain: %+v, %v", info, err)
	}
	info, err = v.Stat(t.Context(), ".")
	if err != nil || info.Path != "." || !info.Folder || info.Items != 3 {
		t.Errorf("root: %+v, %v", info, err)
	}
}

func TestCreatedDate(t *testing.T) {
	day := time.Date(2024, 1, 15, 0, 0, 0, 0, time.Local)
	for front, want := range map[string]time.Time{
		"created: 2024-01-15":                             day,
		"created: \"2024-01-15\"":                         day,
		"Created: 2024/01/15":                             day,
		"created: \"[[2024-01-15]]\"":                     day,
		"date created: January 15, 2024":                  day,
		"date: 2020-01-01\ncreated: 2024-01-15":           day, // the better key takes precedence in any position
		"date: 20240115":                                  day,
		"created: 202401150930":                           day.Add(9*time.Hour + 30*time.Minute),
		"created: 2024-01-15 09:30":                       day.Add(9*time.Hour + 30*time.Minute),
		"created: 2024-01-15T09:30:00Z":                   time.Date(2024, 1, 15, 9, 30, 0, 0, time.UTC).Local(),
		"created: 2024-01-15 # by hand":                   day,
		"created: 2024-01-15\r":                           day,
		"title: x\n":                                      {},
		"created:":                                        {},
		"created: soon":                                   {},
		"created: [2024-01-15":                            {},
		"created: *alias":                                 {},
		"created: {{date}}":                               {},
		"parent:\n  created: 2024-01-15":                  {},
		"created: 12":                                     {},
		"created: !!binary x":                             {},
		"modified: 2024-01-15":                            {},
		"created: soon\ndate: 2024-01-15":                 day, // an unreadable value does not hide the next key
		"\"date created\": 2024-01-15":                    day,
		"created: 2024-01-15T09:30:00+02:00 ":             time.Date(2024, 1, 15, 7, 30, 0, 0, time.UTC).Local(),
		"- created: 2024-01-15":                           {},
		"x: &a [1]\ny: [*a,*a]\ncreated: 2024-01-15":      day,
		"created: 0000-00-00":                             {},
		"description: created: 2024-01-15\ncreation: 201": {},
	} {
		if got := createdDate([]byte("---\n" + front + "\n---\ntext\n")); !got.Equal(want) {
			t.Errorf("%q: %v, want %v", front, got, want)
		}
	}
	for _, text := range []string{"created: 2024-01-15\n", "---\ncreated: 2024-01-15\n", "text\n---\ncreated: 2024-01-15\n---\n", "---", ""} {
		if got := createdDate([]byte(text)); !got.IsZero() {
			t.Errorf("%q has no front matter, but %v", text, got)
		}
	}
	if got := createdDate([]byte("\xef\xbb\xbf---\r\ncreated: 2024-01-15\r\n---\r\n")); !got.Equal(day) {
		t.Errorf("BOM and CRLF: %v", got)
	}
}

func FuzzCreatedDate(f *testing.F) {
	f.Add("created: 2024-01-15")
	f.Add("date: &a [*a, *a]\n? x\n: - !!set {}")
	f.Fuzz(func(t *testing.T, front string) {
		when := createdDate([]byte("---\n" + front + "\n---\n"))
		if !when.IsZero() && when.Location() != time.Local {
			t.Errorf("%v is not local", when)
		}
	})
}

func TestShape(t *testing.T) {
	v := newTest(t, map[string]string{
		"a.md": "", "p/b.md": "", "p/q/c.MD": "", "p/q/d.markdown": "", "p/picture.png": "", "r/e.md": "", ".obsidian/x.md": "", "p/.trash/y.md": "", "empty/": "",
	})
	s, err := v.Query.Shape(t.Context(), 1000, 2)
	if err != nil || s.Notes != 5 || s.Files != 6 || s.Folders != 4 || !s.Complete {
		t.Errorf("%+v, %v", s, err)
	}
	if !slices.Equal(s.Top, []query.FolderCount{{Path: "p", Notes: 3}, {Path: "p/q", Notes: 2}}) {
		t.Errorf("%+v", s.Top)
	}
	if s, err := v.Query.Shape(t.Context(), 3, 2); err != nil || s.Complete || s.Files+s.Folders != 3 {
		t.Errorf("bounded: %+v, %v", s, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if s, err := v.Query.Shape(ctx, 1000, 2); err != nil || s.Complete {
		t.Errorf("cancelled: %+v, %v", s, err)
	}
}

// TestDeepVault walks and reads 1,000 folders deep with few descriptors.
func TestDeepVault(t *testing.T) {
	if testing.Short() {
		t.Skip("slow; run by make test")
	}
	v := newTest(t, nil)
	deep, err := os.OpenRoot(v.dir)
	mustTest(t, err)
	for range 1000 {
		mustTest(t, deep.Mkdir("d", 0o755))
		next, err := deep.OpenRoot("d")
		mustTest(t, err)
		mustTest(t, deep.Close())
		deep = next
	}
	mustTest(t, deep.WriteFile("bottom.md", []byte("text"), 0o644))
	mustTest(t, deep.Close())
	s, err := v.Query.Shape(t.Context(), 10_000, 1)
	if err != nil || s.Folders != 1000 || s.Notes != 1 || !s.Complete {
		t.Errorf("%+v, %v", s, err)
	}
	path := ""
	for range 1000 {
		path += "d/"
	}
	if f, err := v.Read(t.Context(), path+"bottom.md"); err != nil || string(f.Data) != "text" {
		t.Errorf("%v", err)
	}
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	real := filepath.Join(dir, "My vault")
	mustTest(t, os.Mkdir(real, 0o755))
	mustTest(t, os.Symlink(real, filepath.Join(dir, "link")))
	v := openTest(t, filepath.Join(dir, "link")+"/")
	if resolved, err := filepath.EvalSymlinks(real); err != nil || v.Dir() != resolved || v.Name() != "My vault" {
		t.Errorf("%q, %q, %v", v.Dir(), v.Name(), err)
	}
	mustTest(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	for name, kind := range map[string]error{"none": vaulterr.KindNotFound, "file": vaulterr.KindNotFolder} {
		_, err := Open(filepath.Join(dir, name))
		if !errors.Is(err, kind) {
			t.Errorf("%s: %v", name, err)
		}
		checkSentence(t, err)
	}
	for kind := vaulterr.KindDenied; kind <= vaulterr.KindBinary; kind++ {
		if err := fmt.Errorf("wrapped: %w", vaulterr.New(kind, "p", "text")); !errors.Is(err, kind) {
			t.Errorf("kind %d is not recognised", kind)
		}
	}
}
