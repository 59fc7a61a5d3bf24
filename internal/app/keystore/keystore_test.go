package keystore

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/zalando/go-keyring"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"chatvault/internal/app/config"
)

func TestMain(m *testing.M) {
	sessionBus = func() bool { return true } // every test uses a mock keyring
	keyring.MockInitWithError(errors.New("no keyring in this test"))
	goleak.VerifyTestMain(m)
}

const secret = "sk-canary-0123456789abcdef"

var acme = IDOf("acme", "https://API.acme.example/v1")

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// inFile returns a store without a keyring.
func inFile(t *testing.T) *Store {
	t.Helper()
	return New(Options{Folder: filepath.Join(t.TempDir(), "config", "chatvault")})
}

func put(t *testing.T, s *Store, id ID, variable, key, refused string) string {
	t.Helper()
	where, err := s.Put(t.Context(), id, variable, config.NewSecret(key), config.NewSecret(refused))
	must(t, err)
	return where
}

func get(t *testing.T, s *Store, id ID) string {
	t.Helper()
	key, err := s.Get(t.Context(), id)
	must(t, err)
	return key.Reveal()
}

func TestFile(t *testing.T) {
	s := inFile(t)
	if list, err := s.Entries(); err != nil || len(list) > 0 {
		t.Errorf("before anything is stored: %v, %v", list, err)
	}
	if _, err := os.Stat(s.opt.Folder); !errors.Is(err, os.ErrNotExist) {
		t.Error("looking made the folder")
	}
	where, err := s.Where(t.Context())
	if must(t, err); where != s.path() {
		t.Errorf("it would be in %s", where)
	}
	if got := put(t, s, acme, "ACME_API_KEY", secret, ""); got != where {
		t.Errorf("it is in %s", got)
	}
	again := New(s.opt)
	if got := get(t, again, acme); got != secret {
		t.Errorf("got %q", got)
	}
	for _, other := range []ID{{"acme", "https://evil.example"}, {"other", acme.Address}, IDOf("acme", "http://api.acme.example/v1")} {
		if get(t, again, other) != "" {
			t.Errorf("%v got the key of %v", other, acme)
		}
	}
	info, err := os.Stat(s.path())
	if must(t, err); info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	put(t, s, acme, "ACME_API_KEY", "second-key-9876", "")
	if list, err := s.Entries(); err != nil || len(list) != 1 || get(t, s, acme) != "second-key-9876" {
		t.Errorf("stored again: %+v, %v", list, err)
	}
	if data, err := os.ReadFile(s.path()); err != nil || strings.Contains(string(data), secret) {
		t.Errorf("the first key is still there, %v", err)
	}
}

func TestKeyring(t *testing.T) {
	keyring.MockInit()
	defer keyring.MockInitWithError(errors.New("no keyring in this test"))
	s := New(Options{Folder: t.TempDir(), Keyring: true})
	if where, err := s.Where(t.Context()); err != nil || where != keyringName {
		t.Errorf("%q, %v", where, err)
	}
	if where := put(t, s, acme, "ACME_API_KEY", secret, "refused-key-1"); where != keyringName {
		t.Errorf("it is in %s", where)
	}
	data, err := os.ReadFile(s.path())
	if must(t, err); strings.Contains(string(data), secret) {
		t.Error("the file holds the key too")
	}
	if got := get(t, s, acme); got != secret {
		t.Errorf("got %q", got)
	}
	if e, ok, err := s.Find(acme); err != nil || !ok || e.Where != keyringName || !e.Replaces(config.NewSecret("refused-key-1")) {
		t.Errorf("%+v, %v, %v", e, ok, err)
	}
	must(t, keyring.Delete(service, acme.account())) // by the user, in another program
	if got := get(t, s, acme); got != "" {
		t.Errorf("got %q after it was lost", got)
	}
	put(t, s, acme, "ACME_API_KEY", secret, "")
	if gone, err := s.Forget(t.Context(), "Acme"); err != nil || len(gone) != 1 {
		t.Errorf("%+v, %v", gone, err)
	}
	if _, err := keyring.Get(service, acme.account()); !errors.Is(err, keyring.ErrNotFound) {
		t.Errorf("the keyring has it still: %v", err)
	}
}

