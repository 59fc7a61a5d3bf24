package index

import (
	"cmp"
	"maps"
	"slices"
)

// setRoot replaces root and records what changed. The caller must hold x.mu.
func (x *Index) setRoot(root *Folder) {
	first := x.root == nil
	compare("", x.root, root, func(folder string, was, is *File) {
		f := cmp.Or(is, was)
		if was != nil {
			if t := was.text.Load(); t != nil {
				x.texts.add(t, -1)
			}
		}
		if is != nil && x.o.TextBytes > 0 && x.o.Keep(f.Name) {
			x.want = append(x.want, wanted{folder: folder, file: is})
		}
		if !first && x.o.IsNote(f.Name) {
			x.changed[join(folder, f.Name)] = true
		}
	}, func(path string, watch int) {
		if x.watch != nil {
			x.watch.Remove(watch, path)
		}
	})
	x.root = root
}

// compare calls each with the files that differ between two snapshots of the folder at path, and unwatch with the
// watches that only the first one has. A folder or a file that does not exist is nil.
func compare(path string, was, is *Folder, each func(folder string, was, is *File), unwatch func(path string, watch int)) {
	if was == is {
		return
	}
	none := &Folder{}
	was, is = cmp.Or(was, none), cmp.Or(is, none)
	for _, f := range is.Files {
		if old := was.File(f.Name); old != f {
			each(path, old, f)
		}
	}
	for _, f := range was.Files {
		if is.File(f.Name) == nil {
			each(path, f, nil)
		}
	}
	for _, f := range is.Folders {
		compare(join(path, f.Name), was.Folder(f.Name), f, each, unwatch)
	}
	for _, f := range was.Folders {
		if is.Folder(f.Name) == nil {
			compare(join(path, f.Name), f, nil, each, unwatch)
		}
	}
	if was.watch != 0 && was.watch != is.watch {
		unwatch(path, was.watch)
	}
}

// report reports the notes that changed.
func (x *Index) report() {
	x.mu.Lock()
	paths := slices.Sorted(maps.Keys(x.changed))
	clear(x.changed)
	x.mu.Unlock()
	if len(paths) > 0 && x.o.OnChange != nil {
		x.o.OnChange(paths)
	}
}
