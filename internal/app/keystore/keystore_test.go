package keystore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/adrg/xdg"
	"github.com/zalando/go-keyring"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"chatvault/internal/app/config"
)

// storeEnv makes the test binary store a key with its value's name, and end.
const storeEnv = "KEYSTORE_TEST_STORE"

func TestMain(m *testing.M) {
	keyring.MockInitWithError(errors.New("no keyring in this test"))
	if name := os.Getenv(storeEnv); name != "" {
		keyring.MockInit()
		if err := New(true).Put(context.Background(), IDOf(name, "https://x.example"), "", config.NewSecret(secret), config.Secret{}); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
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

// home sets empty folders of settings and state, and a keyring that works or fails.
func home(t *testing.T, works bool) *Store {
	t.Helper()
	for _, name := range []string{"XDG_CONFIG_HOME", "XDG_STATE_HOME"} {
		t.Setenv(name, t.TempDir())
	}
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere")
	xdg.Reload()
	t.Cleanup(xdg.Reload)
	if works {
		keyring.MockInit()
		t.Cleanup(func() { keyring.MockInitWithError(errors.New("no keyring in this test")) })
	}
	return New(true)
}

func put(t *testing.T, s *Store, id ID, variable, key, refused string) {
	t.Helper()
	must(t, s.Put(t.Context(), id, variable, config.NewSecret(key), config.NewSecret(refused)))
}

// get returns the key of an ID as a new process has it.
func get(t *testing.T, id ID) string {
	t.Helper()
	s := New(true)
	e, ok, err := s.Find(id)
	if must(t, err); !ok {
		return ""
	}
	key, err := s.Get(t.Context(), e)
	must(t, err)
	return key.Reveal()
}

func named(name string) func(Entry) bool {
	return func(e Entry) bool { return e.Provider == name }
}

// inFolders returns the files of settings and state that contain a text.
func inFolders(t *testing.T, text string) (found []string) {
	t.Helper()
	for _, folder := range []string{xdg.ConfigHome, xdg.StateHome} {
		must(t, filepath.WalkDir(folder, func(path string, e os.DirEntry, err error) error {
			if err == nil && !e.IsDir() {
				if data, _ := os.ReadFile(path); strings.Contains(string(data), text) {
					found = append(found, path)
				}
			}
			return err
		}))
	}
	return found
}

func TestKeyring(t *testing.T) {
	s := home(t, true)
	put(t, s, acme, "ACME_API_KEY", secret, "refused-key-1")
	if found := inFolders(t, secret); len(found) > 0 {
		t.Errorf("the key is in %v", found)
	}
	list := filepath.Join(config.StateDir(), names.File)
	if info, err := os.Stat(list); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%s: %v", list, err)
	}
	if got := get(t, acme); got != secret {
		t.Errorf("got %q", got)
	}
	for _, other := range []ID{{"acme", "https://evil.example"}, {"other", acme.Address}, IDOf("acme", "http://api.acme.example/v1")} {
		if get(t, other) != "" {
			t.Errorf("%v got the key of %v", other, acme)
		}
	}
	e, ok, err := s.Find(acme)
	if err != nil || !ok || !e.Replaces(config.NewSecret("refused-key-1")) {
		t.Errorf("%+v, %v, %v", e, ok, err)
	}
	must(t, keyring.Delete(service, acme.account())) // by the user, in another program
	if got := get(t, acme); got != "" {
		t.Errorf("got %q after it was lost", got)
	}
	put(t, s, acme, "ACME_API_KEY", "second-key-9876", "")
	if got := get(t, acme); got != "second-key-9876" {
		t.Errorf("stored again: %q", got)
	}
	if gone, err := s.Forget(t.Context(), named("nobody")); err != nil || len(gone) > 0 {
		t.Errorf("%+v, %v", gone, err)
	}
	if gone, err := s.Forget(t.Context(), named("acme")); err != nil || len(gone) != 1 || !s.Typed(acme).Empty() {
		t.Errorf("%+v, %v", gone, err)
	}
	if _, err := keyring.Get(service, acme.account()); !errors.Is(err, keyring.ErrNotFound) {
		t.Errorf("the keyring has it still: %v", err)
	}
	if list, err := s.Entries(); err != nil || len(list) > 0 {
		t.Errorf("%+v, %v", list, err)
	}
}

// TestNoKeyring: the key is kept for the process and written nowhere, and a key in a keyring that no longer answers
// stays in the list.
func TestNoKeyring(t *testing.T) {
	for name, s := range map[string]*Store{"fails": home(t, false), "off": New(false)} {
		err := s.Put(t.Context(), acme, "", config.NewSecret(secret), config.Secret{})
		if !errors.Is(err, ErrNoKeyring) || s.Typed(acme).Reveal() != secret {
			t.Errorf("%s: %v", name, err)
		}
		if list, err := s.Entries(); err != nil || len(list) > 0 || len(inFolders(t, "acme")) > 0 {
			t.Errorf("%s: %+v, %v", name, list, err)
		}
	}
	s := home(t, true)
	put(t, s, acme, "", secret, "")
	keyring.MockInitWithError(errors.New("gone"))
	e, _, err := s.Find(acme)
	must(t, err)
	if key, err := s.Get(t.Context(), e); !errors.Is(err, ErrNoKeyring) || !key.Empty() {
		t.Errorf("%q, %v", key.Reveal(), err)
	}
	if gone, err := s.Forget(t.Context(), named("acme")); err == nil || len(gone) > 0 {
		t.Errorf("%+v, %v", gone, err)
	}
	if list, err := s.Entries(); err != nil || len(list) != 1 {
		t.Errorf("%+v, %v", list, err)
	}
}

// TestKeyringHangs: a call that waits for the user, and one that panics, end with an error.
func TestKeyringHangs(t *testing.T) {
	s := home(t, true)
	synctest.Test(t, func(t *testing.T) {
		unlocked := make(chan struct{})
		began := time.Now()
		err := s.ask(t.Context(), func() error { <-unlocked; return nil })
		if waited := time.Since(began); !errors.Is(err, ErrNoKeyring) || waited != patience {
			t.Errorf("%v after %v", err, waited)
		}
		close(unlocked)
		if err := s.ask(t.Context(), func() error { panic(secret) }); !errors.Is(err, ErrNoKeyring) {
			t.Error(err)
		}
		if err := s.ask(t.Context(), func() error { return errors.New("wrong: " + secret) }); strings.Contains(err.Error(), secret) {
			t.Error(err)
		}
	})
}

// TestReplaces recognizes the rejected key and no other; the list reveals nothing about it.
func TestReplaces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := rapid.StringMatching(`[A-Za-z0-9_-]{1,40}`)
		refused, other := draw.Draw(t, "refused"), draw.Draw(t, "other")
		e := Entry{InsteadOf: mark("salt", config.NewSecret(refused))}
		if !e.Replaces(config.NewSecret(refused)) || e.Replaces(config.NewSecret(other)) != (refused == other) || e.Replaces(config.Secret{}) {
			t.Fatalf("%q", e.InsteadOf)
		}
		if len(e.InsteadOf) != 17 || mark("other", config.NewSecret(refused)) == e.InsteadOf {
			t.Fatalf("%q is no salted hash", e.InsteadOf)
		}
	})
	if (Entry{}).Replaces(config.NewSecret("a")) || mark("salt", config.Secret{}) != "" {
		t.Error("a key that replaced none")
	}
}

