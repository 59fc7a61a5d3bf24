// Package pathcorpus provides the corpus of bad paths (testdata/bad_paths.json) for tests, and a vault for
// each row of it: with a secret file next to the vault, protected folders in it, and the links that the row
// requires. Fixture.Check then fails the test if a file outside the vault or in a protected folder was changed.
package pathcorpus

import (
	"encoding/base64"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Expected results of an operation.
const (
	Deny     = "deny"             // an error and no change
	NotFound = "notfound"         // the path is valid, but no file has it
	Allow    = "allow-normalised" // success with the normalized path
)

// Row is a row of the corpus.
type Row struct {
	Path   string
	Why    string   // the reason for the expected result
	Expect string   // Deny, NotFound or Allow
	Ops    []string // operations that the row applies to; empty means all
	Setup  string   // what Build adds to the vault; may be empty
}

// For reports whether the row applies to any of the operations.
func (r Row) For(ops ...string) bool {
	if len(r.Ops) == 0 {
		return true
	}
	return slices.ContainsFunc(ops, func(op string) bool { return slices.Contains(r.Ops, op) })
}

// Rows returns the rows of the corpus.
func Rows(t testing.TB) []Row {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(projectFolder(t), "testdata", "bad_paths.json"))
	if err != nil {
		t.Fatal(err)
	}
	var raw []struct {
		Path    string `json:"path"`
		PathB64 string `json:"path_b64"`
		Why     string `json:"why"`
		Expect  string `json:"expect"`
		Ops     string `json:"ops"`
		Setup   string `json:"setup"`
	}
	if err := json.Unmarshal(data, &raw); err != nil {
		t.Fatal(err)
	}
	rows := make([]Row, 0, len(raw))
	for _, r := range raw {
		row := Row{Path: r.Path, Why: r.Why, Expect: r.Expect, Setup: r.Setup}
		if r.PathB64 != "" {
			bytes, err := base64.StdEncoding.DecodeString(r.PathB64)
			if err != nil {
				t.Fatal(err)
			}
			row.Path = string(bytes)
		}
		if r.Ops != "" {
			row.Ops = strings.Split(r.Ops, ",")
		}
		rows = append(rows, row)
	}
	return rows
}

// projectFolder returns the closest folder with a go.mod, from the working folder upwards.
func projectFolder(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod above the working folder")
		}
		dir = filepath.Dir(dir)
	}
}

// Secret is a text in the files outside the vault and in protected folders. No operation may return it, except
// through a hard link, which cannot be distinguished from a note.
const Secret = "SECRET-4711"

// Fixture is a vault for one row.
type Fixture struct {
	Vault  string            // absolute path of the vault
	guard  string            // parent folder of the vault
	state  bool              // the program may write its state, see KeepsState
	before map[string]string // the result of guarded before the operation
}

// KeepsState makes Check accept new files in the program's state folder, and changes in its inbox. Tests that
// run the whole program and not only its tools need it.
func (f *Fixture) KeepsState() { f.state = true }

// Build returns a new vault with the setup of a row.
func Build(t testing.TB, r Row) *Fixture {
	t.Helper()
	guard := t.TempDir()
	f := &Fixture{Vault: filepath.Join(guard, "vault"), guard: guard}
	f.write(t, "secret.md", Secret+" outside\n")
	f.write(t, "vault/.obsidian/app.json", `{"trashOption":"local","note":"`+Secret+`"}`)
	f.write(t, "vault/.obsidian/plugins/evil/main.js", Secret)
	f.write(t, "vault/.smarthole/conversations.json", Secret)
	f.write(t, "vault/.smarthole/inbox/1.json", Secret)
	f.write(t, "vault/.git/config", Secret)
	f.write(t, "vault/.trash/old.md", Secret)
	f.write(t, "vault/notes/a.md", "# A\n\ntext of a\n")
	f.write(t, "vault/notes/sub/b.md", "# B\n")
	f.write(t, "vault/source.md", "to be moved\n")
	f.setUp(t, r)
	f.before = f.guarded(t)
	return f
}

// setUp carries out the setup of a row, which has one of a few fixed forms.
func (f *Fixture) setUp(t testing.TB, r Row) {
	t.Helper()
	setup := r.Setup
	if setup == "as above" {
		setup = "ln -s /etc/passwd abs-link.md"
	}
	words := strings.Fields(setup)
	switch {
	case len(words) == 4 && words[0] == "ln" && words[1] == "-s":
		must(t, os.Symlink(words[2], filepath.Join(f.Vault, words[3])))
	case len(words) == 3 && words[0] == "ln":
		must(t, os.Link(filepath.Join(f.Vault, words[1]), filepath.Join(f.Vault, words[2])))
	case strings.HasPrefix(setup, "STRASSE.md"):
		f.write(t, "vault/STRASSE.md", "another note\n")
	case strings.HasSuffix(setup, "(NFC) exists"):
		f.write(t, "vault/caf\u00e9.md", "# Café\n")
	}
}

func (f *Fixture) write(t testing.TB, name, content string) {
	t.Helper()
	name = filepath.Join(f.guard, filepath.FromSlash(name))
	must(t, os.MkdirAll(filepath.Dir(name), 0o755))
	must(t, os.WriteFile(name, []byte(content), 0o644))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Check fails the test if a file outside the vault or in a hidden folder was created, changed or removed. New
// files in the vault's trash are accepted.
func (f *Fixture) Check(t testing.TB) {
	t.Helper()
	is := f.guarded(t)
	for _, name := range slices.Sorted(maps.Keys(f.before)) {
		if f.state && strings.HasPrefix(name, "vault/.smarthole/inbox") {
			continue
		}
		if now, ok := is[name]; !ok {
			t.Errorf("%s was removed", name)
		} else if now != f.before[name] {
			t.Errorf("%s was changed: %.80q", name, now)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(is)) {
		if _, ok := f.before[name]; !ok && !strings.HasPrefix(name, "vault/.trash/") && (!f.state || !strings.HasPrefix(name, "vault/.smarthole/")) {
			t.Errorf("%s was made", name)
		}
	}
}

// guarded returns what must not change: the contents of files, the targets of symbolic links, and the folders,
// outside the vault and in its hidden folders. The keys are paths relative to the parent of the vault.
func (f *Fixture) guarded(t testing.TB) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(f.guard, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(f.guard, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		inside, isInside := strings.CutPrefix(rel, "vault/")
		if rel == "vault" || isInside && !strings.HasPrefix(inside, ".") {
			return nil
		}
		switch {
		case e.IsDir():
			found[rel] = "folder"
		case e.Type()&fs.ModeSymlink != 0:
			found[rel], err = os.Readlink(name)
		default:
			var data []byte
			data, err = os.ReadFile(name)
			found[rel] = string(data)
		}
		return err
	})
	must(t, err)
	return found
}
