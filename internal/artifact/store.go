package artifact

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"chatvault/internal/atomicfile"
	"chatvault/internal/failpoint"
	"chatvault/internal/statefile"
	"chatvault/vault/pathname"
)

// Where things are below the state folder: Folder has a file of bytes for each hash, and owners a log
// for each owner, OWNER.jsonl, of whose lines the last about an artifact counts.
const (
	Folder   = "artifacts"
	owners   = Folder + "/owners"
	lockFile = Folder + "/lock"
	schema   = 1
	maxLog   = 16 << 20
)

// State is how far an artifact has come.
type State string

// The states.
const (
	Created State = "created" // it is known, and its bytes are being stored
	Ready   State = "ready"   // they are on disk
	Failed  State = "failed"  // they are not, and will not be
)

// Source says where an artifact came from.
type Source struct {
	Turn string `json:"turn,omitempty"`
	Call string `json:"call,omitempty"` // of a tool; empty: the answer, or the user's message
	// Input is what went to the model and is the user's own, as a picture of the vault: it is listed nowhere.
	Input bool `json:"input,omitempty"`
}

// Entry is what an owner's log says of an artifact.
type Entry struct {
	Artifact
	Source
	Time   time.Time `json:"time"` // when it was created
	State  State     `json:"state"`
	Reason string    `json:"reason,omitempty"` // why it failed, for the user
	Owner  string    `json:"-"`
}

type line struct {
	Schema int `json:"schema"`
	Entry
}

// Store is the artifacts of a vault. It is safe for concurrent use, also by several processes. What
// stores holds a shared lock from Created until it ended; what removes holds it alone.
type Store struct{ root *os.Root }

// NewStore is the store below root, a vault's state folder. It reads and makes nothing yet.
func NewStore(root *os.Root) *Store { return &Store{root} }

// Put keeps data for an owner; when it returns nil the bytes are on disk.
func (s *Store) Put(owner string, from Source, name string, data []byte) (Artifact, error) {
	p, err := s.Begin(owner, from, name, data)
	if err == nil {
		err = p.Finish()
	}
	return p.Artifact, err
}

// Pending is an artifact that was created: it is in its owner's log. Finish must be called.
type Pending struct {
	Entry
	store *Store
	data  []byte
	lock  *flock.Flock
}

// Begin notes, durably, that an owner has data, and stores none of it yet. The Pending of an error
// says of what it is, and cannot be finished.
func (s *Store) Begin(owner string, from Source, name string, data []byte) (*Pending, error) {
	a, err := Describe(name, data)
	p := &Pending{Entry: Entry{Artifact: a, Source: from, Time: time.Now(), State: Created, Owner: owner}, store: s, data: data}
	if err == nil {
		err = s.begin(p)
	}
	if err != nil {
		p.State, p.Reason = Failed, err.Error()
	}
	return p, err
}

func (s *Store) begin(p *Pending) error {
	if !validOwner(p.Owner) {
		return fmt.Errorf("%q cannot have artifacts", p.Owner)
	}
	for _, folder := range []string{Folder, owners} {
		if err := statefile.MakeFolder(s.root, folder); err != nil {
			return err
		}
	}
	had, err := s.Owned(p.Owner)
	if err != nil {
		return err
	}
	size := p.Size
	for _, e := range had {
		if e.State != Failed && e.Hash != p.Hash {
			size += e.Size
		}
	}
	if size > MaxOwned {
		return fmt.Errorf("%w: this conversation would have more than %d MB of artifacts", ErrTooLarge, MaxOwned>>20)
	}
	if p.lock, err = s.hold((*flock.Flock).TryRLockContext); err != nil {
		return err
	}
	if err := s.log(p.Entry); err != nil {
		_ = p.lock.Unlock()
		return err
	}
	failpoint.Pass("artifact created")
	return nil
}

// Finish stores the bytes and notes what became of them, which State and Reason then say.
func (p *Pending) Finish() error {
	defer func() { _ = p.lock.Unlock() }()
	if data, err := p.store.Read(p.Hash); err != nil || !bytes.Equal(data, p.data) {
		if err := atomicfile.WriteFile(p.store.root, Folder+"/"+p.Hash, p.data, 0o600); err != nil {
			p.State, p.Reason = Failed, err.Error()
			return errors.Join(err, p.store.log(p.Entry))
		}
	}
	failpoint.Pass("artifact stored")
	p.data, p.State = nil, Ready
	return p.store.log(p.Entry)
}

