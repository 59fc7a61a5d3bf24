package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"sync"
	"time"

	"chatvault/internal/base/statefile"
	"chatvault/vault/fsys"
)

const (
	folderName = "journal"
	openName   = "open"
	turnsName  = "turns"
)

// Home opens the vault's state folder; the caller closes it. If it does not exist and create is false, the error is
// fs.ErrNotExist.
type Home func(create bool) (*os.Root, error)

// Options configures a Journal.
type Options struct {
	Warn func(text string) // receives a sentence about damaged files; optional
	Step func(name string) // called after each step of recording a change; optional
}

// Journal is a vault's journal. It is safe for concurrent use. Callers of Begin, End and Prune must hold the lock
// that serializes changes of the vault across processes.
type Journal struct {
	home Home
	opt  Options

	mu       sync.Mutex
	root     *os.Root             // the journal's folder; nil until opened
	made     bool                 // the folders exist
	running  map[string]*turnFile // turns of this process in progress, by the name of their file
	contents map[string]position  // by hash; nil until the turns are read
	warned   map[string]bool
}

// New returns the journal in the state folder that home opens. Nothing is opened or created until it is needed.
func New(home Home, o Options) *Journal {
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	if o.Step == nil {
		o.Step = func(string) {}
	}
	return &Journal{home: home, opt: o, running: map[string]*turnFile{}, warned: map[string]bool{}}
}

// Close closes all files. Turns that have not ended count as cut off.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	for name, t := range j.running {
		t.close(j.root)
		delete(j.running, name)
	}
	if j.root == nil {
		return nil
	}
	err := j.root.Close()
	j.root, j.made = nil, false
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
		j.root = root
	}
	if !create || j.made {
		return nil
	}
	err := errors.Join(statefile.MakeFolder(j.root, turnsName), statefile.MakeFolder(j.root, openName))
	j.made = err == nil
	return err
}

// openIn opens the journal's folder in a state folder.
func openIn(home Home, create bool) (*os.Root, error) {
	root, err := home(create)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	if create {
		if err := statefile.MakeFolder(root, folderName); err != nil {
			return nil, err
		}
	}
	return statefile.Folder(root, folderName)
}

// warn passes each text to Options.Warn once.
func (j *Journal) warn(text string) {
	if !j.warned[text] {
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

// Pending is a change that is about to happen, or was when its process ended.
type Pending struct {
	Origin Origin
	Change Change
}

// errLater is returned for a turn in a newer format.
var errLater = errors.New("the journal was written by a later version of chatvault: update this one; until then it will not change anything in this vault")

// Begin durably records a change that is about to happen and the contents in keep, by their hashes. It sets the
// turn's ID if there is none, and the number, time and origin of the change. The previous change must have ended.
func (j *Journal) Begin(p Pending, keep map[string][]byte) (Pending, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.open(true); err != nil {
		return p, err
	}
	if p.Origin.Turn == "" {
		p.Origin.Turn = NewID(time.Now())
	}
	t, err := j.activeTurn(p.Origin.Turn)
	if err != nil {
		return p, err
	}
	p.Origin.Title = shortTitle(p.Origin.Title)
	p.Change.Seq, p.Change.Time, p.Change.State = 1, time.Now(), Planned
	if n := len(t.Changes); n > 0 {
		p.Change.Seq += t.Changes[n-1].Seq
	}
	p.Change.Call, p.Change.Tool, p.Change.Arguments = p.Origin.Call, p.Origin.Tool, Arguments(p.Origin.Arguments)
	p.Origin.Call, p.Origin.Tool, p.Origin.Arguments = "", "", nil
	records := []record{{Type: recordChange, Change: &p.Change}}
	if !t.begun() {
		records = []record{{Type: recordTurn, Schema: schema, Time: p.Change.Time, Origin: &p.Origin}, records[0]}
	}
	if err := t.append(keep, j.root, records...); err != nil {
		return p, err
	}
	if j.contents != nil {
		maps.Copy(j.contents, t.contents)
	}
	j.opt.Step("planned")
	return p, nil
}

// End records the outcome of a change recorded by Begin.
func (j *Journal) End(p Pending) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.open(true); err != nil {
		return err
	}
	t := j.running[fileOf(p.Origin.Turn)]
	if t == nil { // of a process that was killed
		var err error
		if t, err = j.openTurn(p.Origin.Turn); err != nil {
			return err
		}
		defer t.close(j.root)
	}
	err := t.append(nil, nil, record{Type: recordOutcome, Time: time.Now(), Outcome: &outcome{p.Change.Seq, p.Change.State, p.Change.Reason, p.Change.NewPath}})
	if err == nil {
		j.opt.Step("recorded")
	}
	return err
}

// activeTurn returns the file of a turn of this process in progress. The caller must hold j.mu.
func (j *Journal) activeTurn(id string) (*turnFile, error) {
	if t := j.running[fileOf(id)]; t != nil {
		return t, nil
	}
	t, err := j.openTurn(id)
	if err != nil {
		return nil, err
	}
	if t.lock, err = statefile.NewLock(j.root, t.lockName()); err == nil {
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		defer cancel()
		_, _ = t.lock.TryLockContext(ctx, 5*time.Millisecond) // a reader holds it briefly; there may be no locks
	}
	j.running[t.name] = t
	return t, nil
}

// EndTurn records the normal end of a turn. A turn without changes leaves no record.
func (j *Journal) EndTurn(id string) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	t := j.running[fileOf(id)]
	if t == nil {
		return nil
	}
	delete(j.running, t.name)
	var err error
	if t.begun() {
		err = t.append(nil, nil, record{Type: recordEnd, Time: time.Now()})
	}
	t.close(j.root)
	if !t.begun() || err != nil || t.pending() != nil {
		return err
	}
	return j.move(t.name, openName, turnsName)
}

