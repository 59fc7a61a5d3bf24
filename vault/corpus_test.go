package vault

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chatvault/internal/pathcorpus"
	"chatvault/vault/vaulterr"
)

// operation is a vault operation applied to a path of the corpus.
type operation struct {
	name    string
	ops     []string // names of the corpus with which it runs
	creates bool     // a missing name is not an error
	run     func(v *Vault, path string) (shown string, err error)
}

var operations = []operation{
	{"read", []string{"read"}, false, func(v *Vault, p string) (string, error) {
		f, err := v.Read(context.Background(), p)
		if err != nil {
			return "", err
		}
		return string(f.Data), nil
	}},
	{"info", []string{"info"}, false, func(v *Vault, p string) (string, error) {
		info, err := v.Stat(context.Background(), p)
		return info.Path, err
	}},
	{"list", []string{"list"}, false, func(v *Vault, p string) (string, error) {
		return v.finder.Folder(context.Background(), p)
	}},
	{"write", []string{"write", "edit"}, true, func(v *Vault, p string) (string, error) {
		c, err := v.Write(context.Background(), p, []byte("written\n"), "")
		return c.Path, err
	}},
	{"mkdir", []string{"create_folder"}, true, func(v *Vault, p string) (string, error) {
		name, _, err := v.Mkdir(context.Background(), p)
		return name, err
	}},
	{"move to", []string{"move", "move-dest"}, true, func(v *Vault, p string) (string, error) {
		source := "source.md"
		if p == "notes/sub/in" {
			source = "notes/sub"
		}
		c, err := v.Move(context.Background(), source, p)
		return c.NewPath, err
	}},
	{"move from", []string{"move"}, false, func(v *Vault, p string) (string, error) {
		c, err := v.Move(context.Background(), p, "moved.md")
		return c.Path, err
	}},
	{"delete", []string{"delete"}, false, func(v *Vault, p string) (string, error) {
		c, err := v.Delete(context.Background(), p, false)
		return c.Path, err
	}},
}

// exception returns the check for rows of the corpus where the product's contract takes precedence.
func exception(row pathcorpus.Row, op string) (reason string, check func(shown string, err error) error) {
	trueName := func(shown string, err error) error {
		if err != nil {
			return err
		}
		if shown != "notes/a.md" && !strings.Contains(shown, "text of a") {
			return fmt.Errorf("got %q, want notes/a.md", shown)
		}
		return nil
	}
	switch {
	case row.Path == "" && op == "list":
		return "no folder given is the root (list_files)", func(shown string, err error) error {
			if err == nil && shown != "." {
				err = fmt.Errorf("got %q, want the root", shown)
			}
			return err
		}
	case row.Path != "Notes/A.md":
		return "", nil
	}
	switch op {
	case "read", "lines", "info", "delete":
		return "a path that matches no file exactly is looked up ignoring case", trueName
	case "move from":
		return "the note that is moved is looked up ignoring case", trueName
	case "write":
		return "one match is used: no twin is created, the existing note is written", trueName
	}
	return "", nil
}

func TestCorpus(t *testing.T) {
	if testing.Short() {
		t.Skip("slow; run by make test")
	}
	ran := 0
	for i, row := range pathcorpus.Rows(t) {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			var f *pathcorpus.Fixture
			var v *Vault
			for _, op := range operations {
				if !row.For(op.ops...) {
					continue
				}
				ran++
				if f == nil {
					f = pathcorpus.Build(t, row)
					v = openTest(t, f.Vault)
				}
				shown, err := op.run(v, row.Path)
				checkRow(t, row, op, shown, err)
				f.Check(t)
				if err == nil {
					f = nil // the operation may have changed something: use a new vault for the next
				}
			}
		})
	}
	if ran < 500 {
		t.Fatalf("only %d of the corpus ran", ran)
	}
}