// Read returns an artifact's bytes; fs.ErrNotExist where there are none, and where they are others.
func (s *Store) Read(hash string) ([]byte, error) {
	if !validHash(hash) {
		return nil, fmt.Errorf("%q is not an artifact: %w", hash, fs.ErrNotExist)
	}
	data, err := statefile.Read(s.root, Folder+"/"+hash, MaxSize)
	if err == nil && !(Artifact{Hash: hash}).Is(data) {
		return nil, fmt.Errorf("the artifact %s is damaged: %w", hash[:12], fs.ErrNotExist)
	}
	return data, err
}

// File is where the bytes of an artifact are.
func (s *Store) File(hash string) string { return filepath.Join(s.root.Name(), Folder, hash) }

// Owned are an owner's artifacts, in the order in which they came.
func (s *Store) Owned(owner string) ([]Entry, error) {
	if !validOwner(owner) {
		return nil, nil
	}
	data, err := statefile.Read(s.root, logOf(owner), maxLog)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return entries(owner, data), err
}

// All are the artifacts of all owners, newest first.
func (s *Store) All() ([]Entry, error) {
	logs, err := statefile.List(s.root, owners)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var all []Entry
	for _, f := range logs {
		if owner, ok := strings.CutSuffix(f.Name(), ".jsonl"); ok {
			list, ownerErr := s.Owned(owner)
			all, err = append(all, list...), errors.Join(err, ownerErr)
		}
	}
	slices.SortStableFunc(all, func(a, b Entry) int { return b.Time.Compare(a.Time) })
	return all, err
}

// entries are what a log says. Lines that say nothing, as one that a crash tore, are passed over.
func entries(owner string, data []byte) []Entry {
	type key struct{ hash, name string }
	var list []Entry
	at := map[key]int{}
	for raw := range bytes.SplitSeq(data, []byte{'\n'}) {
		var l line
		if json.Unmarshal(raw, &l) != nil || l.Schema != schema || !l.sound() {
			continue
		}
		l.Owner = owner
		k := key{l.Hash, l.Name}
		if i, ok := at[k]; ok {
			list[i] = l.Entry
			continue
		}
		at[k] = len(list)
		list = append(list, l.Entry)
	}
	return list
}

// sound says whether an artifact may be what it says: a folder synchroniser may have brought its log.
func (a Artifact) sound() bool {
	clean, err := pathname.Clean(a.Name)
	return validHash(a.Hash) && err == nil && clean == a.Name && !strings.Contains(a.Name, "/") && pathname.NewNameFault(a.Name) == "" &&
		strings.Trim(a.MediaType, alphanumeric+"/+.-_") == "" && a.Size >= 0 && a.Size <= MaxSize
}

func (s *Store) log(e Entry) error {
	data, err := json.Marshal(line{schema, e})
	if err != nil {
		return err
	}
	return atomicfile.AppendFile(s.root, logOf(e.Owner), data, 0o600)
}

func logOf(owner string) string { return owners + "/" + owner + ".jsonl" }

const (
	lockWait = 5 * time.Second
	lockPoll = 5 * time.Millisecond
)

// hold takes the lock in one of its two ways.
func (s *Store) hold(take func(*flock.Flock, context.Context, time.Duration) (bool, error)) (*flock.Flock, error) {
	l, err := statefile.NewLock(s.root, lockFile)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), lockWait)
	defer cancel()
	if ok, err := take(l, ctx, lockPoll); !ok {
		return nil, fmt.Errorf("another chatvault is busy with the artifacts: %w", err)
	}
	return l, nil
}

// validOwner keeps an id from naming anything but an owner's log.
func validOwner(id string) bool {
	return id != "" && len(id) <= 64 && strings.Trim(id, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

func validHash(h string) bool { return len(h) == 64 && strings.Trim(h, "0123456789abcdef") == "" }
