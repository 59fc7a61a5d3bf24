package index

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/fsnotify/fsnotify"

	"chatvault/internal/routine"

	"chatvault/vault/fsys"
)

// notify is a Watcher based on fsnotify. Events may arrive some time after the changes.
type notify struct {
	dir  string
	w    *fsnotify.Watcher
	done sync.WaitGroup
	some chan struct{} // there are events

	mu     sync.Mutex
	events []Event
	last   int
	ids    map[int]string
	watch  map[string]int // number of ids per path
	names  int            // entries of watched folders, if eachCosts
}

// namesWatched limits the entries of watched folders where each uses a descriptor.
const namesWatched = 4000

// NewNotify returns a watcher for the folder at an absolute path.
func NewNotify(dir string) (Watcher, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watching: %w", err)
	}
	n := &notify{dir: dir, w: w, some: make(chan struct{}, 1), ids: map[int]string{}, watch: map[string]int{}}
	routine.Join(&n.done, "index notify", n.gather)
	return n, nil
}

// gather receives fsnotify's events at once, so that its queue stays short.
func (n *notify) gather() {
	defer close(n.some) // wakes waiters, also after a fault
	defer func() {
		if recover() != nil {
			_ = n.w.Close()
		}
	}()
	for {
		select {
		case e, ok := <-n.w.Events:
			if !ok {
				return
			}
			n.add(e)
		case _, ok := <-n.w.Errors:
			if !ok {
				return
			}
			n.put(Event{Op: Lost}) // events may be missing
		}
	}
}

func (n *notify) add(e fsnotify.Event) {
	path, err := filepath.Rel(n.dir, e.Name)
	if err != nil {
		n.put(Event{Op: Lost})
		return
	}
	path = filepath.ToSlash(path)
	if path == "." {
		n.put(Event{Op: Self})
		return
	}
	folder, name := split(path)
	op := Modified
	if e.Op.Has(fsnotify.Create) || e.Op.Has(fsnotify.Remove) || e.Op.Has(fsnotify.Rename) {
		op = Replaced | Self
	}
	n.put(Event{Folder: folder, Name: name, Op: op})
}

func (n *notify) put(e Event) {
	n.mu.Lock()
	if len(n.events) >= maxPending {
		n.events = append(n.events[:0], Event{Op: Lost})
	} else {
		n.events = append(n.events, e)
	}
	n.mu.Unlock()
	select {
	case n.some <- struct{}{}:
	default:
	}
}

func (n *notify) Add(path string, dir fsys.Folder) (id int, from string, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if eachCosts {
		if n.names += entries(dir); n.names > namesWatched {
			return 0, "", ErrLimit
		}
	}
	if err := n.w.Add(filepath.Join(n.dir, filepath.FromSlash(path))); err != nil {
		if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EMFILE) {
			return 0, "", ErrLimit
		}
		return 0, "", fmt.Errorf("watching: %w", err)
	}
	n.last++
	n.ids[n.last] = path
	n.watch[path]++
	return n.last, "", nil
}

// entries returns the number of entries of a folder, plus one for itself.
func entries(dir fsys.Folder) int {
	count := 1
	_ = dir.Entries(func(string, fsys.Kind) bool { // unreadable entries do not count
		count++
		return count <= namesWatched
	})
	return count
}

func (n *notify) Remove(id int, path string) {
	n.mu.Lock()
	_, ok := n.ids[id]
	last := false
	if ok {
		delete(n.ids, id)
		n.watch[path]--
		if last = n.watch[path] == 0; last {
			delete(n.watch, path)
		}
	}
	n.mu.Unlock()
	if last {
		_ = n.w.Remove(filepath.Join(n.dir, filepath.FromSlash(path))) // it may already be gone
	}
}

func (n *notify) Drain(each func(Event)) error {
	n.mu.Lock()
	events := n.events
	n.events = nil
	n.mu.Unlock()
	for _, e := range events {
		each(e)
	}
	return nil
}

var errWatchClosed = errors.New("the watcher is closed")

func (n *notify) Wait() error {
	if _, ok := <-n.some; !ok {
		return errWatchClosed
	}
	return nil
}

func (n *notify) Exact() bool { return false }

func (n *notify) Close() error {
	err := n.w.Close()
	n.done.Wait()
	return err
}
