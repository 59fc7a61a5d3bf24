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

// schema is the version of the files' format.
const schema = 1

const (
	folderName  = "journal"
	turnsName   = "turns"
	pendingName = "pending.json"
)

// Home opens the vault's state folder, which the caller closes. Where there is none and create
// is false, the error is fs.ErrNotExist.
type Home func(create bool) (*os.Root, error)

// Options of a Journal.
type Options struct {
	Warn func(text string) // told, in a sentence, of what makes no sense; nil: nobody
	Step func(name string) // told of each step of keeping a change, when it is durable; nil: nobody
	// Unfinished opens the folder in which the change that is under way is noted down, where that is
	// another than the one of what happened; nil: it is the same.
	Unfinished Home
}

// Journal is a vault's journal. It is safe for concurrent use. Begin, End and Prune are called
// with the lock held under which the vault is changed, whichever process changes it.
type Journal struct {
	home Home
	opt  Options

	mu        sync.Mutex
	root      *os.Root // the journal's folder; nil: not opened yet
	pending   *os.Root // the folder of pending.json, which is root where nothing else is said
	objects   *objects
	furnished bool                 // its sub-folders are there
	running   map[string]*turnFile // turns that this process works on, by id
	warned    map[string]bool
}

// New returns the journal in the state folder that home opens. Nothing is opened or made before it
// is needed.
func New(home Home, o Options) *Journal {
	return &Journal{home: home, opt: o, running: map[string]*turnFile{}, warned: map[string]bool{}}
}

// Close releases what is open. Turns that were not ended count as cut from now on.
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
	j.root, j.pending, j.objects, j.furnished = nil, nil, nil, false
	return err
}

// open opens the journal's folder, with j.mu held. Where there is none and create is false, the
// error is fs.ErrNotExist.
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
	if !create || j.furnished {
		return nil
	}
	// Also where the folder was there before: a crash may have come right after it was made, and
	// a synchroniser may have left out what was empty.
	for _, name := range []string{turnsName, objectsName} {
		sub, err := openFolder(j.root, name, true)
		if err != nil {
			return err
		}
		_ = sub.Close()
	}
	j.furnished = true
	return nil
}

// openIn opens the journal's folder in a home.
func openIn(home Home, create bool) (*os.Root, error) {
	root, err := home(create)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	return openFolder(root, folderName, create)
}

// openFolder opens a folder, which must be one and no link, and makes it where it is missing.
func openFolder(parent *os.Root, name string, create bool) (*os.Root, error) {
	if create {
		if err := statefile.MakeFolder(parent, name); err != nil {
			return nil, err
		}
	}
	return statefile.Folder(parent, name)
}

// warn tells of something once.
func (j *Journal) warn(text string) {
	if j.opt.Warn != nil && !j.warned[text] {
		j.warned[text] = true
		j.opt.Warn(text)
	}
}

// Warn tells of something that went wrong with the journal, once.
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

// Pending is a change that is about to happen, or was about to when its process ended.
type Pending struct {
	Origin Origin `json:"origin"`
	Change Change `json:"change"`
}

// Begin notes a change down that is about to happen, durably, together with the bytes that are to
// be kept, by their prints. It fills in the turn's id where there is none, the change's number, its
// time and what it has of its origin. The change before must have ended.
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
	t, err := j.hold(p.Origin.Turn)
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

// End records how a change that Begin noted down went. Change.State says it.
func (j *Journal) End(p Pending) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.open(true); err != nil {
		return err
	}
	t := j.running[p.Origin.Turn]
	if t == nil { // it is another process's, which ended in the middle
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

// hold is the file of a turn that this process works on, with j.mu held.
func (j *Journal) hold(id string) (*turnFile, error) {
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

// EndTurn records that a turn ended as it should. A turn that changed nothing leaves no record.
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

// Pending is the change that somebody noted down and whose end nobody recorded; ok is false where
// there is none. With the vault's lock held it was cut; else it may be under way.
func (j *Journal) Pending() (p Pending, ok bool, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.open(false); err != nil {
		return p, false, ifThere(err)
	}
	return j.readPending(true)
}

// ifThere is an error but that something is not there.
func ifThere(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// errLater says that a change is not ours to read.
var errLater = errors.New("the journal was written by a later version of chatvault: update this one; until then it will not change anything in this vault")

// SetPendingAside sets the pending change aside, for a reason: it is neither settled nor read again.
func (j *Journal) SetPendingAside(why string) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.open(false); err != nil {
		return err
	}
	return j.setPendingAside("was set aside, without acting on it, because it " + why)
}

// setPendingAside sets the pending change aside; what says why and what became of it.
func (j *Journal) setPendingAside(what string) error {
	name, err := atomicfile.SetAside(j.pending, pendingName)
	if err != nil {
		return fmt.Errorf("the journal's %s cannot be used and could not be set aside: %w", pendingName, err)
	}
	j.warn(fmt.Sprintf("The record of a change that was about to be made %s: %s", what, filepath.Join(j.pending.Name(), name)))
	return nil
}

// readPending reads the pending change. What makes no sense is set aside where aside is true: it
// was written in part, so that the change had not begun, or was damaged.
func (j *Journal) readPending(aside bool) (p Pending, ok bool, err error) {
	data, err := readRegular(j.pending, pendingName)
	if err != nil && !statefile.Foreign(err) {
		return p, false, ifThere(err)
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
		if t != nil && t.has(r.Change.Seq) { // the process ended right after it was recorded
			return p, false, nil
		}
		return r.Pending, true, nil
	case !aside:
		return p, false, nil
	}
	return p, false, j.setPendingAside("could not be read and was set aside")
}

// writePending writes the pending change in place: as long as it is not whole on disk the change
// does not begin.
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
		_ = f.Truncate(0) // else it would look as if the change had been cut
	}
	err = cmp.Or(err, f.Close())
	if err == nil && lookErr != nil {
		err = atomicfile.SyncDir(j.pending, ".")
	}
	return err
}

// clearPending takes the pending change away. It need not be durable: a change that is recorded is
// not pending.
func (j *Journal) clearPending() error {
	f, _, err := statefile.Open(j.pending, pendingName, os.O_WRONLY, 0)
	if err != nil {
		return ifThere(err)
	}
	err = f.Truncate(0)
	err = cmp.Or(err, f.Close())
	return err
}

// Object is the bytes that have a print; fs.ErrNotExist where they are not kept.
func (j *Journal) Object(print string) ([]byte, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.open(false); err != nil {
		return nil, err
	}
	return j.objects.get(print)
}

// Has says whether the bytes that have a print are kept.
func (j *Journal) Has(print string) bool {
	_, err := j.Object(print)
	return err == nil
}

// NewID makes an id for a turn. It sorts by time.
func NewID(now time.Time) string { return statefile.NewID(now) }
