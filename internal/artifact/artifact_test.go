package artifact

import (
	"bytes"
	"errors"
	"image"
	"image/png"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"chatvault/internal/atomicfile"
	"chatvault/internal/statefile/statetest"
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
		{"chart.txt", pic, "chart_txt.png", "image/png"},
		{"chart", pic, "chart.png", "image/png"},
		{"photo.jpeg", "\xff\xd8\xff\xe0 JFIF", "photo.jpeg", "image/jpeg"},
		{"notes.md", "# Title\n", "notes.md", "text/plain"},
		{"evil.png", "#!/bin/sh\nrm -rf ~\n", "evil_png.sh", "text/x-shellscript"},
		{"evil.pdf", "plain words", "evil_pdf.txt", "text/plain"},
		{"data", "plain words", "data.txt", "text/plain"},
		{"page.htm", "<html><body>x</body></html>", "page.htm", "text/html"},
		{"report.pdf", "%PDF-1.7\n", "report.pdf", "application/pdf"},
		{"sheet.parquet", "PAR1\x00\x01\x02", "sheet.parquet", "application/vnd.apache.parquet"},
		{"blob.xyz", "\x00\x01\x02", "blob.xyz", "application/octet-stream"},
		{"blob", "\x00\x01\x02", "blob.bin", "application/octet-stream"},
		{"../../.bashrc", "alias x=y", "bashrc.txt", "text/plain"},
		{`C:\Users\me\chart.png`, pic, "chart.png", "image/png"},
		{"a/b\x1b[31m:c?.png", pic, "b 31m c.png", "image/png"},
		{"\u202egnp.pdf", pic, "gnp_pdf.png", "image/png"},
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

// Whatever something was called, its name is one that a vault takes for a new file.
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

// left are the names in the folder of bytes.
func left(t testing.TB, root *os.Root) (names []string) {
	t.Helper()
	list, err := fs.ReadDir(root.FS(), Folder)
	must(t, err)
	for _, f := range list {
		if validHash(f.Name()) {
			names = append(names, f.Name())
		}
	}
	return names
}

func TestKeptAsLongAsAnOwnerHasIt(t *testing.T) {
	root := statetest.Root(t)
	s := NewStore(root)
	must(t, s.Forget("nobody"))
	pic := picture(t)
	a, err := s.Put("one", Source{Turn: "t", Call: "c"}, "chart.png", pic)
	must(t, err)
	again, err := s.Put("two", Source{}, "other.png", pic)
	must(t, err)
	b, err := s.Put("one", Source{}, "words.txt", []byte("words"))
	must(t, err)
	if a.Hash != again.Hash || again.Name != "other.png" || len(left(t, root)) != 2 {
		t.Errorf("%+v, %+v, %v", a, again, left(t, root))
	}
	list, err := NewStore(root).Owned("one")
	if err != nil || len(list) != 2 || list[0].Artifact != a || list[0].State != Ready || list[0].Call != "c" || list[1].Artifact != b {
		t.Errorf("%+v, %v", list, err)
	}
	must(t, s.Forget("one"))
	if data, err := s.Read(a.Hash); err != nil || !bytes.Equal(data, pic) {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	if _, err := s.Read(b.Hash); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	must(t, s.Forget("one", "two", "../../x"))
	if len(left(t, root)) != 0 {
		t.Error(left(t, root))
	}
}

func TestWhatIsReadIsWhatWasKept(t *testing.T) {
	root := statetest.Root(t)
	s := NewStore(root)
	a, err := s.Put("one", Source{}, "words.txt", []byte("words"))
	must(t, err)
	must(t, root.WriteFile(Folder+"/"+a.Hash, []byte("other"), 0o600))
	if data, err := s.Read(a.Hash); !errors.Is(err, fs.ErrNotExist) || data != nil {
		t.Errorf("%q, %v", data, err)
	}
	_, err = s.Put("one", Source{}, "words.txt", []byte("words")) // it mends what was damaged
	must(t, err)
	if data, err := s.Read(a.Hash); string(data) != "words" {
		t.Errorf("%q, %v", data, err)
	}
	for _, hash := range []string{"", "../lock", strings.Repeat("A", 64)} {
		if _, err := s.Read(hash); !errors.Is(err, fs.ErrNotExist) {
			t.Error(hash, err)
		}
	}
}

// A log that somebody else wrote names nothing that is not safe.
func TestForgedLogs(t *testing.T) {
	root := statetest.Root(t)
	s := NewStore(root)
	a, err := s.Put("one", Source{}, "words.txt", []byte("words"))
	must(t, err)
	for _, change := range []func(*Artifact){
		func(a *Artifact) { a.Name = "../x" },
		func(a *Artifact) { a.Name = "a/x" },
		func(a *Artifact) { a.Name = ".bashrc" },
		func(a *Artifact) { a.Name = "a\x1b[2J" },
		func(a *Artifact) { a.Name = "" },
		func(a *Artifact) { a.Hash = "../../lock" },
		func(a *Artifact) { a.MediaType = "a\x1b[2J" },
		func(a *Artifact) { a.Size = -1 << 60 },
	} {
		forged := a
		change(&forged)
		must(t, s.log(Entry{Artifact: forged, State: Ready, Owner: "one"}))
	}
	if list, err := s.All(); err != nil || len(list) != 1 || list[0].Artifact != a {
		t.Errorf("%+v, %v", list, err)
	}
}

// Every step at which the process can end leaves something that the next one settles.
func TestRecover(t *testing.T) {
	root := statetest.Root(t)
	s := NewStore(root)
	everybody := func(string) bool { return true }
	if settled, err := s.Recover(everybody); settled != nil || err != nil {
		t.Error(settled, err)
	}
	begin := func(name string) *Pending {
		p, err := s.Begin("one", Source{Turn: "t"}, name, []byte(name))
		must(t, err)
		must(t, p.lock.Unlock()) // as when the process ends
		return p
	}
	lost, stored := begin("lost.txt"), begin("stored.txt")
	must(t, atomicfile.WriteFile(root, Folder+"/"+stored.Hash, []byte("stored.txt"), 0o600))
	settled, err := NewStore(root).Recover(everybody)
	must(t, err)
	if len(settled) != 2 || settled[0].Hash != lost.Hash || settled[0].State != Failed || settled[0].Reason == "" || settled[1].State != Ready {
		t.Errorf("%+v", settled)
	}
	if settled, err := s.Recover(everybody); len(settled) != 0 || err != nil {
		t.Errorf("a second time: %+v, %v", settled, err)
	}
	must(t, root.WriteFile(logOf("gone"), []byte("torn\n{\"schema\":1,"), 0o600))
	if _, err := s.Put("late", Source{}, "x", []byte("x")); err != nil {
		t.Error(err)
	}
	nobody := func(string) bool { return false }
	if _, err := s.Recover(nobody); err != nil || len(left(t, root)) != 2 {
		t.Errorf("an owner that comes late lost something: %v, %v", left(t, root), err)
	}
	old := time.Now().Add(-2 * orphaned)
	must(t, root.Chtimes(logOf("late"), old, old))
	if _, err := s.Recover(nobody); err != nil || len(left(t, root)) != 1 {
		t.Errorf("%v, %v", left(t, root), err)
	}
}

// What another process is storing just now is neither settled nor removed.
func TestStoringIsWaitedFor(t *testing.T) {
	root := statetest.Root(t)
	p, err := NewStore(root).Begin("one", Source{}, "x", []byte("x"))
	must(t, err)
	done := make(chan []Entry)
	go func() {
		settled, _ := NewStore(root).Recover(func(string) bool { return true })
		done <- settled
	}()
	select {
	case settled := <-done:
		t.Fatalf("settled meanwhile: %v", settled)
	case <-time.After(50 * time.Millisecond):
	}
	must(t, p.Finish())
	if settled := <-done; len(settled) != 0 {
		t.Errorf("%+v", settled)
	}
}

func TestFailures(t *testing.T) {
	root := statetest.Root(t)
	s := NewStore(root)
	for _, owner := range []string{"", "../x", "A", strings.Repeat("a", 65)} {
		if p, err := s.Begin(owner, Source{}, "x", []byte("x")); err == nil || p.State != Failed || p.Reason == "" {
			t.Errorf("%q: %+v, %v", owner, p.Entry, err)
		}
	}
	p, err := s.Begin("one", Source{}, "x", []byte("x"))
	must(t, err)
	must(t, root.Mkdir(Folder+"/"+p.Hash, 0o700))
	if err := p.Finish(); err == nil || p.State != Failed {
		t.Errorf("%+v, %v", p.Entry, err)
	}
	if list, _ := s.Owned("one"); len(list) != 1 || list[0].State != Failed || list[0].Reason == "" {
		t.Errorf("%+v", list)
	}
}

// TestOwnersBound: a server that never stops bringing things fills no disk.
func TestOwnersBound(t *testing.T) {
	s := NewStore(statetest.Root(t))
	first, err := s.Put("one", Source{}, "x", []byte("x"))
	must(t, err)
	for i := range MaxOwned / MaxSize { // as if they had been kept
		hash := strings.Repeat(string("0123456789abcdef"[i]), 64)
		must(t, s.log(Entry{Artifact: Artifact{Hash: hash, Name: "big", Size: MaxSize}, State: Ready, Owner: "one"}))
	}
	if _, err := s.Put("one", Source{}, "y", []byte("y")); !errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
	_, err = s.Put("two", Source{}, "y", []byte("y"))
	must(t, err)
	must(t, s.Forget("one"))
	_, err = s.Put("one", Source{}, "x", []byte("x"))
	must(t, err)
	if data, err := s.Read(first.Hash); string(data) != "x" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
}
