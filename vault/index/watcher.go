package index

import (
	"errors"

	"chatvault/vault/fsys"
)

// Op is what an Event says has happened. Several may be said at once.
type Op uint8

// The operations.
const (
	Modified Op = 1 << iota // the content, times, mode or owner of Name in Folder
	Replaced                // Name came to be in Folder, or went, or is another thing now
	Self                    // the folder's own times, mode or owner
	Lost                    // events were lost: anything may have changed
)

// Event is a change of a folder. A name that must not be seen is said by Self alone.
type Event struct {
	Folder string
	Name   string
	Op     Op
}

// Watcher tells what happens in folders. Its methods may be called from several goroutines.
type Watcher interface {
	// Add watches a folder, which is open, but nothing below it, until Remove is called with the
	// number it gives. What happens in it after the call is told. from is the other path by which
	// the folder was watched until now, mostly "": it was moved, which will be told, or it can be
	// reached by both.
	Add(path string, dir fsys.Folder) (id int, from string, err error)
	// Remove ends the watch, unless it is one of another path by now.
	Remove(id int, path string)
	// Drain tells what happened so far, in order. It does not wait.
	Drain(each func(Event)) error
	// Wait returns when there may be something to drain; its error says that there never will.
	Wait() error
	// Exact says that Drain tells everything that was done before it was called.
	Exact() bool
	Close() error
}

// ErrLimit says that the system watches no more folders for this user.
var ErrLimit = errors.New("the system's limit on watched folders is reached")

// pending is what is known to have changed and was not looked at yet.
type pending struct {
	all     bool // anything may have changed
	folders map[string]*touched
	names   int
}

// touched is what changed about a folder.
type touched struct {
	self  bool            // its own times, mode or owner
	names map[string]bool // what changed in it; true: another thing may have the name now
}

// maxPending bounds the names kept; beyond it, everything is looked at.
const maxPending = 20_000

func (p *pending) empty() bool { return !p.all && len(p.folders) == 0 }

// everything notes that anything may have changed.
func (p *pending) everything() { *p = pending{all: true} }

// folder is what changed about a folder so far.
func (p *pending) folder(path string) *touched {
	t := p.folders[path]
	if t == nil {
		if p.folders == nil {
			p.folders = map[string]*touched{}
		}
		t = &touched{}
		p.folders[path] = t
		p.names++
	}
	return t
}

// add notes an event.
func (p *pending) add(e Event) {
	if p.all {
		return
	}
	if e.Op&Lost != 0 {
		p.everything()
		return
	}
	t := p.folder(e.Folder)
	if e.Op&Self != 0 {
		t.self = true
	}
	if e.Op&(Replaced|Modified) != 0 {
		if t.names == nil {
			t.names = map[string]bool{}
		}
		if _, known := t.names[e.Name]; !known {
			p.names++
		}
		t.names[e.Name] = t.names[e.Name] || e.Op&Replaced != 0
	}
	if p.names > maxPending {
		p.everything()
	}
}
