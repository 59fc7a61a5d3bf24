package index

import (
	"maps"
	"slices"
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
		if !first && x.o.IsNote(f.Name) {
			x.changed[join(c.folder, f.Name)] = true
		}
	}
}

// report reports the notes that changed.
func (x *Index) report() {
	x.gate.lock()
	paths := slices.Sorted(maps.Keys(x.changed))
	clear(x.changed)
	x.gate.unlock()
	if len(paths) > 0 && x.o.OnChange != nil {
		x.o.OnChange(paths)
	}
}
