package fsys

import "chatvault/vault/index"

// IndexDisk is what the index reads the vault through: the same tree that a walk has, with the
// same confinement.
type IndexDisk struct{ Tree Tree }

// Gone says whether an error means that there is nothing of this name any more.
func (d IndexDisk) Gone(err error) bool { return Vanished(err) }

// Open opens a folder for the index.
func (d IndexDisk) Open(path string) (index.Dir, error) {
	folder, err := d.Tree.Open(path)
	if err != nil {
		return nil, err
	}
	return indexDir{folder}, nil
}

type indexDir struct{ folder Folder }

func (d indexDir) Close() { d.folder.Close() }

func (d indexDir) Descriptor() (fd int, ok bool) { return descriptor(d.folder) }

func (d indexDir) Entries(yield func(name string, kind index.Kind) bool) error {
	return d.folder.Entries(func(name string, kind Kind) bool { return yield(name, indexKind(kind)) })
}

func (d indexDir) Stat(name string) (index.Stat, error) {
	if name == "" {
		name = "."
	}
	st, err := d.folder.Stat(name)
	return indexStat(st), err
}

func (d indexDir) Read(name string, buf []byte, limit int64) ([]byte, index.Stat, error) {
	f, err := d.folder.OpenFile(name)
	if err != nil {
		return buf, index.Stat{}, err
	}
	defer f.Close()
	if buf, err = ReadAll(f, buf[:0], limit); err != nil {
		return buf, index.Stat{}, err
	}
	st, err := f.Stat()
	return buf, indexStat(st), err
}

func indexKind(kind Kind) index.Kind {
	switch kind {
	case KindFile:
		return index.KindFile
	case KindFolder:
		return index.KindFolder
	}
	return index.KindOther
}

func indexStat(st Stat) index.Stat {
	return index.Stat{
		Size: st.Size, Modified: st.Modified, Changed: st.changed, Inode: st.inode, Device: st.device,
		Access: st.access, Links: st.links, Kind: indexKind(st.Kind),
	}
}

// FromIndex is what a walk needs of it.
func FromIndex(st index.Stat) Stat {
	out := Stat{Size: st.Size, Modified: st.Modified}
	switch st.Kind {
	case index.KindFile:
		out.Kind = KindFile
	case index.KindFolder:
		out.Kind = KindFolder
	case index.KindOther:
	}
	return out
}
