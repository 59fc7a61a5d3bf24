package index

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"chatvault/vault/fsys"
)

// collect takes what the watcher has to tell into dirty and reports whether there was anything;
// the gate is held.
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

// rounds bounds how often what is looked at may turn out to be somewhere else.
const rounds = 8

var errTwice = errors.New("a folder is in two places at once")

// applyAll looks at what changed; the gate is held.
func (x *Index) applyAll(ctx context.Context) error {
	for round := 0; !x.dirty.empty() && !x.dirty.all; round++ {
		if round == rounds {
			x.unwatch(errTwice)
			x.dirty = pending{}
			return nil // each View looks at everything from now on
		}
		if err := x.apply(ctx); err != nil {
			return err
		}
	}
	return nil
}

// apply is one round of applyAll: another one is needed where a folder or a file turns out to be
// one that was known by another path.
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
		x.dirty.everything() // watches were given up on the way
		return err
	}
	x.become(root, s.diff)
	s.otherNames(root)
	return nil
}

// apply is root with what is on the disk now in the places that were touched.
func (s *scan) apply(root *Folder, p pending) (*Folder, error) {
	paths := slices.Sorted(maps.Keys(p.folders)) // a folder comes before what is in it
	// First what may be another thing is forgotten, everywhere, so that a folder that was moved
	// is not known by two paths.
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

// forget is root without the folder at path, if there is one.
func (s *scan) forget(root *Folder, path string) *Folder {
	f := root.Find(path)
	if f == nil {
		return root
	}
	s.drop(path, f)
	return root.at(path, func(*Folder) *Folder { return nil })
}

// touch looks at what changed about the folder at path.
func (s *scan) touch(root *Folder, path string, t *touched) (*Folder, error) {
	if err := s.ctx.Err(); err != nil {
		return nil, err
	}
	old := root.Find(path)
	if old == nil {
		return root, nil // it went, or is looked at as part of one that came
	}
	dir, err := s.x.o.Disk.Open(path)
	if err != nil || old.Err != nil {
		if err == nil {
			dir.Close()
		}
		return s.anew(root, path, old)
	}
	next, subs, err := s.look(path, dir, old, t)
	dir.Close()
	if err != nil {
		return s.anew(root, path, old)
	}
	if s.count > maxEntries {
		return nil, errTooMany
	}
	if next.Stat.Access != old.Stat.Access {
		return s.anew(root, path, old) // what is in it may be to be read, or not, by others now
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

// anew looks at a folder, and all below it, as if nothing were known of it.
func (s *scan) anew(root *Folder, path string, old *Folder) (*Folder, error) {
	s.drop(path, old)
	made, err := s.folder(path, old.Name, nil)
	if err != nil {
		return nil, err
	}
	if made == nil && path == "" {
		return nil, errGone
	}
	return root.at(path, func(*Folder) *Folder { return made }), nil
}

// look looks at what was touched in an open folder. subs are those that are folders
// now and have to be looked at as a whole.
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
			st.Kind = fsys.KindOther // it went
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
			s.drop(join(path, name), sub)
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
