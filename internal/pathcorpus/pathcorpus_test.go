package pathcorpus

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// recorder is a testing.TB that collects errors.
type recorder struct {
	testing.TB
	failures []string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

// TestCheckSees checks that Check reports each kind of damage.
func TestCheckSees(t *testing.T) {
	for name, c := range map[string]struct {
		damage func(f *Fixture) error
		seen   bool
	}{
		"nothing": {func(*Fixture) error { return nil }, false},
		"a note changed": {func(f *Fixture) error {
			return os.WriteFile(filepath.Join(f.Vault, "notes/a.md"), nil, 0o600)
		}, false},
		"a note in the trash": {func(f *Fixture) error {
			return os.Rename(filepath.Join(f.Vault, "notes/a.md"), filepath.Join(f.Vault, ".trash/a.md"))
		}, false},
		"outside changed": {func(f *Fixture) error {
			return os.WriteFile(filepath.Join(f.Vault, "../secret.md"), nil, 0o600)
		}, true},
		"outside made": {func(f *Fixture) error {
			return os.Mkdir(filepath.Join(f.Vault, "../new"), 0o700)
		}, true},
		"outside removed": {func(f *Fixture) error {
			return os.Remove(filepath.Join(f.Vault, "../secret.md"))
		}, true},
		"protected changed": {func(f *Fixture) error {
			return os.WriteFile(filepath.Join(f.Vault, ".obsidian/app.json"), nil, 0o600)
		}, true},
		"protected made": {func(f *Fixture) error {
			return os.WriteFile(filepath.Join(f.Vault, ".git/hook"), nil, 0o600)
		}, true},
		"hidden made": {func(f *Fixture) error {
			return os.WriteFile(filepath.Join(f.Vault, ".left-behind"), nil, 0o600)
		}, true},
	} {
		f := Build(t, Row{})
		if err := c.damage(f); err != nil {
			t.Fatal(err)
		}
		r := &recorder{TB: t}
		f.Check(r)
		if seen := len(r.failures) > 0; seen != c.seen {
			t.Errorf("%s: seen %v, %q", name, seen, r.failures)
		}
	}
}

func TestRows(t *testing.T) {
	rows := Rows(t)
	if len(rows) < 120 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, r := range rows {
		if r.Why == "" || r.Expect != Deny && r.Expect != NotFound && r.Expect != Allow {
			t.Errorf("%+v", r)
		}
	}
}
