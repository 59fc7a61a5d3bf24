package conversation

import (
	"bytes"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chatvault/internal/base/atomicfile"
	"chatvault/internal/base/statefile"
)

// writeConversation writes a conversation of three turns to disk and returns its file.
func writeConversation(t *testing.T) (dir, id string, data []byte) {
	t.Helper()
	dir = memory(t)
	m := NewManager(openRoot(t, dir), Options{})
	c, _ := appendTurn(t, m, turn("a", at(0)))
	appendTurn(t, m, turn("b", at(1)))
	appendTurn(t, m, turn("c", at(2)))
	data, err := os.ReadFile(filepath.Join(dir, file(c.ID)))
	if err != nil {
		t.Fatal(err)
	}
	return dir, c.ID, data
}

// TestCutAtEveryByte: turns with complete lines load, the torn one does not, and a turn recorded afterwards does.
func TestCutAtEveryByte(t *testing.T) {
	dir, id, data := writeConversation(t)
	for cut := range data {
		c, bad, err := parse(id, data[:cut])
		if err != nil {
			t.Fatal(err)
		}
		whole := bytes.Count(data[:cut], []byte("\n")) - 1 // the first line is the head
		if cut+1 < len(data) && data[cut] == '\n' {
			whole++ // only the newline is missing
		}
		if cut == len(data)-1 {
			whole = 3
		}
		if want := []string{"", "a", "a b", "a b c"}[max(whole, 0)]; ids(c) != want {
			t.Fatalf("cut at %d: %q, want %q (%d bad lines)", cut, ids(c), want, len(bad))
		}
	}
	for cut := 1; cut < len(data); cut += 1 + len(data)/12 { // an empty file is no conversation
		if err := os.WriteFile(filepath.Join(dir, file(id)), data[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		var warned []string
		m := NewManager(openRoot(t, dir), Options{Warn: func(s string) { warned = append(warned, s) }})
		before := ids(activeConversation(t, m))
		appendTurn(t, m, turn("d", at(3)))
		m = NewManager(openRoot(t, dir), Options{})
		if got, want := ids(activeConversation(t, m)), strings.TrimSpace(before+" d"); got != want {
			t.Fatalf("cut at %d: %q after recording, want %q", cut, got, want)
		}
		if lastLineCut(data[:cut]) {
			aside, err := os.ReadFile(filepath.Join(dir, folder, id+".corrupt-lines"))
			last := data[bytes.LastIndexByte(data[:cut], '\n')+1 : cut]
			if err != nil || !bytes.Equal(aside, append(bytes.Clone(last), '\n')) || len(warned) != 1 {
				t.Errorf("cut at %d: set aside %q, %v, warned %q", cut, aside, err, warned)
			}
		}
	}
}

// TestFlippedBytes: no file content causes a panic, intact lines load, and the conversation can continue.
func TestFlippedBytes(t *testing.T) {
	dir, id, data := writeConversation(t)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range data {
		broken := bytes.Clone(data)
		broken[i] ^= byte(1 + random.IntN(255))
		c, _, err := parse(id, broken)
		if errors.Is(err, statefile.ErrLater) { // the number of the format
			continue
		}
		spoilt := 1
		if data[i] == '\n' { // joins two lines
			spoilt = 2
		}
		if len(c.Turns) < 3-spoilt {
			t.Fatalf("byte %d flipped to %q: only %q loads", i, broken[i], ids(c))
		}
		if i%(len(data)/20) == 0 {
			if err := os.WriteFile(filepath.Join(dir, file(id)), broken, 0o600); err != nil {
				t.Fatal(err)
			}
			m := NewManager(openRoot(t, dir), Options{})
			appendTurn(t, m, turn("d", at(3)))
			if c := activeConversation(t, m); c == nil || !c.Has("d") {
				t.Fatalf("byte %d flipped to %q: the next turn is lost", i, broken[i])
			}
		}
	}
}

// TestDamagedIndex: the index is only a cache; the active conversation is found whatever the index contains.
func TestDamagedIndex(t *testing.T) {
	dir, id, _ := writeConversation(t)
	index, err := os.ReadFile(filepath.Join(dir, indexFile))
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, data []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, indexFile), data, 0o600); err != nil {
			t.Fatal(err)
		}
		m := NewManager(openRoot(t, dir), Options{})
		c, err := m.Active()
		if err != nil || c == nil || c.ID != id || ids(c) != "a b c" {
			t.Fatalf("%s: active is %v (%v), index %s", what, c, err, data)
		}
		if list, err := m.List(); err != nil || len(list) != 1 || list[0].ID != id {
			t.Fatalf("%s: listed %+v, %v", what, list, err)
		}
	}
	for cut := 0; cut < len(index)-2; cut += 5 {
		check("cut", index[:cut])
	}
	random := rand.New(rand.NewPCG(3, 4))
	for i := 0; i < len(index); i += 2 {
		broken := bytes.Clone(index)
		broken[i] ^= byte(1 + random.IntN(255))
		if bytes.Contains(broken, []byte(`"ended"`)) {
			continue
		}
		check("flipped", broken)
	}
	for _, text := range []string{"null", "{}", "[]", `{"schema":1}`, `{"schema":-1,"active":"` + id + `"}`, `{"schema":1,"active":"../x","conversations":[{"id":"../x"}]}`} {
		check(text, []byte(text))
	}
	left, err := filepath.Glob(filepath.Join(dir, indexFile+".corrupt-*"))
	if err != nil || len(left) == 0 {
		t.Errorf("set aside: %v, %v", left, err)
	}
}

