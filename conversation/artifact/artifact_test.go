package artifact

import (
	"bytes"
	"errors"
	"image"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"chatvault/internal/base/statefile/statetest"
	"chatvault/vault/pathname"
)

func picture(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 3, 2))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestDescribe(t *testing.T) {
	pic := string(picture(t))
	for _, tt := range []struct{ name, data, want, kind string }{
		{"chart.png", pic, "chart.png", "image/png"},
		{"Chart.PNG", pic, "Chart.PNG", "image/png"},
		{"", pic, "picture.png", "image/png"},
		{"chart.txt", pic, "chart.png", "image/png"},
		{"chart", pic, "chart.png", "image/png"},
		{"photo.jpeg", "\xff\xd8\xff\xe0 JFIF", "photo.jpeg", "image/jpeg"},
		{"notes.md", "# Title\n", "notes.md", "text/plain"},
		{"evil.png", "#!/bin/sh\nrm -rf ~\n", "evil.sh", "text/x-shellscript"},
		{"evil.pdf", "plain words", "evil.txt", "text/plain"},
		{"data", "plain words", "data.txt", "text/plain"},
		{"page.htm", "<html><body>x</body></html>", "page.htm", "text/html"},
		{"report.pdf", "%PDF-1.7\n", "report.pdf", "application/pdf"},
		{"sheet.parquet", "PAR1\x00\x01\x02", "sheet.parquet", "application/vnd.apache.parquet"},
		{"blob.xyz", "\x00\x01\x02", "blob.xyz", "application/octet-stream"},
		{"blob", "\x00\x01\x02", "blob.bin", "application/octet-stream"},
		{"../../.bashrc", "alias x=y", "bashrc.txt", "text/plain"},
		{`C:\Users\me\chart.png`, pic, "chart.png", "image/png"},
		{"a/b\x1b[31m:c?.png", pic, "b 31m c.png", "image/png"},
		{"\u202egnp.pdf", pic, "gnp.png", "image/png"},
		{"CON.png", pic, "_CON.png", "image/png"},
		{".png", pic, "png.png", "image/png"},
		{strings.Repeat("long ", 40) + ".png", pic, strings.TrimSpace(strings.Repeat("long ", 12)) + ".png", "image/png"},
	} {
		a, err := Describe(tt.name, []byte(tt.data))
		if a.Name != tt.want || a.MediaType != tt.kind || err != nil || !a.Is([]byte(tt.data)) || a.Is([]byte("x")) {
			t.Errorf("%q: %+v, %v; want %q, %q", tt.name, a, err, tt.want, tt.kind)
		}
	}
	if _, err := Describe("x", nil); !errors.Is(err, ErrEmpty) {
		t.Error(err)
	}
	if _, err := Describe("x", make([]byte, MaxSize+1)); !errors.Is(err, ErrTooLarge) || !strings.Contains(err.Error(), "16 MB") {
		t.Error(err)
	}
}

// TestNamesAreSafe: any given name becomes one that a vault accepts for a new file.
func TestNamesAreSafe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.OneOf(rapid.String(), rapid.StringMatching(`[./\\:a-zA-Z0-9 ]{0,90}\.?[a-z]{0,14}`)).Draw(t, "name")
		a, err := Describe(name, []byte(rapid.SampledFrom([]string{"words", "\x00\x01", "\x89PNG\r\n\x1a\n", "%PDF-1.7"}).Draw(t, "data")))
		if err != nil {
			t.Fatal(err)
		}
		clean, err := pathname.Clean(a.Name)
		if err != nil || clean != a.Name || strings.Contains(a.Name, "/") || pathname.NewNameFault(a.Name) != "" || len(a.Name) > 255 {
			t.Fatalf("%q is %q: %v, %s", name, a.Name, err, pathname.NewNameFault(a.Name))
		}
	})
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// stored returns the names of the stored files.
func stored(t testing.TB, root *os.Root) (names []string) {
	t.Helper()
	must(t, fs.WalkDir(root.FS(), Folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, path)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}))
	return names
}

