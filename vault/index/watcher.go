package index

import (
	"errors"

	"chatvault/vault/fsys"
)

// Op is a set of changes in an Event.
type Op uint8

// The changes that a watcher reports.
const (
	Modified Op = 1 << iota // content, times, mode or owner of Name in Folder
	Replaced                // Name was created, deleted or replaced in Folder
	Self                    // times, mode or owner of the folder itself
	Lost                    // events were lost: anything may have changed
)

// Event is a change of a folder. Changes of invisible names appear only as Self.
type Event struct {
	Folder string
	Name   string
	Op     Op
}

// Watcher reports changes in folders. It is safe for concurrent use.
type Watcher interface {
	// Add watches an open folder, but not its subfolders, until Remove is called with the returned ID. Changes in it
	// after the call are reported. from is the other path by which the folder has been watched, usually "": either it
	// was moved, which will be reported, or both paths lead to it.
	Add(path string, dir fsys.Folder) (id int, from string, err error)
	// Remove removes the watch unless it belongs to another path by now.
	Remove(id int, path string)
	// Drain passes all changes made before its call to each, oldest first. It does not wait.
	Drain(each func(Event)) error
	// Wait returns when there may be events. Its error is final.
	Wait() error
	Close() error
}

// ErrLimit is returned by Watcher.Add if the system watches no more folders for this user.
var ErrLimit = errors.New("the system's limit on watched folders is reached")

// pending describes the changes that have not been read yet.
type pending struct {
	all     bool // anything may have changed
	folders map[string]touched
}

// touched are the changed entries of a folder; true if the entry may have been replaced. It is empty if only the folder
// itself changed: its times, mode or owner.
type touched map[string]bool

func (t touched) has(name string) bool { _, ok := t[name]; return ok }

func (p *pending) empty() bool { return !p.all && len(p.folders) == 0 }

// everything records that anything may have changed.
func (p *pending) everything() { *p = pending{all: true} }

// add records an event.
func (p *pending) add(e Event) {
	switch {
	case p.all:
		return
	case e.Op&Lost != 0:
		p.everything()
		return
	case p.folders == nil:
		p.folders = map[string]touched{}
	}
	t := p.folders[e.Folder]
	if t == nil {
		t = touched{}
		p.folders[e.Folder] = t
	}
	if e.Op&(Replaced|Modified) != 0 {
		t[e.Name] = t[e.Name] || e.Op&Replaced != 0
	}
}
