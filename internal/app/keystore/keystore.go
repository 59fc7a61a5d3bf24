// Package keystore stores API keys that were typed into the program in the system's keyring.
//
// Without a keyring, a key is kept for the process only. A key belongs to one provider at one address and is
// returned for no other. Errors and listings never contain a key.
//
// A keyring cannot be listed, so the names of the stored keys are in a file of the state folder. Without a name there,
// the keyring, which may ask the user to unlock it, is not used.
package keystore

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/zalando/go-keyring"

	"chatvault/internal/app/config"
	"chatvault/internal/base/routine"
)

// service is the name of the program in the keyring.
const service = "chatvault"

// patience is the timeout of the keyring, which may ask the user to unlock it.
const patience = 30 * time.Second

// ErrNoKeyring is returned if there is no keyring, or if it failed or did not answer in time.
var ErrNoKeyring = errors.New("no keyring answers on this system")

// names are the entries of the keys in the keyring.
var names = config.StateList[Entry]{File: "keys.json", Key: "keys", Most: 100}

// ID identifies a key.
type ID struct {
	Provider string `json:"provider"` // name in the configuration
	Address  string `json:"address"`  // scheme://host[:port] that the key is sent to
}

// IDOf returns the ID of a provider at a base URL.
func IDOf(provider, baseURL string) ID {
	address := baseURL
	if u, err := url.Parse(baseURL); err == nil && u.Host != "" {
		address = strings.ToLower(u.Scheme + "://" + u.Host)
	}
	return ID{provider, address}
}

func (id ID) account() string { return id.Provider + " " + id.Address }

// Entry describes a stored key without containing it.
type Entry struct {
	ID
	Variable  string `json:"variable,omitempty"`   // the environment variable that it replaces
	InsteadOf string `json:"instead_of,omitempty"` // salt and hash of the key that it replaced
}

// Replaces reports whether the stored key was entered after the provider had rejected the given one.
func (e Entry) Replaces(key config.Secret) bool {
	salt, _, ok := strings.Cut(e.InsteadOf, ":")
	return ok && !key.Empty() && subtle.ConstantTimeCompare([]byte(mark(salt, key)), []byte(e.InsteadOf)) == 1
}

// mark returns a short salted hash that recognizes a key without revealing it; none for an empty key.
func mark(salt string, key config.Secret) string {
	if key.Empty() {
		return ""
	}
	sum := sha256.Sum256([]byte(salt + "\x00" + key.Reveal()))
	return salt + ":" + hex.EncodeToString(sum[:6])
}

// Store stores keys. It is safe for concurrent use, also by several processes.
type Store struct {
	keyring bool

	mu    sync.Mutex
	typed map[ID]config.Secret // in this process
}

// New returns a store. It uses the system's keyring only if keyring is true.
func New(keyring bool) *Store { return &Store{keyring: keyring, typed: map[ID]config.Secret{}} }

// Entries returns all stored entries. Those that can be read are returned with an error too.
func (s *Store) Entries() ([]Entry, error) { return names.Read() }

// Find returns the entry of an ID without using the keyring; ok is false if there is none.
func (s *Store) Find(id ID) (e Entry, ok bool, err error) {
	list, err := s.Entries()
	if i := slices.IndexFunc(list, func(e Entry) bool { return e.ID == id }); i >= 0 {
		return list[i], true, err
	}
	return e, false, err
}

// Typed returns the key for an ID that was typed in this process, if any.
func (s *Store) Typed(id ID) config.Secret {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.typed[id]
}

// Get returns the key of an entry. It is empty if the keyring has lost it.
func (s *Store) Get(ctx context.Context, e Entry) (config.Secret, error) {
	got := make(chan config.Secret, 1)
	err := s.ask(ctx, func() error {
		key, err := keyring.Get(service, e.account())
		got <- config.NewSecret(key)
		return err
	})
	if err != nil {
		return config.Secret{}, err
	}
	return <-got, nil
}

// Put keeps a key for this process and stores it in the keyring, in place of an earlier one. refused is the configured
// key that the provider has rejected, if any. With an error the key is only kept for this process.
func (s *Store) Put(ctx context.Context, id ID, variable string, key, refused config.Secret) error {
	s.mu.Lock()
	s.typed[id] = key
	s.mu.Unlock()
	if err := s.ask(ctx, func() error { return keyring.Set(service, id.account(), key.Reveal()) }); err != nil {
		return err
	}
	e := Entry{ID: id, Variable: variable, InsteadOf: mark(rand.Text(), refused)}
	if back, err := s.Get(ctx, e); err != nil || back.Reveal() != key.Reveal() { // some keyrings accept and keep nothing
		return ErrNoKeyring
	}
	return names.Put(e, func(e Entry) bool { return e.ID == id })
}

// Forget removes keys and returns their entries. One that the keyring does not give up stays in the list.
func (s *Store) Forget(ctx context.Context, which func(Entry) bool) (gone []Entry, err error) {
	s.mu.Lock()
	maps.DeleteFunc(s.typed, func(id ID, _ config.Secret) bool { return which(Entry{ID: id}) })
	s.mu.Unlock()
	list, err := s.Entries()
	for _, e := range list {
		if !which(e) {
			continue
		}
		if failed := s.ask(ctx, func() error { return keyring.Delete(service, e.account()) }); failed != nil {
			err = errors.Join(err, fmt.Errorf("the key of %s stays: %w", e.Provider, failed))
			continue
		}
		gone = append(gone, e)
	}
	if len(gone) == 0 {
		return nil, err
	}
	is := func(e Entry) bool { return slices.ContainsFunc(gone, func(g Entry) bool { return g.ID == e.ID }) }
	return gone, errors.Join(err, names.Change(func(list []Entry) []Entry { return slices.DeleteFunc(list, is) }))
}

// ask runs a call of the keyring with a timeout. It is no error if the keyring has no such key. The keyring's own
// errors are replaced, since they could contain a key.
func (s *Store) ask(ctx context.Context, call func() error) error {
	if !s.keyring || !sessionBus() {
		return ErrNoKeyring
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	done := make(chan error, 1)
	routine.Go("keyring", func() {
		defer func() {
			if recover() != nil {
				done <- ErrNoKeyring
			}
		}()
		done <- call()
	})
	select {
	case err := <-done:
		if err == nil || errors.Is(err, keyring.ErrNotFound) {
			return nil
		}
	case <-ctx.Done():
	}
	return ErrNoKeyring
}

// sessionBus reports whether a message bus to reach a keyring exists, on systems that need one. Without this check, a
// call would start the bus.
func sessionBus() bool {
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		return true
	}
	if address := os.Getenv("DBUS_SESSION_BUS_ADDRESS"); address != "" {
		return !strings.HasPrefix(address, "autolaunch:")
	}
	_, err := os.Stat(fmt.Sprintf("/run/user/%d/bus", os.Getuid()))
	return err == nil
}