// move moves a turn's file between open/ and turns/. It need not be durable.
func (j *Journal) move(name, from, to string) error {
	return j.root.Rename(from+"/"+name, to+"/"+name)
}

// Pending returns a change without a recorded outcome; ok is false if there is none. If the caller holds the vault's
// lock, the change was cut off, otherwise it may be in progress.
func (j *Journal) Pending() (p Pending, ok bool, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.open(false); err != nil {
		return p, false, ignoreNotExist(err)
	}
	for _, t := range j.running {
		if c := t.pending(); c != nil {
			return Pending{t.Origin, *c}, true, nil
		}
	}
	names, err := j.turnNames(openName)
	for _, name := range names {
		if j.running[name] != nil {
			continue
		}
		t, err := j.readTurn(openName, name)
		switch {
		case errors.Is(err, fs.ErrNotExist) || statefile.Foreign(err):
		case err != nil:
			return p, false, err
		case t.later:
			return p, false, errLater
		case t.pending() != nil:
			return Pending{t.Origin, *t.pending()}, true, nil
		}
	}
	return p, false, err
}

// Content returns the stored content with a hash. The error is fs.ErrNotExist if it is not stored or damaged, and
// fsys.Scarce if that is unknown at the moment.
func (j *Journal) Content(print string) ([]byte, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.open(false); err != nil {
		return nil, err
	}
	for range 2 { // again if a turn was removed or moved by another process
		if j.contents == nil {
			if _, err := j.readTurns(); err != nil {
				return nil, err
			}
		}
		if at, ok := j.contents[print]; ok {
			data, err := j.readContent(at)
			if err == nil && Print(data) == print {
				return data, nil
			}
			if fsys.Scarce(err) {
				return nil, err
			}
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				j.warn(fmt.Sprintf("Kept bytes in the journal are damaged (%s): %v", at.turn, err))
			}
		}
		j.contents = nil
	}
	if IsPrint(print) { // of version 0.1
		data, err := statefile.Read(j.root, "objects/"+print[:2]+"/"+print, maxTurnFile)
		if err == nil && Print(data) == print || fsys.Scarce(err) {
			return data, err
		}
	}
	return nil, &fs.PathError{Op: "read", Path: print, Err: fs.ErrNotExist}
}

// ignoreNotExist returns err, or nil if it is fs.ErrNotExist.
func ignoreNotExist(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// NewID returns an ID for a turn. IDs sort by time.
func NewID(now time.Time) string { return statefile.NewID(now) }
