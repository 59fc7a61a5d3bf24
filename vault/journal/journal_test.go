package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// stateFolder returns a folder that does not exist yet, in memory so that flushing is cheap.
func stateFolder(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "journal-")
	if err != nil {
		dir = t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return filepath.Join(dir, "state")
}

// journalIn returns a journal in a state folder, and its warnings.
func journalIn(t testing.TB, dir string) (*Journal, *[]string) {
	t.Helper()
	var warnings []string
	j := New(func(make bool) (*os.Root, error) {
		if make {
			if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
				return nil, err
			}
		}
		return os.OpenRoot(dir)
	}, Options{Warn: func(text string) { warnings = append(warnings, text) }})
	t.Cleanup(func() { _ = j.Close() })
	return j, &warnings
}

// addChange begins and ends a change of a turn.
func addChange(t testing.TB, j *Journal, o Origin, c Change, keep ...string) Pending {
	t.Helper()
	objects := map[string][]byte{}
	for _, text := range keep {
		objects[Print([]byte(text))] = []byte(text)
	}
	p, err := j.Begin(Pending{Origin: o, Change: c}, objects)
	if err != nil {
		t.Fatal(err)
	}
	p.Change.State = Done
	if err := j.End(p); err != nil {
		t.Fatal(err)
	}
	return p
}

func turnsOf(t testing.TB, j *Journal) []Turn {
	t.Helper()
	turns, err := j.Turns()
	if err != nil {
		t.Fatal(err)
	}
	return turns
}

// overwrite returns a change from one text to another.
func overwrite(path, before, after string) Change {
	return Change{Op: "overwrite", Path: path, Files: []File{{
		Path: path, Before: Print([]byte(before)), After: Print([]byte(after)), Mode: 0o644, Size: int64(len(before)), NewSize: int64(len(after)), Kept: true,
	}}}
}

// TestReadingCreatesNothing: reading creates no folder.
func TestReadingCreatesNothing(t *testing.T) {
	dir := stateFolder(t)
	j, _ := journalIn(t, dir)
	if turns := turnsOf(t, j); len(turns) > 0 {
		t.Error(turns)
	}
	if _, ok, err := j.Pending(); ok || err != nil {
		t.Error(ok, err)
	}
	if _, err := j.Content(Print(nil)); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if u, err := j.Usage(); err != nil || u != (Usage{}) {
		t.Error(u, err)
	}
	if p, err := j.Prune(time.Now(), Limits{Age: 1, Bytes: 1}); err != nil || p != (Usage{}) {
		t.Error(p, err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// TestChangesByTurn: recorded changes and their contents are read back by turn, by this process and another one; only
// the owner can read the files.
func TestChangesByTurn(t *testing.T) {
	dir := stateFolder(t)
	j, warnings := journalIn(t, dir)
	first := Origin{Turn: "one", Source: "chat", Title: "tidy “up” <now>", Conversation: "c", Call: "call1", Tool: "write_file", Arguments: json.RawMessage(`{"path":"a.md"}`)}
	c := addChange(t, j, first, overwrite("a.md", "old", "new"), "old", "new").Change
	if c.Seq != 1 || c.Time.IsZero() || c.Tool != "write_file" {
		t.Errorf("%+v", c)
	}
	addChange(t, j, Origin{Turn: "one", Call: "call2", Tool: "delete_file"}, Change{Op: "delete", Path: "b.md"})
	alone := addChange(t, j, Origin{Source: "tool"}, Change{Op: "mkdir", Path: "F"})
	if err := errors.Join(j.EndTurn("one"), j.EndTurn(alone.Origin.Turn), j.EndTurn("unknown")); err != nil {
		t.Fatal(err)
	}

	other, _ := journalIn(t, dir)
	for _, j := range []*Journal{j, other} {
		turns := turnsOf(t, j)
		if len(turns) != 2 || turns[0].Turn != alone.Origin.Turn || turns[1].Turn != "one" {
			t.Fatalf("%+v", turns)
		}
		one := turns[1]
		if one.Title != first.Title || one.Source != "chat" || one.Conversation != "c" || one.Call != "" || one.Began.IsZero() || one.Ended.IsZero() || one.Cut() || len(one.Changes) != 2 {
			t.Errorf("%+v", one)
		}
		got := one.Changes[0]
		if got.Seq != 1 || got.State != Done || got.Call != "call1" || string(got.Arguments) != `{"path":"a.md"}` || got.Files[0] != c.Files[0] {
			t.Errorf("%+v", got)
		}
		if two := one.Changes[1]; two.Seq != 2 || two.Call != "call2" || two.Op != "delete" {
			t.Errorf("%+v", two)
		}
		if data, err := j.Content(c.Files[0].Before); string(data) != "old" || err != nil {
			t.Errorf("%q, %v", data, err)
		}
	}
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		info, infoErr := e.Info()
		if infoErr == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v", name, info.Mode())
		}
		return errors.Join(err, infoErr)
	})
	if err != nil || len(*warnings) > 0 {
		t.Error(err, *warnings)
	}
}

