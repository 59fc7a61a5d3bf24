package index

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"sync"
	"time"
)

// diff is what a look at the disk found to be otherwise: notes only.
type diff []change

// change is a file in two states; nil: there is none.
type change struct {
	folder  string
	was, is *File
}

func (d *diff) add(folder string, was, is *File) {
	*d = append(*d, change{folder: folder, was: was, is: is})
}

// become makes root the state of things; the gate is held.
func (x *Index) become(root *Folder, d diff) {
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
				x.memos.Add(-max(t.memo.size.Swap(-1<<62), 0))
			}
		}
		if c.is != nil && x.o.TextBytes > 0 && x.o.Keep(f.Name) {
			x.want = append(x.want, wanted{folder: c.folder, file: c.is})
		}
		if first || !x.o.IsNote(f.Name) {
			continue
		}
		path := join(c.folder, f.Name)
		n, known := x.told[path]
		if !known {
			n.was = c.was
		}
		n.seq = seq
		x.told[path] = n
	}
}

// notification is a change that is to be notification.
type notification struct {
	was *File  // before it; nil: there was none
	seq uint64 // of the last change of it
}

// ownChanges are those of this process, which are not told.
type ownChanges struct {
	mu    sync.Mutex
	open  int
	ended []ownChange
}

type ownChange struct {
	paths []string // changed, each with what is below it
	since uint64   // what was taken in before is not of this change
	at    time.Time
}

// lingers is how long after a change of our own a watcher that is not exact may still tell of it.
const lingers = 2 * time.Second

// Own says that this process is about to change something. What happens to the paths given to
// end, and below them, until end is called is not told.
func (x *Index) Own() (end func(paths ...string)) {
	// What others did before is told.
	x.takeInSoon()
	since := x.seq.Load()
	x.own.mu.Lock()
	defer x.own.mu.Unlock()
	x.own.open++
	return func(paths ...string) {
		x.own.mu.Lock()
		x.own.open--
		x.own.ended = append(x.own.ended, ownChange{paths, since, time.Now()})
		x.own.mu.Unlock()
		x.again()
	}
}

// takeInSoon takes in what is known to have changed, unless that would have to wait.
func (x *Index) takeInSoon() {
	if x.busy.Load() || !x.gate.lockWithin(x.ctx, patience) {
		return
	}
	defer x.gate.unlock()
	if x.root != nil && x.watch != nil && x.watch.Exact() {
		_, _ = x.takeIn(x.ctx) // it only fails when the index is closed
	}
}

// forget forgets what ended.
func (o *ownChanges) forget() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ended = nil
}

// take is what ended so far; ok is false while a change is going on. What ended a while ago is
// forgotten with it, at once where nothing comes late.
func (o *ownChanges) take(late bool) (ended []ownChange, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.open > 0 {
		return nil, false
	}
	ended = o.ended
	if !late {
		o.ended = nil
		return ended, true
	}
	o.ended = slices.DeleteFunc(slices.Clone(ended), func(c ownChange) bool { return time.Since(c.at) > lingers })
	return ended, true
}

// made reports whether a change of a path is one of ours.
func (c ownChange) made(path string, seq uint64) bool {
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

// tell tells of the notes that others changed.
func (x *Index) tell() {
	paths := x.news()
	if len(paths) == 0 || x.o.Told == nil {
		return
	}
	x.o.Told(paths)
}

// news takes what is to be told off the list.
func (x *Index) news() []string {
	x.gate.lock()
	defer x.gate.unlock()
	if x.root == nil {
		clear(x.told)
		return nil
	}
	exact := x.watch != nil && x.watch.Exact()
	ended, ok := x.own.take(!exact)
	if !ok {
		return nil // when it ends, it comes up again
	}
	if len(ended) > 0 && exact { // all that they did can be known now
		if _, err := x.takeIn(context.WithoutCancel(x.ctx)); err != nil || x.root == nil {
			return nil
		}
	}
	var paths []string
	for path, n := range x.told {
		if !slices.ContainsFunc(ended, func(c ownChange) bool { return c.made(path, n.seq) }) && x.differs(path, n.was) {
			paths = append(paths, path)
		}
	}
	clear(x.told)
	slices.Sort(paths)
	return paths
}

// differs reports whether a note is not as it was.
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