// TestFilesAddedAndRemoved: a synchronizer or the user may add and remove conversation files.
func TestFilesAddedAndRemoved(t *testing.T) {
	dir, id, data := writeConversation(t)
	m := NewManager(openRoot(t, dir), Options{})
	if _, err := m.End(at(3), "new"); err != nil {
		t.Fatal(err)
	}
	second, _ := appendTurn(t, m, turn("d", at(4)))
	const foreign = "20260101-000000-00000000"
	ended := []byte(`{"type":"ended","time":"2026-01-01T00:00:00Z"}` + "\n")
	if err := os.WriteFile(filepath.Join(dir, file(foreign)), append(data, ended...), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, file(id))); err != nil {
		t.Fatal(err)
	}
	list, err := m.List()
	if err != nil || len(list) != 2 || list[0].ID != foreign || list[0].Turns != 3 || list[1].ID != second.ID {
		t.Errorf("listed %+v, %v", list, err)
	}
	if got := ids(activeConversation(t, m)); got != "d" {
		t.Errorf("active: %q", got)
	}
	if err := os.Remove(filepath.Join(dir, file(second.ID))); err != nil {
		t.Fatal(err)
	}
	if got := ids(activeConversation(t, m)); got != "-" {
		t.Errorf("active although deleted: %q", got)
	}
	if c, _ := appendTurn(t, m, turn("e", at(5))); len(c.Turns) > 0 {
		t.Errorf("continues in %q", ids(c))
	}
}

// TestUnwritableFolder: the error names the cause, nothing is lost, and recording works again once the cause is
// removed.
func TestUnwritableFolder(t *testing.T) {
	dir, _, data := writeConversation(t)
	folderPath, moved := filepath.Join(dir, folder), filepath.Join(dir, "moved")
	if err := os.Rename(folderPath, moved); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(folderPath, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	m := NewManager(openRoot(t, dir), Options{})
	if _, _, err := m.Begin("", at(3)); !errors.Is(err, statefile.ErrNotFolder) {
		t.Errorf("begin: %v", err)
	}
	if err := m.Append("20260101-000000-00000000", turn("d", at(3))); err == nil {
		t.Error("recorded although the folder is a file")
	}
	if err := errors.Join(os.Remove(folderPath), os.Rename(moved, folderPath)); err != nil {
		t.Fatal(err)
	}
	appendTurn(t, m, turn("d", at(3)))
	if got := ids(activeConversation(t, m)); got != "a b c d" {
		t.Errorf("afterwards: %q of %d bytes", got, len(data))
	}
}

// TestUnwritableIndex: a turn that is on disk succeeds even if the index cannot be written.
func TestUnwritableIndex(t *testing.T) {
	dir, _, _ := writeConversation(t)
	if err := os.Remove(filepath.Join(dir, indexFile)); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, indexFile, "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	var warned []string
	root := openRoot(t, dir)
	m := NewManager(root, Options{Warn: func(s string) { warned = append(warned, s) }})
	appendTurn(t, m, turn("d", at(3)))
	if got := ids(activeConversation(t, m)); got != "a b c d" || len(warned) == 0 {
		t.Errorf("%q, warned %q", got, warned)
	}
	if _, err := atomicfile.SweepTemps(root, folder); err != nil {
		t.Error(err)
	}
	if temps, _ := fs.Glob(root.FS(), folder+"/"+atomicfile.TempPrefix+"*"); len(temps) > 0 {
		t.Errorf("left: %v", temps)
	}
}