// TestKeyringFails: without a working keyring the file is used, and keys in a keyring that is no longer available
// remain in the list.
func TestKeyringFails(t *testing.T) {
	s := New(Options{Folder: t.TempDir(), Keyring: true})
	if where := put(t, s, acme, "", secret, ""); where != s.path() || get(t, s, acme) != secret {
		t.Errorf("it is in %s", where)
	}
	keyring.MockInit()
	put(t, s, acme, "", secret, "")
	keyring.MockInitWithError(errors.New("no keyring in this test"))
	if key, err := s.Get(t.Context(), acme); err == nil || !key.Empty() {
		t.Errorf("%q, %v", key.Reveal(), err)
	}
	if gone, err := s.Forget(t.Context(), "acme"); err == nil || len(gone) > 0 {
		t.Errorf("%+v, %v", gone, err)
	}
	if list, err := s.Entries(); err != nil || len(list) != 1 {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestForget(t *testing.T) {
	s := inFile(t)
	other := IDOf("other", "https://other.example")
	put(t, s, acme, "ACME_API_KEY", secret, "")
	put(t, s, other, "OTHER_API_KEY", "other-key-12345", "")
	if gone, err := s.Forget(t.Context(), "nobody"); err != nil || len(gone) > 0 {
		t.Errorf("%+v, %v", gone, err)
	}
	gone, err := s.Forget(t.Context(), "acme_api_key")
	if must(t, err); len(gone) != 1 || gone[0].Provider != "acme" || get(t, s, acme) != "" || get(t, s, other) == "" {
		t.Errorf("%+v", gone)
	}
	must(t, s.Drop(t.Context(), other))
	must(t, s.Drop(t.Context(), other))
	if list, err := s.Entries(); err != nil || len(list) > 0 {
		t.Errorf("%+v, %v", list, err)
	}
}

// TestReplaces recognizes the rejected key and no other; the file reveals nothing about it.
func TestReplaces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := rapid.StringMatching(`[A-Za-z0-9_-]{1,40}`)
		refused, other := draw.Draw(t, "refused"), draw.Draw(t, "other")
		e := Entry{insteadOf: newMark(config.NewSecret(refused))}
		if !e.Replaces(config.NewSecret(refused)) || e.Replaces(config.NewSecret(other)) != (refused == other) || e.Replaces(config.Secret{}) {
			t.Fatalf("%q", e.insteadOf)
		}
		if len(e.insteadOf) != 29 || newMark(config.NewSecret(refused)) == e.insteadOf {
			t.Fatalf("%q is no salted hash", e.insteadOf)
		}
	})
	if (Entry{}).Replaces(config.NewSecret("a")) || newMark(config.Secret{}) != "" {
		t.Error("a key that replaced none")
	}
}

// TestFileIsRefused: a file that others can read, that is not a regular file, or that is invalid is not used, and the
// error contains nothing of it.
func TestFileIsRefused(t *testing.T) {
	text := "schema = 1\n[[keys]]\nprovider = \"acme\"\naddress = \"https://api.acme.example\"\nkey = \"" + secret + "\"\n"
	for _, c := range []struct {
		name, want string
		make       func(t *testing.T, path string)
	}{
		{"readable by others", "chmod 600", func(t *testing.T, path string) { must(t, os.WriteFile(path, []byte(text), 0o644)) }},
		{"a link", "not a regular file", func(t *testing.T, path string) {
			elsewhere := filepath.Join(t.TempDir(), "x")
			must(t, os.WriteFile(elsewhere, []byte(text), 0o600))
			must(t, os.Symlink(elsewhere, path))
		}},
		{"a folder", "not a regular file", func(t *testing.T, path string) { must(t, os.Mkdir(path, 0o700)) }},
		{"no TOML", "makes no sense", func(t *testing.T, path string) { must(t, os.WriteFile(path, []byte("key = "+secret), 0o600)) }},
		{"of later", "later version", func(t *testing.T, path string) {
			must(t, os.WriteFile(path, []byte(strings.Replace(text, "= 1", "= 2", 1)), 0o600))
		}},
		{"endless", "larger than", func(t *testing.T, path string) { must(t, os.WriteFile(path, make([]byte, maxFile+1), 0o600)) }},
	} {
		s := New(Options{Folder: t.TempDir()})
		c.make(t, s.path())
		key, err := s.Get(t.Context(), acme)
		if err == nil || !key.Empty() || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: %v", c.name, err)
		}
		if _, _, err := s.Find(acme); err == nil {
			t.Errorf("%s: found", c.name)
		}
	}
}

