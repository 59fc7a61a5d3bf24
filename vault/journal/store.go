package journal

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"chatvault/internal/atomicfile"
	"chatvault/internal/statefile"
)

// schema is the version of the file format.
const schema = 1

const (
	folderName  = "journal"
	turnsName   = "turns"
	pendingName = "pending.json"
)

// Home opens the vault's state folder; the caller closes it. If it does not exist and create is false, the error is
// fs.ErrNotExist.
type Home func(create bool) (*os.Root, error)

// Options configures a Journal.
type Options struct {
	Warn func(text string) // receives a sentence about damaged files; optional
	Step func(name string) // called after each durable step of recording a change; optional
	// Unfinished opens the state folder for pending.json. If nil, it is the journal's.
	Unfinished Home
}

// Journal is a vault's journal. It is safe for concurrent use. Callers of Begin, End and Prune must hold the lock
// that serializes changes of the vault across processes.
type Journal struct {
	home Home
	opt  Options

	mu          sync.Mutex
	root        *os.Root // the journal's folder; nil until opened
	pending     *os.Root // the folder of pending.json, usually root
	objects     *objects
	foldersMade bool                 // its subfolders exist
	running     map[string]*turnFile // turns of this process in progress, by ID
	warned      map[string]bool
}

// New returns the journal in the state folder that home opens. Nothing is opened or created until it is needed.
func New(home Home, o Options) *Journal {
	return &Journal{home: home, opt: o, running: map[string]*turnFile{}, warned: map[string]bool{}}
}

// Close closes all files. Turns that have not ended count as cut off.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	for id, t := range j.running {
		t.close(j.root)
		delete(j.running, id)
	}
	if j.root == nil {
		return nil
	}
	err := errors.Join(j.objects.close(), j.root.Close())
	if j.pending != j.root {
		err = errors.Join(err, j.pending.Close())
	}
	j.root, j.pending, j.objects, j.foldersMade = nil, nil, nil, false
	return err
}

// open opens the journal's folder. If it does not exist and create is false, the error is fs.ErrNotExist. The caller
// must hold j.mu.
func (j *Journal) open(create bool) error {
	if j.root == nil {
		root, err := openIn(j.home, create)
		if err != nil {
			return err
		}
		pending := root
		if j.opt.Unfinished != nil {
			if pending, err = openIn(j.opt.Unfinished, true); err != nil {
				_ = root.Close()
				return err
			}
		}
		j.root, j.pending, j.objects = root, pending, &objects{parent: root, warn: j.warn}
	}
	if !create || j.foldersMade {
		return nil
	}
	// Even if the folder exists: a crash may have come right after it was created, and a synchroniser may omit empty
	// folders.
	for _, name := range []string{turnsName, objectsName} {
		sub, err := openFolder(j.root, name, true)
		if err != nil {
			return err
		}
		_ = sub.Close()
	}
	j.foldersMade = true
	return nil
}

// openIn opens the journal's folder in a state folder.
func openIn(home Home, create bool) (*os.Root, error) {
	root, err := home(create)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	return openFolder(root, folderName, create)
}

// openFolder opens a folder, which must not be a link. With create, it is created if it does not exist.
func openFolder(parent *os.Root, name string, create bool) (*os.Root, error) {
	if create {
		if err := statefile.MakeFolder(parent, name); err != nil {
			return nil, err
		}
	}
	return statefile.Folder(parent, name)
}

// warn passes each text to Options.Warn once.
func (j *Journal) warn(text string) {
	if j.opt.Warn != nil && !j.warned[text] {
		j.warned[text] = true
		j.opt.Warn(text)
	}
}

// Warn reports a problem with the journal once.
func (j *Journal) Warn(text string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.warn(text)
}

func (j *Journal) at(step string) {
	if j.opt.Step != nil {
		j.opt.Step(step)
	}
}

// Pending is a change that is about to happen, or was when its process ended.
type Pending struct {
	Origin Origin `json:"origin"`
	Change Change `json:"change"`
}

// Begin durably records a change that is about to happen and stores the contents in keep by their hashes. It sets the
// turn's ID if there is none, and the number, time and origin of the change. The previous change must have ended.
func (j *Journal) Begin(p Pending, keep map[string][]byte) (Pending, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.open(true); err != nil {
		return p, err
	}
	if err := j.objects.put(keep); err != nil {
		return p, err
	}
	j.at("kept")
	if p.Origin.Turn == "" {
		p.Origin.Turn = NewID(time.Now())
	}
	t, err := j.activeTurn(p.Origin.Turn)
	if err != nil {
		return p, err
	}
	p.Origin.Title = shortTitle(p.Origin.Title)
	p.Change.Seq, p.Change.Time, p.Change.State = t.seq+1, time.Now(), Planned
	p.Change.Call, p.Change.Tool, p.Change.Arguments = p.Origin.Call, p.Origin.Tool, boundedArguments(p.Origin.Arguments)
	p.Origin.Call, p.Origin.Tool, p.Origin.Arguments = "", "", nil
	if err := j.writePending(&p); err != nil {
		return p, err
	}
	t.seq++
	j.at("planned")
	return p, nil
}

