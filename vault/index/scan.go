package index

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"chatvault/internal/base/routine"

	"chatvault/vault/fsys"
)

// maxEntries limits the files and folders in an index.
const maxEntries = 400_000

var errGone = errors.New("the vault's folder is gone")

var errTooMany = fmt.Errorf("the vault has more than %d files", maxEntries)

// readAll reads everything, with a new watcher if available. The caller must hold x.mu.
func (x *Index) readAll(ctx context.Context) {
	if x.stopReason != "" {
		return
	}
	x.busy.Store(true)
	defer x.busy.Store(false)
	x.fullReads.Add(1)
	if x.watch != nil {
		_ = x.watch.Close() // together with its pending events
		x.watch = nil
	}
	x.dirty = pending{}
	if w, err := x.o.Watch(x.o.Dir); err != nil {
		x.watchReason = err.Error()
	} else {
		x.watch, x.watchReason = w, ""
		routine.Join(&x.done, "index listen", func() {
			defer x.guard()
			x.listen(w)
		})
	}
	s := &scan{x: x, ctx: ctx, rewatch: true}
	made, err := s.root()
	if err != nil {
		x.dirty.everything()
		return
	}
	x.setRoot(made)
}

// listen wakes run when the watcher has events, until the watcher is closed.
func (x *Index) listen(w Watcher) {
	for w.Wait() == nil {
		select {
		case x.wake <- struct{}{}:
		case <-x.ctx.Done():
			return
		}
	}
}

// unwatch continues without a watcher. The caller must hold x.mu.
func (x *Index) unwatch(why error) {
	if x.watch != nil {
		_ = x.watch.Close()
	}
	x.watch, x.watchReason = nil, why.Error()
}

// compare compares everything with the disk and applies the changes, if the system does not report them. The caller
// must hold x.mu.
func (x *Index) compare(ctx context.Context) (changed bool, err error) {
	x.fullReads.Add(1)
	begin := time.Now()
	s := &scan{x: x, ctx: ctx}
	made, err := s.root()
	if err != nil {
		return false, err
	}
	x.cost = time.Since(begin)
	changed = made != x.root
	x.dirty = pending{}
	x.setRoot(made)
	return changed, nil
}

// scan reads folders. What is unchanged is reused.
type scan struct {
	x       *Index
	ctx     context.Context
	rewatch bool               // the watcher is new
	touched map[string]touched // read only these folders, and of them only these entries; if nil, read everything
	count   int
}

// root reads the root and everything below it. An error other than that of ctx ends the index.
func (s *scan) root() (*Folder, error) {
	made, err := s.folder("", "", s.x.root)
	if err == nil && made == nil {
		err = errGone
	}
	if err != nil && s.ctx.Err() == nil {
		s.x.end(err.Error())
	}
	return made, err
}

// folder reads the folder at path, previously known as old, and everything below it. It returns nil if the folder
// does not exist.
func (s *scan) folder(path, name string, old *Folder) (*Folder, error) {
	if err := s.ctx.Err(); err != nil {
		return nil, err
	}
	t := s.touched[path]
	if s.touched != nil && t == nil && old != nil && old.Err == nil {
		return s.unchanged(path, old)
	}
	dir, err := s.x.o.Disk.Open(path)
	if err != nil {
		return unreadable(name, err)
	}
	finish := sync.OnceFunc(func() { dir.Close() })
	defer finish()
	f := &Folder{Name: name}
	if f.Stat, err = dir.Stat("."); err != nil {
		return unreadable(name, err)
	}
	if old == nil || old.Err != nil || f.Stat.Inode != old.Stat.Inode || f.Stat.Device != old.Stat.Device || f.Stat.Access != old.Stat.Access {
		old, t = nil, nil // it is another folder now, or has other permissions, with which its content may differ
	}
	// Watch before reading, so that changes in between are reported.
	if err := s.watch(path, dir, f, old); err != nil {
		return unreadable(name, err)
	}
	if f.Stat, err = dir.Stat("."); err != nil {
		return unreadable(name, err)
	}
	if err := s.checkDevice(path, f); err != nil {
		return nil, err
	}
	subs, err := s.entries(path, dir, f, old, t)
	if err != nil {
		return unreadable(name, err)
	}
	if s.count += len(f.Files) + 1; s.count > maxEntries {
		return nil, errTooMany
	}
	finish()
	for _, sub := range subs {
		var known *Folder
		if old != nil && !t[sub] { // otherwise it may be another one
			known = old.Folder(sub)
		}
		made, err := s.folder(join(path, sub), sub, known)
		if err != nil {
			return nil, err
		}
		if made != nil {
			f.Folders = append(f.Folders, made)
		}
	}
	if old != nil && f.same(old) {
		return old, nil
	}
	return f, nil
}

