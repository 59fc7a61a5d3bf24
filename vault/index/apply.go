package index

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"chatvault/vault/fsys"
)

// collect adds the watcher's events to dirty and reports whether there were any. The caller must hold the gate.
func (x *Index) collect() bool {
	if x.watch == nil || x.root == nil {
		return false
	}
	some := false
	err := x.watch.Drain(func(e Event) {
		if e.Name != "" && !x.o.Visible(e.Folder, e.Name) {
			if e.Op &= Self; e.Op == 0 {
				return
			}
			e.Name = ""
		}
		some = true
		x.dirty.add(e)
	})
	if err != nil {
		x.unwatch(err)
	}
	return some
}

// rounds limits how often moved folders or files may require another round.
const rounds = 8

var errTwoPlaces = errors.New("a folder is in two places at once")

// applyAll reads everything that changed. The caller must hold the gate.
func (x *Index) applyAll(ctx context.Context) error {
	for round := 0; !x.dirty.empty() && !x.dirty.all; round++ {
		if round == rounds {
			x.unwatch(errTwoPlaces)
			x.dirty = pending{}
			return nil // from now on each View compares everything
		}
		if err := x.apply(ctx); err != nil {
			return err
		}
	}
	return nil
}

// apply is one round of applyAll. Another one is needed if a folder or file was known by another path.
func (x *Index) apply(ctx context.Context) error {
	p := x.dirty
	x.dirty = pending{}
	s := &scan{x: x, ctx: ctx}
	root, err := s.apply(x.root, p)
	if err != nil {
		if ctx.Err() == nil {
			x.end(err.Error())
			return err
		}
		x.dirty.everything() // watches were removed
		return err
	}
	x.setRoot(root, s.diff)
	s.otherNames(root)
	return nil
}

// apply returns root with the changed places read from the disk again.
func (s *scan) apply(root *Folder, p pending) (*Folder, error) {
	paths := slices.Sorted(maps.Keys(p.folders)) // a folder precedes its content
	// First remove everything that may have been replaced, so that a moved folder is not known by two paths.
	for _, path := range paths {
		for name, replaced := range p.folders[path].names {
			if replaced {
				root = s.forget(root, join(path, name))
			}
		}
	}
	for _, path := range paths {
		var err error
		if root, err = s.touch(root, path, p.folders[path]); err != nil {
			return nil, err
		}
	}
	return root, nil
}

// forget returns root without the folder at path, if there is one.
func (s *scan) forget(root *Folder, path string) *Folder {
	f := root.Find(path)
	if f == nil {
		return root
	}
	s.dropFolder(path, f)
	return root.at(path, func(*Folder) *Folder { return nil })
}

// touch reads the changes of the folder at path.
func (s *scan) touch(root *Folder, path string, t *touched) (*Folder, error) {
	if err := s.ctx.Err(); err != nil {
		return nil, err
	}
	old := root.Find(path)
	if old == nil {
		return root, nil // it was deleted, or is read as part of a new folder
	}
	dir, err := s.x.o.Disk.Open(path)
	if err != nil || old.Err != nil {
		if err == nil {
			dir.Close()
		}
		return s.rescan(root, path, old)
	}
	next, subs, err := s.look(path, dir, old, t)
	dir.Close()
	if err != nil {
		return s.rescan(root, path, old)
	}
	if s.count > maxEntries {
		return nil, errTooMany
	}
	if next.Stat.Access != old.Stat.Access {
		return s.rescan(root, path, old) // the permissions of its content may have changed
	}
	for _, name := range subs {
		made, err := s.folder(join(path, name), name, nil)
		if err != nil {
			return nil, err
		}
		if made != nil {
			next = next.with(made)
		}
	}
	return root.at(path, func(*Folder) *Folder { return next }), nil
}

// rescan reads a folder and everything below it without reusing known state.
func (s *scan) rescan(root *Folder, path string, old *Folder) (*Folder, error) {
	s.dropFolder(path, old)
	made, err := s.folder(path, old.Name, nil)
	if err != nil {
		return nil, err
	}
	if made == nil && path == "" {
		return nil, errGone
	}
	return root.at(path, func(*Folder) *Folder { return made }), nil
}

// look reads the changed entries of an open folder. subs are those that are folders now and must be read completely.
func (s *scan) look(path string, dir fsys.Folder, old *Folder, t *touched) (next *Folder, subs []string, err error) {
	next = new(Folder)
	*next = *old
	if t.self {
		if next.Stat, err = dir.Stat("."); err != nil {
			return nil, nil, err
		}
	}
	files := slices.DeleteFunc(slices.Clone(old.Files), func(f *File) bool {
		_, looked := t.names[f.Name]
		return looked
	})
	for _, name := range slices.Sorted(maps.Keys(t.names)) {
		st, err := dir.Stat(name)
		if err != nil {
			st.Kind = fsys.KindOther // it was deleted
		}
		was := old.File(name)
		if st.Kind == fsys.KindFile {
			file := s.file(name, st)
			files = append(files, file)
			s.diff.add(path, was, file)
			s.count++
		} else if was != nil {
			s.diff.add(path, was, nil)
		}
		sub := next.Folder(name)
		if sub != nil && st.Kind == fsys.KindFolder && sub.Err == nil && sub.Stat.Inode == st.Inode && sub.Stat.Access == st.Access {
			changed := *sub
			changed.Stat = st
			next = next.with(&changed)
			continue
		}
		if sub != nil {
			s.dropFolder(join(path, name), sub)
			next = next.without(name)
		}
		if st.Kind == fsys.KindFolder {
			subs = append(subs, name)
		}
	}
	slices.SortFunc(files, func(a, b *File) int { return strings.Compare(a.Name, b.Name) })
	next.Files = files
	return next, subs, nil
}