// TestPending: another process sees a change without a recorded end; its turn is running while its process lives, and
// interrupted afterwards.
func TestPending(t *testing.T) {
	dir := stateFolder(t)
	j, _ := journalIn(t, dir)
	addChange(t, j, Origin{Turn: "one", Source: "chat"}, Change{Op: "mkdir", Path: "F"})
	begun, err := j.Begin(Pending{Origin: Origin{Turn: "one", Source: "chat"}, Change: overwrite("a.md", "old", "new")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	other, _ := journalIn(t, dir)
	p, ok, err := other.Pending()
	if err != nil || !ok || p.Origin.Turn != "one" || p.Change.Seq != 2 || p.Change.State != Planned || p.Change.Files[0] != begun.Change.Files[0] {
		t.Fatalf("%+v, %v, %v", p, ok, err)
	}
	if turns := turnsOf(t, other); len(turns) != 1 || !turns[0].Running || turns[0].Cut() || len(turns[0].Changes) != 2 || turns[0].Changes[1].State != Planned {
		t.Errorf("%+v", turns)
	}
	if err := j.Close(); err != nil { // as if its process had exited
		t.Fatal(err)
	}
	if turns := turnsOf(t, other); turns[0].Running || !turns[0].Cut() {
		t.Errorf("%+v", turns)
	}
	p.Change.State, p.Change.Reason = Failed, "cut"
	if err := other.End(p); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := other.Pending(); ok || err != nil {
		t.Error(ok, err)
	}
	if turns := turnsOf(t, other); len(turns[0].Changes) != 2 || turns[0].Changes[1].State != Failed || !turns[0].Cut() {
		t.Errorf("%+v", turns)
	}
}

// TestRetriedTurn: an interrupted turn continues in its file when it is retried.
func TestRetriedTurn(t *testing.T) {
	dir := stateFolder(t)
	for range 2 {
		j, _ := journalIn(t, dir)
		addChange(t, j, Origin{Turn: "Zoë’s/odd: id"}, Change{Op: "mkdir", Path: "F"})
		_ = j.Close()
	}
	j, _ := journalIn(t, dir)
	c := addChange(t, j, Origin{Turn: "Zoë’s/odd: id"}, Change{Op: "mkdir", Path: "F"}).Change
	if err := j.EndTurn("Zoë’s/odd: id"); err != nil || c.Seq != 3 {
		t.Error(c.Seq, err)
	}
	if turns := turnsOf(t, j); len(turns) != 1 || turns[0].Cut() || len(turns[0].Changes) != 3 || turns[0].Turn != "Zoë’s/odd: id" {
		t.Errorf("%+v", turns)
	}
}

// TestContents: contents are stored once per turn, and are verified when they are read.
func TestContents(t *testing.T) {
	dir := stateFolder(t)
	j, _ := journalIn(t, dir)
	var many []string
	for i := range 500 {
		many = append(many, fmt.Sprintf("text %d", i))
	}
	addChange(t, j, Origin{Turn: "one"}, Change{Op: "x", Path: "x"}, append(many, "few", "")...)
	before, err := j.Usage()
	if err != nil {
		t.Fatal(err)
	}
	addChange(t, j, Origin{Turn: "one"}, Change{Op: "x", Path: "x"}, append(many, "few")...)
	if after, err := j.Usage(); err != nil || after.Bytes-before.Bytes > 2000 {
		t.Errorf("%d bytes more, %v", after.Bytes-before.Bytes, err)
	}
	other, warnings := journalIn(t, dir)
	for _, j := range []*Journal{j, other} {
		for _, text := range append(many, "few", "") {
			if data, err := j.Content(Print([]byte(text))); err != nil || string(data) != text {
				t.Fatalf("%q: %q, %v", text, data, err)
			}
		}
	}
	if err := j.EndTurn("one"); err != nil { // moves the file
		t.Fatal(err)
	}
	for _, j := range []*Journal{j, other} {
		if data, err := j.Content(Print([]byte("few"))); err != nil || string(data) != "few" {
			t.Errorf("%q, %v", data, err)
		}
	}

	// A damaged content is not returned.
	file := filepath.Join(dir, folderName, turnsName, "one.jsonl")
	data, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(file, bytes.Replace(data, []byte(`"ZmV3"`), []byte(`"ZmV4"`), 1), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if data, err := other.Content(Print([]byte("few"))); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%q, %v, %q", data, err, *warnings)
	}
}

// TestFirstSchema: version 0.1 stored each content in a separate file.
func TestFirstSchema(t *testing.T) {
	dir := stateFolder(t)
	print := Print([]byte("old"))
	for name, text := range map[string]string{
		"turns/one.jsonl":                    `{"type":"turn","schema":1,"origin":{"turn":"one"}}` + "\n" + `{"type":"change","change":{"seq":1,"op":"overwrite","path":"a.md","state":"done"}}` + "\n",
		"objects/" + print[:2] + "/" + print: "old",
	} {
		name = filepath.Join(dir, folderName, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	j, _ := journalIn(t, dir)
	if data, err := j.Content(print); err != nil || string(data) != "old" {
		t.Errorf("%q, %v", data, err)
	}
	for _, l := range []Limits{{Bytes: 1 << 20}, {Bytes: 1}} {
		if _, err := j.Prune(time.Now(), l); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(dir, folderName, "objects")); (err == nil) != (l.Bytes > 1) {
			t.Errorf("%+v: %v", l, err)
		}
	}
}

// TestDamage: every file cut at every byte, and with flipped bytes, is read without a panic; valid parts load,
// invalid ones are set aside with one warning.
func TestDamage(t *testing.T) {
	dir := stateFolder(t)
	j, _ := journalIn(t, dir)
	for _, id := range []string{"one", "two"} {
		for i := range 3 {
			addChange(t, j, Origin{Turn: id, Source: "chat", Title: "do"}, overwrite(fmt.Sprint(i, ".md"), "old", "new"))
		}
		if err := j.EndTurn(id); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := j.Begin(Pending{Origin: Origin{Turn: "two"}, Change: overwrite("a.md", "old", "new")}, nil); err != nil {
		t.Fatal(err)
	}
	_ = j.Close()
	for name, intact := range map[string]string{"open/two.jsonl": "one", "turns/one.jsonl": "two"} {
		file := filepath.Join(dir, folderName, name)
		whole, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		check := func(what string, data []byte) {
			if err := os.WriteFile(file, data, 0o600); err != nil {
				t.Fatal(err)
			}
			aside := filepath.Join(dir, folderName, turnsName, filepath.Base(name)+asideExt)
			_ = os.Remove(aside)
			j, warnings := journalIn(t, dir)
			defer func() { _ = j.Close() }()
			turns, err := j.Turns()
			if err != nil || len(turns) == 0 {
				t.Fatalf("%s, %s: %v, %d turns", name, what, err, len(turns))
			}
			there := false
			for _, turn := range turns {
				there = there || turn.Turn == intact && len(turn.Changes) >= 3
			}
			_, _, err = j.Pending()
			if _, noAside := os.Stat(aside); err != nil && !errors.Is(err, errLater) || !there || noAside == nil && len(*warnings) == 0 {
				t.Fatalf("%s, %s: %v, %+v\n%q", name, what, err, turns, *warnings)
			}
		}
		for at := 0; at < len(whole); at += 1 + at%3 {
			check(fmt.Sprint("cut at ", at), whole[:at])
			flipped := bytes.Clone(whole)
			flipped[at] ^= 1 << (at % 8)
			check(fmt.Sprint("flipped at ", at), flipped)
		}
		if err := os.WriteFile(file, whole, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestNewerVersion: files of a newer version are neither read nor overwritten.
func TestNewerVersion(t *testing.T) {
	dir := stateFolder(t)
	j, warnings := journalIn(t, dir)
	addChange(t, j, Origin{Turn: "one"}, Change{Op: "mkdir", Path: "F"})
	later := filepath.Join(dir, folderName, openName, "two.jsonl")
	if err := os.WriteFile(later, []byte(`{"type":"turn","schema":3,"origin":"else"}`+"\n"+`{"what":1}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if turns := turnsOf(t, j); len(turns) != 1 || len(*warnings) != 1 {
		t.Errorf("%+v, %q", turns, *warnings)
	}
	if _, err := j.Begin(Pending{Origin: Origin{Turn: "two"}, Change: Change{Op: "mkdir", Path: "F"}}, nil); !errors.Is(err, errLater) {
		t.Error(err)
	}
	if _, _, err := j.Pending(); !errors.Is(err, errLater) {
		t.Error(err)
	}
}

// TestMissingFolders: changes are recorded even after a crash right after the journal's folder was created, or if a
// synchronizer omits empty folders, also after an earlier read.
func TestMissingFolders(t *testing.T) {
	for _, folder := range []string{folderName, folderName + "/" + turnsName, folderName + "/" + openName} {
		dir := stateFolder(t)
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o700); err != nil {
			t.Fatal(err)
		}
		j, _ := journalIn(t, dir)
		if turns := turnsOf(t, j); len(turns) > 0 {
			t.Errorf("with only %s: turns %v", folder, turns)
		}
		if _, _, err := j.Pending(); err != nil {
			t.Errorf("with only %s: %v", folder, err)
		}
		addChange(t, j, Origin{Turn: "one", Source: "chat", Title: "do"}, overwrite("a.md", "old", "new"))
		if turns := turnsOf(t, j); len(turns) != 1 {
			t.Errorf("with only %s: %d turns were recorded", folder, len(turns))
		}
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestArguments(t *testing.T) {
	long := strings.Repeat("ä", 20<<10)
	tests := map[string]struct {
		given string
		want  func(string) bool
	}{
		"short":     {` {"path": "a.md"} `, func(s string) bool { return s == `{"path":"a.md"}` }},
		"none":      {"", func(s string) bool { return s == "" }},
		"no JSON":   {"{", func(s string) bool { return s == "" }},
		"long ones": {`{"path":"a.md","content":"` + long + `"}`, func(s string) bool { return strings.Contains(s, "bytes long") }},
	}
	for name, test := range tests {
		got := Arguments(json.RawMessage(test.given))
		if len(got) > maxArguments || len(got) > 0 && !json.Valid(got) || !test.want(string(got)) {
			t.Errorf("%s: %d bytes, %.300s", name, len(got), got)
		}
	}
}

// TestUnclear: a change that cannot be recovered ends as unclear.
func TestUnclear(t *testing.T) {
	j, _ := journalIn(t, stateFolder(t))
	p, err := j.Begin(Pending{Origin: Origin{Turn: "one"}, Change: overwrite("a.md", "old", "new")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	p.Change.State = Unclear
	if err := j.End(p); err != nil {
		t.Fatal(err)
	}
	if _, cut, err := j.Pending(); cut || err != nil {
		t.Errorf("%v, %v", cut, err)
	}
	if turns := turnsOf(t, j); turns[0].Changes[0].State != Unclear {
		t.Errorf("%+v", turns)
	}
}
