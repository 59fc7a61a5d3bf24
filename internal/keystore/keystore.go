// Package keystore keeps the API keys that were typed into the program, for the next start.
//
// It promises: a key is in the system's keyring where there is one, else in a file that only
// its owner can read, never inside a vault; the file is written atomically, through no symbolic
// link, and not read when others can read it; a key belongs to one provider at one address and
// is given out for no other; no error and no listing holds a key.
//
// The file is the list of what is stored, also of what is in the keyring: where nothing was
// ever stored no keyring is asked.
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

	"chatvault/internal/config"
)

// service is what the keyring knows the program by.
const service = "chatvault"

// ID is whose key it is.
type ID struct {
	Provider string // as the configuration calls it
	Address  string // scheme://host[:port] it is sent to
}

// IDOf is the ID of a provider at a base URL.
func IDOf(provider, baseURL string) ID {
	address := baseURL
	if u, err := url.Parse(baseURL); err == nil && u.Host != "" {
		address = strings.ToLower(u.Scheme + "://" + u.Host)
	}
	return ID{provider, address}
}

func (id ID) account() string { return id.Provider + " " + id.Address }

// Entry is what is known of a stored key beside the key.
type Entry struct {
	ID
	Variable string    // the variable it stands for
	Stored   time.Time // when
	Where    string    // for the user: the keyring, or the file

	insteadOf string // of the key it replaced: salt and hash
}

// Replaces says whether the stored key was given instead of this one, which the provider had
// refused.
func (e Entry) Replaces(key config.Secret) bool {
	salt, _, ok := strings.Cut(e.insteadOf, ":")
	return ok && !key.Empty() && subtle.ConstantTimeCompare([]byte(mark(salt, key)), []byte(e.insteadOf)) == 1
}

// mark is a short salted hash of a key: it recognises the key and reveals nothing of it.
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

// Options of a Store.
type Options struct {
	Folder  string // of the file; made when it is needed
	Vault   string // the file is never made inside it; empty: there is none
	Keyring bool   // the system's keyring is used where there is one
}

// Store holds the keys. It is safe for concurrent use, also by several processes.
type Store struct{ opt Options }

// New returns a store. It touches nothing yet.
func New(o Options) *Store { return &Store{o} }

const keyringName = "the system's keyring"

// Where says, for the user, where a key would be stored now; an error says why it can be
// nowhere.
func (s *Store) Where(ctx context.Context) (string, error) {
	if s.keyringAnswers(ctx) {
		return keyringName, nil
	}
	if err := s.mayHoldKeys(); err != nil {
		return "", err
	}
	return s.path(), nil
}

// Entries lists what is stored.
func (s *Store) Entries() ([]Entry, error) {
	list, err := s.read()
	entries := make([]Entry, len(list))
	for i, r := range list {
		entries[i] = s.entry(r)
	}
	return entries, err
}

// Find says what is stored for an ID; ok is false where nothing is. It asks no keyring.
func (s *Store) Find(id ID) (e Entry, ok bool, err error) {
	r, err := s.find(id)
	return s.entry(r), r.id() == id, err
}

// find is the record of an ID; zero where there is none.
func (s *Store) find(id ID) (record, error) {
	list, err := s.read()
	for _, r := range list {
		if r.id() == id {
			return r, nil
		}
	}
	return record{}, err
}

// Get returns the key of an ID; an empty one where none is stored, or the keyring lost it.
func (s *Store) Get(ctx context.Context, id ID) (config.Secret, error) {
	r, err := s.find(id)
	if r.Keyring {
		return s.fromKeyring(ctx, id)
	}
	return config.NewSecret(r.Key), err
}

// Put stores a key, in place of any before it, and says where. refused is the configured key
// that the provider had refused, empty where there was none.
func (s *Store) Put(ctx context.Context, id ID, variable string, key, refused config.Secret) (where string, err error) {
	r := record{
		Provider: id.Provider, Address: id.Address, Variable: variable, Stored: time.Now().UTC().Truncate(time.Second),
		InsteadOf: newMark(refused), Keyring: s.toKeyring(ctx, id, key),
	}
	if !r.Keyring {
		if err := s.mayHoldKeys(); err != nil {
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

// Forget removes the keys of a provider, by its name or the name of its variable, and says
// which they were.
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

func (s *Store) forget(ctx context.Context, which func(record) bool) ([]Entry, error) {
	list, err := s.read()
	if err != nil {
		return nil, err
	}
	var gone []Entry
	var failed error
	keep := map[ID]bool{}
	for _, r := range list {
		if !which(r) {
			continue
		}
		if r.Keyring {
			if err := s.dropFromKeyring(ctx, r.id()); err != nil { // it stays in the list, too
				failed = errors.Join(failed, err)
				keep[r.id()] = true
				continue
			}
		}
		gone = append(gone, s.entry(r))
	}
	if len(gone) == 0 {
		return nil, failed
	}
	err = s.change(func(list []record) []record {
		return slices.DeleteFunc(list, func(r record) bool { return which(r) && !keep[r.id()] })
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