func TestArtifactKeptWhileOwned(t *testing.T) {
	root := statetest.Root(t)
	s := NewStore(root)
	must(t, s.Forget("nobody"))
	pic := picture(t)
	a, err := s.Put("one", "chart.png", pic)
	must(t, err)
	again, err := s.Put("two", "other.png", pic)
	must(t, err)
	b, err := s.Put("one", "words.txt", []byte("words"))
	must(t, err)
	if a.Hash != again.Hash || again.Name != "other.png" || len(stored(t, root)) != 3 {
		t.Errorf("%+v, %+v, %v", a, again, stored(t, root))
	}
	if data, err := os.ReadFile(a.File); err != nil || !bytes.Equal(data, pic) || filepath.Base(a.File) != "chart.png" {
		t.Errorf("%d bytes in %s, %v", len(data), a.File, err)
	}
	if data, ok := s.Named("one", "words.txt"); !ok || string(data) != "words" {
		t.Errorf("%q, %v", data, ok)
	}
	if data, ok := s.Named("one", "other.png"); ok {
		t.Errorf("%q", data)
	}
	must(t, s.Forget("one"))
	if data, err := s.Read(a.Hash); err != nil || !bytes.Equal(data, pic) {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	if _, err := s.Read(b.Hash); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	must(t, s.Forget("one", "two", "../../x"))
	if len(stored(t, root)) != 0 {
		t.Error(stored(t, root))
	}
}

func TestReadVerifiesContent(t *testing.T) {
	s := NewStore(statetest.Root(t))
	a, err := s.Put("one", "words.txt", []byte("words"))
	must(t, err)
	must(t, os.WriteFile(a.File, []byte("other"), 0o600))
	if data, err := s.Read(a.Hash); !errors.Is(err, fs.ErrNotExist) || data != nil {
		t.Errorf("%q, %v", data, err)
	}
	_, err = s.Put("one", "words.txt", []byte("words")) // repairs the damaged file
	must(t, err)
	if data, err := s.Read(a.Hash); string(data) != "words" {
		t.Errorf("%q, %v", data, err)
	}
	must(t, os.Remove(a.File))
	must(t, os.Symlink("/etc/hostname", a.File))
	if data, err := s.Read(a.Hash); err == nil {
		t.Errorf("through a link: %q", data)
	}
	for _, hash := range []string{"", "../lock", strings.Repeat("A", 64)} {
		if _, err := s.Read(hash); !errors.Is(err, fs.ErrNotExist) {
			t.Error(hash, err)
		}
	}
}

// A forged conversation cannot name a file that is not an artifact.
func TestForgedConversations(t *testing.T) {
	s := NewStore(statetest.Root(t))
	a, err := s.Put("one", "words.txt", []byte("words"))
	must(t, err)
	if s.File("one", a) != a.File || s.File("../one", a) != "" {
		t.Error(s.File("one", a))
	}
	for _, change := range []func(*Artifact){
		func(a *Artifact) { a.Name = "../x" },
		func(a *Artifact) { a.Name = "a/x" },
		func(a *Artifact) { a.Name = ".bashrc" },
		func(a *Artifact) { a.Name = "a\x1b[2J" },
		func(a *Artifact) { a.Name = "" },
		func(a *Artifact) { a.Hash = "../../lock" },
	} {
		forged := a
		change(&forged)
		if file := s.File("one", forged); file != "" {
			t.Error(file)
		}
	}
}

// Files without an owner are removed after a day.
func TestSweep(t *testing.T) {
	root := statetest.Root(t)
	s := NewStore(root)
	nobody := func(string) bool { return false }
	must(t, s.Sweep(nobody))
	_, err := s.Put("late", "x", []byte("x"))
	must(t, err)
	must(t, s.Sweep(nobody))
	if got := stored(t, root); len(got) != 1 {
		t.Errorf("a late owner lost an artifact: %v", got)
	}
	old := time.Now().Add(-2 * orphaned)
	must(t, root.Chtimes(Folder+"/late", old, old))
	must(t, s.Sweep(func(string) bool { return true }))
	if got := stored(t, root); len(got) != 1 {
		t.Error(got)
	}
	must(t, s.Sweep(nobody))
	if got := stored(t, root); len(got) != 0 {
		t.Error(got)
	}
}

func TestFailures(t *testing.T) {
	root := statetest.Root(t)
	s := NewStore(root)
	for _, owner := range []string{"", "../x", "A", strings.Repeat("a", 65)} {
		if _, err := s.Put(owner, "x", []byte("x")); err == nil {
			t.Errorf("%q contains it", owner)
		}
	}
	a, err := Describe("x", []byte("x"))
	must(t, err)
	must(t, root.MkdirAll(placeOf("one", a), 0o700))
	if _, err := s.Put("one", "x", []byte("x")); err == nil {
		t.Error("it is there")
	}
}

// TestSizeLimitPerOwner: a server that keeps sending artifacts cannot fill the disk.
func TestSizeLimitPerOwner(t *testing.T) {
	root := statetest.Root(t)
	s := NewStore(root)
	first, err := s.Put("one", "x", []byte("x"))
	must(t, err)
	must(t, root.WriteFile(Folder+"/one/big", nil, 0o600))
	must(t, os.Truncate(filepath.Join(root.Name(), Folder, "one", "big"), MaxOwned)) // as if it had been stored
	if _, err := s.Put("one", "y", []byte("y")); !errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
	_, err = s.Put("two", "y", []byte("y"))
	must(t, err)
	must(t, s.Forget("one"))
	_, err = s.Put("one", "x", []byte("x"))
	must(t, err)
	if data, err := s.Read(first.Hash); string(data) != "x" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
}
