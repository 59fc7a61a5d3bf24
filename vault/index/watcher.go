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