// checkDevice returns an error for a folder on a file system where changes may go unnoticed.
func (s *scan) checkDevice(path string, f *Folder) error {
	if path == "" {
		s.x.device = f.Stat.Device
	}
	if f.Stat.Device != s.x.device && !Local(s.x.o.Dir+"/"+path) {
		return fmt.Errorf("the folder %q is on a network or virtual file system, where changes may go unnoticed", path)
	}
	return nil
}

// unchanged reads the changes below a folder that has none itself.
func (s *scan) unchanged(path string, old *Folder) (*Folder, error) {
	next := *old
	next.Folders = make([]*Folder, 0, len(old.Folders))
	for _, sub := range old.Folders {
		made, err := s.folder(join(path, sub.Name), sub.Name, sub)
		if err != nil {
			return nil, err
		}
		if made != nil {
			next.Folders = append(next.Folders, made)
		}
	}
	if slices.Equal(next.Folders, old.Folders) {
		return old, nil
	}
	return &next, nil
}

// watch adds a watch for a folder that has none.
func (s *scan) watch(path string, dir fsys.Folder, f, old *Folder) error {
	w := s.x.watch
	if w == nil {
		return nil
	}
	if old != nil && !s.rewatch && old.watch != 0 {
		f.watch = old.watch
		return nil
	}
	id, from, err := w.Add(path, dir)
	if err != nil {
		if fsys.Vanished(err) {
			return err
		}
		s.x.unwatch(err)
	}
	if from != "" {
		folder, base := split(from)
		s.x.dirty.add(Event{Folder: folder, Name: base, Op: Replaced | Self})
	}
	f.watch = id
	return nil
}

// ticks is the resolution of file times plus a margin, in nanoseconds: FAT stores even seconds. A file read within
// ticks of its times may have changed since without a change of the times.
const ticks = 3_000_000_000

// settled reports whether a later change must have changed the times of a file that was read at looked.
func settled(st fsys.Stat, looked int64) bool { return looked-max(st.Modified, st.Changed) > ticks }

// entries sets the files of a folder and returns the sorted names of its subfolders. If t is not nil, only these
// entries have changed.
func (s *scan) entries(path string, dir fsys.Folder, f, old *Folder, t touched) (subs []string, err error) {
	look := func(name string) {
		switch st, err := dir.Stat(name); {
		case err != nil: // deleted in between
		case st.Kind == fsys.KindFile:
			f.Files = append(f.Files, s.file(old, t, name, st))
		case st.Kind == fsys.KindFolder:
			subs = append(subs, name)
		}
	}
	if t == nil {
		err = dir.Entries(func(name string, kind fsys.Kind) bool {
			if kind != fsys.KindOther && s.x.o.Visible(path, name) {
				look(name)
			}
			return s.count+len(f.Files) <= maxEntries
		})
	} else {
		f.Files = slices.DeleteFunc(slices.Clone(old.Files), func(file *File) bool { return t.has(file.Name) })
		for _, sub := range old.Folders {
			if !t.has(sub.Name) {
				subs = append(subs, sub.Name)
			}
		}
		for name := range t {
			look(name)
		}
	}
	slices.SortFunc(f.Files, func(a, b *File) int { return strings.Compare(a.Name, b.Name) })
	slices.Sort(subs)
	return slices.Compact(subs), err
}

// file returns a file: the one in old if it cannot have changed, otherwise a new one.
func (s *scan) file(old *Folder, t touched, name string, st fsys.Stat) *File {
	var was *File
	if old != nil {
		was = old.File(name)
	}
	if t == nil && was != nil && was.Stat == st {
		if text := was.text.Load(); text == nil || settled(st, text.read) {
			return was
		}
	}
	file := &File{Name: name, Stat: st}
	if t != nil && !file.Known() && (was == nil || was.Known()) {
		s.x.dirty.everything() // a file known by its other name has changed too
	}
	return file
}

// unreadable returns an unreadable folder, or nil if it does not exist.
func unreadable(name string, err error) (*Folder, error) {
	if fsys.Vanished(err) {
		return nil, nil
	}
	return &Folder{Name: name, Err: err}, nil
}

// same reports whether two reads of a folder gave the same result.
func (f *Folder) same(old *Folder) bool {
	return f.Stat == old.Stat && (f.Err == nil) == (old.Err == nil) && f.watch == old.watch &&
		slices.Equal(f.Files, old.Files) && slices.Equal(f.Folders, old.Folders)
}