// TestCorruptIsSetAside: an invalid file is kept under another name and does not prevent storing a key.
func TestCorruptIsSetAside(t *testing.T) {
	s := New(Options{Folder: t.TempDir()})
	must(t, os.WriteFile(s.path(), []byte("[[keys"), 0o600))
	put(t, s, acme, "", secret, "")
	aside, err := filepath.Glob(s.path() + ".corrupt-*")
	if must(t, err); len(aside) != 1 || get(t, s, acme) != secret {
		t.Errorf("%v", aside)
	}
}

// TestNotWritable: an unusable file is not overwritten, and the key is not stored.
func TestNotWritable(t *testing.T) {
	s := New(Options{Folder: t.TempDir()})
	must(t, os.WriteFile(s.path(), []byte("schema = 1\n"), 0o644))
	_, err := s.Put(t.Context(), acme, "", config.NewSecret(secret), config.Secret{})
	if err == nil || strings.Contains(err.Error(), secret) {
		t.Error(err)
	}
	if data, err := os.ReadFile(s.path()); err != nil || string(data) != "schema = 1\n" {
		t.Errorf("%q, %v", data, err)
	}
}

func TestNeverInTheVault(t *testing.T) {
	vault := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	must(t, os.Symlink(vault, link))
	for _, folder := range []string{vault, filepath.Join(vault, "config", "chatvault"), filepath.Join(link, "x")} {
		s := New(Options{Folder: folder, Vault: vault})
		if where, err := s.Where(t.Context()); err == nil {
			t.Errorf("%s: would be in %s", folder, where)
		}
		if _, err := s.Put(t.Context(), acme, "", config.NewSecret(secret), config.Secret{}); err == nil {
			t.Errorf("%s: stored", folder)
		}
	}
	entries, err := os.ReadDir(vault)
	if must(t, err); len(entries) > 0 {
		t.Errorf("in the vault: %v", entries)
	}
	beside := New(Options{Folder: vault + "-beside", Vault: vault})
	if _, err := beside.Where(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestTogether stores keys concurrently: none is lost.
func TestTogether(t *testing.T) {
	folder := t.TempDir()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			s := New(Options{Folder: folder})
			if _, err := s.Put(t.Context(), IDOf(fmt.Sprint("p", i), "https://x.example"), "", config.NewSecret(secret), config.Secret{}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if list, err := New(Options{Folder: folder}).Entries(); err != nil || len(list) != 8 {
		t.Errorf("%d stored, %v", len(list), err)
	}
}

// TestNothingPrintsAKey formats the values that the package returns.
func TestNothingPrintsAKey(t *testing.T) {
	s := inFile(t)
	put(t, s, acme, "ACME_API_KEY", secret, "refused-canary")
	list, err := s.Entries()
	must(t, err)
	key, err := s.Get(t.Context(), acme)
	must(t, err)
	if text := fmt.Sprintf("%v %+v %#v %v %+v %#v", list, list, list, key, s, s); strings.Contains(text, secret) || strings.Contains(text, "refused-canary") {
		t.Error(text)
	}
}