// TestConcurrentProcesses stores keys from several processes at once: no name is lost.
func TestConcurrentProcesses(t *testing.T) {
	s := home(t, true)
	var all []*exec.Cmd
	for i := range 8 {
		c := exec.Command(os.Args[0])
		c.Env, c.Stdout = append(os.Environ(), fmt.Sprint(storeEnv, "=p", i)), os.Stderr
		must(t, c.Start())
		all = append(all, c)
	}
	for _, c := range all {
		must(t, c.Wait())
	}
	if list, err := s.Entries(); err != nil || len(list) != 8 {
		t.Errorf("%d stored, %v", len(list), err)
	}
}

// TestNothingPrintsAKey formats the values that the package returns.
func TestNothingPrintsAKey(t *testing.T) {
	s := home(t, true)
	put(t, s, acme, "ACME_API_KEY", secret, "refused-canary")
	list, err := s.Entries()
	if must(t, err); len(list) != 1 {
		t.Fatalf("%+v", list)
	}
	key, err := s.Get(t.Context(), list[0])
	must(t, err)
	if text := fmt.Sprintf("%v %+v %#v %v %+v %#v", list, list, list, key, s, s); key.Reveal() != secret || strings.Contains(text, secret) || strings.Contains(text, "refused-canary") {
		t.Error(text)
	}
}

// TestKeyringThatKeepsNothing: a keyring that accepts a key and loses it counts as none.
func TestKeyringThatKeepsNothing(t *testing.T) {
	s := home(t, true)
	keyring.MockInitWithError(keyring.ErrNotFound)
	t.Cleanup(keyring.MockInit)
	if err := s.Put(t.Context(), acme, "", config.NewSecret(secret), config.Secret{}); !errors.Is(err, ErrNoKeyring) {
		t.Error(err)
	}
}