// End records the result of a change recorded by Begin, according to Change.State.
func (j *Journal) End(p Pending) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.open(true); err != nil {
		return err
	}
	t := j.running[p.Origin.Turn]
	if t == nil { // it belongs to another process that was cut off
		var err error
		if t, err = openTurn(j.root, p.Origin.Turn); err != nil {
			return err
		}
		defer t.close(j.root)
	}
	if err := t.append(j.root, p); err != nil {
		return err
	}
	j.at("recorded")
	return j.clearPending()
}

// activeTurn returns the file of a turn of this process in progress. The caller must hold j.mu.
func (j *Journal) activeTurn(id string) (*turnFile, error) {
	if t := j.running[id]; t != nil {
		return t, nil
	}
	t, err := openTurn(j.root, id)
	if err != nil {
		return nil, err
	}
	lockFile(t.file)
	j.running[id] = t
	return t, nil
}

// EndTurn records the normal end of a turn. A turn without changes leaves no record.
func (j *Journal) EndTurn(id string) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	t := j.running[id]
	if t == nil {
		return nil
	}
	delete(j.running, id)
	defer t.close(j.root)
	if !t.begun {
		return nil
	}
	return appendRecords(j.root, t.name, record{Type: recordEnd, Time: time.Now()})
}

// Pending returns the recorded change without a recorded end; ok is false if there is none. If the caller holds the
// vault's lock, the change was cut off, otherwise it may be in progress.
func (j *Journal) Pending() (p Pending, ok bool, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.open(false); err != nil {
		return p, false, ignoreNotExist(err)
	}
	return j.readPending(true)
}

// ignoreNotExist returns err, or nil if it is fs.ErrNotExist.
func ignoreNotExist(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// errLater is returned for a record in a newer format.
var errLater = errors.New("the journal was written by a later version of chatvault: update this one; until then it will not change anything in this vault")

// SetPendingAside moves the record of the pending change away, so that it is not recovered. why completes the
// warning.
func (j *Journal) SetPendingAside(why string) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.open(false); err != nil {
		return err
	}
	return j.setPendingAside("was set aside, without acting on it, because it " + why)
}

// setPendingAside moves the record of the pending change away. what describes the reason in the warning.
func (j *Journal) setPendingAside(what string) error {
	name, err := atomicfile.SetAside(j.pending, pendingName)
	if err != nil {
		return fmt.Errorf("the journal's %s cannot be used and could not be set aside: %w", pendingName, err)
	}
	j.warn(fmt.Sprintf("The record of a change that was about to be made %s: %s", what, filepath.Join(j.pending.Name(), name)))
	return nil
}

// readPending reads the pending change. If it is unreadable and aside is set, it is moved away: either its record is
// incomplete, so the change had not begun, or it is damaged.
func (j *Journal) readPending(aside bool) (p Pending, ok bool, err error) {
	data, err := readRegular(j.pending, pendingName)
	if err != nil && !statefile.Foreign(err) {
		return p, false, ignoreNotExist(err)
	}
	if err == nil && len(data) == 0 {
		return p, false, nil
	}
	var r struct {
		Schema int `json:"schema"`
		Pending
	}
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	switch {
	case err == nil && r.Schema > schema:
		return p, false, errLater
	case err == nil && r.Origin.Turn != "" && r.Change.Seq > 0:
		t, err := readTurn(j.root, fileOf(r.Origin.Turn))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return p, false, err
		}
		if t != nil && t.has(r.Change.Seq) { // the process ended right after recording its end
			return p, false, nil
		}
		return r.Pending, true, nil
	case !aside:
		return p, false, nil
	}
	return p, false, j.setPendingAside("could not be read and was set aside")
}

// writePending overwrites the file of the pending change. The change must not begin before it is complete on disk.
func (j *Journal) writePending(p *Pending) error {
	data, err := marshal(struct {
		Schema int `json:"schema"`
		*Pending
	}{schema, p})
	if err != nil {
		return err
	}
	_, lookErr := j.pending.Lstat(pendingName)
	f, _, err := statefile.Open(j.pending, pendingName, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if err = f.Truncate(0); err == nil {
		_, err = f.Write(data)
	}
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		_ = f.Truncate(0) // otherwise the change would look as if it was cut off
	}
	err = cmp.Or(err, f.Close())
	if err == nil && lookErr != nil {
		err = atomicfile.SyncDir(j.pending, ".")
	}
	return err
}

// clearPending removes the pending change. This need not be durable: a change with a recorded end is not pending.
func (j *Journal) clearPending() error {
	f, _, err := statefile.Open(j.pending, pendingName, os.O_WRONLY, 0)
	if err != nil {
		return ignoreNotExist(err)
	}
	err = f.Truncate(0)
	err = cmp.Or(err, f.Close())
	return err
}

// Object returns the content with a hash. The error is fs.ErrNotExist if it is not stored.
func (j *Journal) Object(print string) ([]byte, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.open(false); err != nil {
		return nil, err
	}
	return j.objects.get(print)
}

// Has reports whether the content with a hash is stored.
func (j *Journal) Has(print string) bool {
	_, err := j.Object(print)
	return err == nil
}

// NewID returns an ID for a turn. IDs sort by time.
func NewID(now time.Time) string { return statefile.NewID(now) }
