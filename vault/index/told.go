package index

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"sync"
)

// diff lists the changes found on the disk, of notes only.
type diff []change

// change is a file before and after a change; nil if it did not exist.
type change struct {
	folder  string
	was, is *File
}

func (d *diff) add(folder string, was, is *File) {
	*d = append(*d, change{folder: folder, was: was, is: is})
}

// setRoot sets root. The caller must hold the gate.
func (x *Index) setRoot(root *Folder, d diff) {
	first := x.root == nil
	x.root = root
	if len(d) == 0 {
		return
	}
	seq := x.seq.Add(1)
	for _, c := range d {
		f := c.is
		if f == nil {
			f = c.was
		}
		if c.was != nil {
			if t := c.was.text.Load(); t != nil {
				x.texts.add(t, -1)
			}
		}
		if c.is != nil && x.o.TextBytes > 0 && x.o.Keep(f.Name) {
			x.want = append(x.want, wanted{folder: c.folder, file: c.is})
		}
		if first || !x.o.IsNote(f.Name) {
			continue
		}
		path := join(c.folder, f.Name)
		n, known := x.notifications[path]
		if !known {
			n.was = c.was
		}
		n.seq = seq
		x.notifications[path] = n
	}
}

// notification is a change to be reported.
type notification struct {
	was *File  // nil if it did not exist
	seq uint64 // of the last change
}

// ownChanges are the changes of this process, which are not reported.
type ownChanges struct {
	mu    sync.Mutex
	open  int
	ended []ownChange
}

type ownChange struct {
	paths []string // changed, including everything below them
	since uint64   // changes up to this sequence number are not part of this change
}

// Own announces a change by this process. Changes until end is called, of and below the paths given to end, are not
// reported.
func (x *Index) Own() (end func(paths ...string)) {
	// Earlier changes by others are reported.
	x.tryRefresh()
	since := x.seq.Load()
	x.own.mu.Lock()
	defer x.own.mu.Unlock()
	x.own.open++
	return func(paths ...string) {
		x.own.mu.Lock()
		x.own.open--
		x.own.ended = append(x.own.ended, ownChange{paths, since})
		x.own.mu.Unlock()
		x.wakeRun()
	}
}

// tryRefresh applies known changes unless it would have to wait.
func (x *Index) tryRefresh() {
	if x.busy.Load() || !x.gate.lockWithin(x.ctx, patience) {
		return
	}
	defer x.gate.unlock()
	if x.root != nil && x.watch != nil {
		_, _ = x.refresh(x.ctx) // fails only if the index is closed
	}
}

// forget removes the ended changes.
func (o *ownChanges) forget() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ended = nil
}

// take removes and returns the ended changes; ok is false during a change.
func (o *ownChanges) take() (ended []ownChange, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.open > 0 {
		return nil, false
	}
	ended, o.ended = o.ended, nil
	return ended, true
}

// covers reports whether this process made the change of a path with the sequence number seq.
func (c ownChange) covers(path string, seq uint64) bool {
	if seq <= c.since {
		return false
	}
	for _, own := range c.paths {
		if path == own || strings.HasPrefix(path, own) && path[len(own)] == '/' {
			return true
		}
	}
	return false
}

// report reports the notes that others changed.
func (x *Index) report() {
	paths := x.takeNotifications()
	if len(paths) == 0 || x.o.OnChange == nil {
		return
	}
	x.o.OnChange(paths)
}

// takeNotifications takes the changes to report from the list.
func (x *Index) takeNotifications() []string {
	x.gate.lock()
	defer x.gate.unlock()
	if x.root == nil {
		clear(x.notifications)
		return nil
	}
	ended, ok := x.own.take()
	if !ok {
		return nil // the end of the change triggers another call
	}
	if len(ended) > 0 { // all of their effects are visible now
		if _, err := x.refresh(context.WithoutCancel(x.ctx)); err != nil || x.root == nil {
			return nil
		}
	}
	var paths []string
	for path, n := range x.notifications {
		if !slices.ContainsFunc(ended, func(c ownChange) bool { return c.covers(path, n.seq) }) && x.differs(path, n.was) {
			paths = append(paths, path)
		}
	}
	clear(x.notifications)
	slices.Sort(paths)
	return paths
}

// differs reports whether a note has changed since was.
func (x *Index) differs(path string, was *File) bool {
	folder, name := split(path)
	var is *File
	if f := x.root.Find(folder); f != nil {
		is = f.File(name)
	}
	if was == nil || is == nil {
		return was != is
	}
	if was.Stat.Size != is.Stat.Size {
		return true
	}
	before, now := was.Text(), is.Text()
	if before != nil && now != nil {
		return !bytes.Equal(before.Data, now.Data)
	}
	return was.Stat.Modified != is.Stat.Modified || was.Stat.Inode != is.Stat.Inode
}
