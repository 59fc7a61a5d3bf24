// Package keystore stores API keys that were typed into the program.
//
// A key is in the system's keyring if there is one, otherwise in a file that only its owner can read and that is
// never inside a vault. The file is written atomically, without following symbolic links, and is rejected if others
// can read it. A key belongs to one provider at one address and is returned for no other. Errors and listings never
// contain a key.
//
// The file lists all stored keys, including those in the keyring, so the keyring is not used until a key has been
// stored.
package keystore

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"chatvault/internal/app/config"
)

// service is the name of the program in the keyring.
const service = "chatvault"

// ID identifies a key.
type ID struct {
	Provider string // name in the configuration
	Address  string // scheme://host[:port] that the key is sent to
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
	Variable string    // the environment variable that it replaces
	Stored   time.Time // when it was stored
	Where    string    // the keyring or the file, for the user

	insteadOf string // salt and hash of the key that it replaced
}

// Replaces reports whether the stored key was entered after the provider had rejected the given one.
func (e Entry) Replaces(key config.Secret) bool {
	salt, _, ok := strings.Cut(e.insteadOf, ":")
	return ok && !key.Empty() && subtle.ConstantTimeCompare([]byte(mark(salt, key)), []byte(e.insteadOf)) == 1
}

// mark returns a short salted hash that recognizes a key without revealing it.
func mark(salt string, key config.Secret) string {
	sum := sha256.Sum256([]byte(salt + "\x00" + key.Reveal()))
	return salt + ":" + hex.EncodeToString(sum[:6])
}

func newMark(key config.Secret) string {
	if key.Empty() {
		return ""
	}
	var salt [8]byte
	_, _ = rand.Read(salt[:]) // never fails (crypto/rand)
	return mark(hex.EncodeToString(salt[:]), key)
}

// Options configures a Store.
type Options struct {
	Folder  string // folder of the file; created when needed
	Vault   string // the file is never created inside this folder; "" means no vault
	Keyring bool   // use the system's keyring if there is one
}

// Store stores keys. It is safe for concurrent use, also by several processes.
type Store struct{ opt Options }

// New returns a store. It does not access any key.
func New(o Options) *Store { return &Store{o} }

const keyringName = "the system's keyring"

// Where returns, for the user, where a key would be stored now, or an error if it cannot be stored.
func (s *Store) Where(ctx context.Context) (string, error) {
	if s.keyringAvailable(ctx) {
		return keyringName, nil
	}
	if err := s.checkOutsideVault(); err != nil {
		return "", err
	}
	return s.path(), nil
}

// Entries returns all stored entries.
func (s *Store) Entries() ([]Entry, error) {
	list, err := s.read()
	entries := make([]Entry, len(list))
	for i, r := range list {
		entries[i] = s.entry(r)
	}
	return entries, err
}

// Find returns the entry for an ID without using the keyring; ok is false if there is none.
func (s *Store) Find(id ID) (e Entry, ok bool, err error) {
	r, err := s.find(id)
	return s.entry(r), r.id() == id, err
}

// find returns the record of an ID, or a zero record.
func (s *Store) find(id ID) (record, error) {
	list, err := s.read()
	for _, r := range list {
		if r.id() == id {
			return r, nil
		}
	}
	return record{}, err
}

// Get returns the key for an ID. It is empty if none is stored, or if the keyring has lost it.
func (s *Store) Get(ctx context.Context, id ID) (config.Secret, error) {
	r, err := s.find(id)
	if r.Keyring {
		return s.fromKeyring(ctx, id)
	}
	return config.NewSecret(r.Key), err
}

// Put stores a key, replacing an earlier one, and returns where. refused is the configured key that the provider has
// rejected, if any.
func (s *Store) Put(ctx context.Context, id ID, variable string, key, refused config.Secret) (where string, err error) {
	r := record{
		Provider: id.Provider, Address: id.Address, Variable: variable, Stored: time.Now().UTC().Truncate(time.Second),
		InsteadOf: newMark(refused), Keyring: s.toKeyring(ctx, id, key),
	}
	if !r.Keyring {
		if err := s.checkOutsideVault(); err != nil {
			return "", err
		}
		r.Key = key.Reveal()
	}
	err = s.change(func(list []record) []record {
		return append(slices.DeleteFunc(list, func(old record) bool { return old.id() == id }), r)
	})
	if err != nil {
		return "", fmt.Errorf("the key could not be stored: %w", err)
	}
	return s.entry(r).Where, nil
}

// Forget removes the keys of a provider, given by its name or by the name of its variable, and returns their entries.
func (s *Store) Forget(ctx context.Context, name string) ([]Entry, error) {
	return s.forget(ctx, func(r record) bool {
		return strings.EqualFold(r.Provider, name) || strings.EqualFold(r.Variable, name)
	})
}

// Drop removes the key of an ID, if there is one.
func (s *Store) Drop(ctx context.Context, id ID) error {
	_, err := s.forget(ctx, func(r record) bool { return r.id() == id })
	return err
}

// forget removes keys and returns their entries. One that the keyring does not give up stays in the list.
func (s *Store) forget(ctx context.Context, which func(record) bool) (gone []Entry, err error) {
	var failed error
	err = s.change(func(list []record) []record {
		list = slices.DeleteFunc(list, func(r record) bool {
			if !which(r) {
				return false
			}
			if r.Keyring {
				if err := s.dropFromKeyring(ctx, r.id()); err != nil {
					failed = errors.Join(failed, err)
					return false
				}
			}
			gone = append(gone, s.entry(r))
			return true
		})
		if len(gone) == 0 {
			return nil
		}
		return list
	})
	return gone, errors.Join(failed, err)
}

func (s *Store) entry(r record) Entry {
	e := Entry{ID: r.id(), Variable: r.Variable, Stored: r.Stored, Where: s.path(), insteadOf: r.InsteadOf}
	if r.Keyring {
		e.Where = keyringName
	}
	return e
}