func checkRow(t *testing.T, row pathcorpus.Row, op operation, shown string, err error) {
	t.Helper()
	if strings.Contains(shown, pathcorpus.Secret) && !strings.HasPrefix(row.Path, "hard") {
		t.Errorf("%s (%s): the secret was disclosed", row.Why, op.name)
	}
	if err != nil {
		checkSentence(t, err)
		if strings.Contains(err.Error(), pathcorpus.Secret) {
			t.Errorf("%s: the secret is in the error", row.Why)
		}
	}
	if reason, check := exception(row, op.name); check != nil {
		if err := check(shown, err); err != nil {
			t.Errorf("%s, but %s: %v", row.Why, reason, err)
		}
		return
	}
	switch row.Expect {
	case pathcorpus.Deny:
		if err == nil {
			t.Errorf("%s: %s was allowed: %q", row.Why, op.name, shown)
		}
	case pathcorpus.NotFound:
		if op.creates {
			if err != nil && !errors.Is(err, vaulterr.KindExists) {
				t.Errorf("%s is an ordinary name, but: %v", row.Why, err)
			}
			return
		}
		if !errors.Is(err, vaulterr.KindNotFound) {
			t.Errorf("%s: got %q, %v; want not found", row.Why, shown, err)
		}
	case pathcorpus.Allow:
		if row.Setup == "file exists / create then read back byte-exact" && !op.creates {
			return // TestCorpusMustWork creates the file first
		}
		switch {
		case op.name == "mkdir" || op.name == "move to":
			if err != nil && !errors.Is(err, vaulterr.KindExists) {
				t.Errorf("%s: %v", row.Why, err)
			}
		case op.name == "list":
			if err != nil && !errors.Is(err, vaulterr.KindNotFolder) {
				t.Errorf("%s: %v", row.Why, err)
			}
		case err != nil:
			t.Errorf("%s: %s: %v", row.Why, op.name, err)
		}
	}
}

// checkSentence checks that an error has the form that all errors of the vault share.
func checkSentence(t *testing.T, err error) {
	t.Helper()
	var e *vaulterr.Error
	if !errors.As(err, &e) {
		t.Errorf("%T is not a vault error: %v", err, err)
		return
	}
	if len(e.Text) < 10 || strings.HasPrefix(e.Text, "Error: ") || strings.ContainsAny(e.Text, "\n\x00\x1b") {
		t.Errorf("not a sentence: %q", e.Text)
	}
	if e.Kind == vaulterr.KindDenied && len(e.Text) > 320 {
		t.Errorf("%d bytes of error: %s", len(e.Text), e.Text)
	}
}

func TestCorpusMustWork(t *testing.T) {
	for _, row := range pathcorpus.Rows(t) {
		if row.Setup != "file exists / create then read back byte-exact" {
			continue
		}
		f := pathcorpus.Build(t, row)
		v := openTest(t, f.Vault)
		want := "bytes, \x00 exact\r\n"
		c, err := v.Write(t.Context(), row.Path, []byte(want), "")
		if err != nil {
			t.Fatalf("%s: %v", row.Why, err)
		}
		got, err := v.Read(t.Context(), row.Path)
		if err != nil || string(got.Data) != want || got.Path != row.Path || c.Path != row.Path {
			t.Errorf("%s: %v, %+v, %+v", row.Why, err, c, got)
		}
	}
}

func TestCorpusNormalForm(t *testing.T) {
	f := pathcorpus.Build(t, pathcorpus.Row{Setup: "café.md (NFC) exists"})
	v := openTest(t, f.Vault)
	c, err := v.Write(t.Context(), "cafe\u0301.md", []byte("new"), "")
	if err != nil || c.Op != "overwrite" || c.Path != "caf\u00e9.md" {
		t.Fatalf("%+v, %v", c, err)
	}
	names, err := filepath.Glob(filepath.Join(f.Vault, "caf*"))
	if err != nil || len(names) != 1 {
		t.Errorf("a second file was made: %q, %v", names, err)
	}
}

func TestLongArgumentShortError(t *testing.T) {
	v := newTest(t, nil)
	for _, long := range []string{strings.Repeat("x", 20_000) + ".md", strings.Repeat("é", 500), strings.Repeat("\x1b", 3000), strings.Repeat("d/", 1500) + "x"} {
		_, err := v.Read(t.Context(), long)
		if err == nil || len(err.Error()) > 200 {
			t.Errorf("%d bytes: %v", len(err.Error()), err)
		}
	}
}

// openTest opens a vault for a test.
func openTest(t testing.TB, dir string) *Vault {
	t.Helper()
	v, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = v.Close() })
	return v
}

// newTest creates a vault with the given files; a name that ends in "/" is a folder.
func newTest(t testing.TB, files map[string]string) *Vault {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if strings.HasSuffix(name, "/") {
			mustTest(t, os.MkdirAll(full, 0o755))
			continue
		}
		mustTest(t, os.MkdirAll(filepath.Dir(full), 0o755))
		mustTest(t, os.WriteFile(full, []byte(content), 0o644))
	}
	return openTest(t, dir)
}

func mustTest(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// readFromDisk reads a file of the vault directly.
func readFromDisk(t testing.TB, v *Vault, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(v.dir, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// existsOnDisk reports whether a file exists, without using the vault.
func existsOnDisk(v *Vault, name string) bool {
	_, err := os.Lstat(filepath.Join(v.dir, filepath.FromSlash(name)))
	return err == nil
}
