package vault

import (
	"chatvault/vault/index"
)

// indexDisk is what the index reads the vault through: the same tree that a walk has, with the
// same confinement.
type indexDisk struct{ tree tree }

func (d indexDisk) Gone(err error) bool { return vanished(err) }

func (d indexDisk) Open(path string) (index.Dir, error) {
	folder, err := d.tree.open(path)
	if err != nil {
		return nil, err
	}
	return indexDir{folder}, nil
}

type indexDir struct{ folder folderHandle }

func (d indexDir) Close() { d.folder.close() }

func (d indexDir) Descriptor() (fd int, ok bool) { return descriptor(d.folder) }

func (d indexDir) Entries(yield func(name string, kind index.Kind) bool) error {
	return d.folder.entries(func(name string, kind entryKind) bool { return yield(name, indexKind(kind)) })
}

func (d indexDir) Stat(name string) (index.Stat, error) {
	if name == "" {
		name = "."
	}
	st, err := d.folder.stat(name)
	return indexStat(st), err
}

func (d indexDir) Read(name string, buf []byte, limit int64) ([]byte, index.Stat, error) {
	f, err := d.folder.openFile(name)
	if err != nil {
		return buf, index.Stat{}, err
	}
	defer f.close()
	for buf = buf[:0]; ; {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		n, err := f.read(buf[len(buf):cap(buf)])
		if err != nil {
			return buf, index.Stat{}, err
		}
		if buf = buf[:len(buf)+n]; int64(len(buf)) > limit {
			return buf, index.Stat{}, errTooLong
		}
		if n == 0 {
			break
		}
	}
	st, err := f.stat()
	return buf, indexStat(st), err
}

func indexKind(kind entryKind) index.Kind {
	switch kind {
	case kindFile:
		return index.KindFile
	case kindFolder:
		return index.KindFolder
	}
	return index.KindOther
}

func indexStat(st fileStat) index.Stat {
	return index.Stat{
		Size: st.size, Modified: st.modified, Changed: st.changed, Inode: st.inode, Device: st.device,
		Access: st.access, Links: st.links, Kind: indexKind(st.kind),
	}
}

// walkStat is what a walk needs of it.
func walkStat(st index.Stat) fileStat {
	out := fileStat{size: st.Size, modified: st.Modified}
	switch st.Kind {
	case index.KindFile:
		out.kind = kindFile
	case index.KindFolder:
		out.kind = kindFolder
	case index.KindOther:
	}
	return out
}
