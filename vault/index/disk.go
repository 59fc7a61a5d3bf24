package index

// Disk opens the folders of what is indexed.
type Disk interface {
	// Open opens the folder at a path, "" being the root, following no link.
	Open(path string) (Dir, error)
	// Gone reports whether an error of Disk or Dir says that there is nothing of that name, or
	// something else than was looked for.
	Gone(err error) bool
}

// Dir is an open folder. It is used by one goroutine.
type Dir interface {
	// Entries calls yield for each entry until it returns false.
	Entries(yield func(name string, kind Kind) bool) error
	// Stat describes an entry itself, should it be a link; "" is the folder.
	Stat(name string) (Stat, error)
	// Read reads a regular file, at most limit bytes of it, into buf, which grows where it must,
	// and describes the file as it is after that. More than limit is an error.
	Read(name string, buf []byte, limit int64) ([]byte, Stat, error)
	// Descriptor is the folder's, where it has one.
	Descriptor() (fd int, ok bool)
	Close()
}

// Kind is what an entry of a folder is.
type Kind uint8

// The kinds.
const (
	KindOther Kind = iota // a link, socket, device: not for us
	KindFile
	KindFolder
)

// Stat is what the file system says of a file or folder. Two that are equal are of one file, which
// nobody changed in between unless within its clock's last tick.
type Stat struct {
	Size     int64
	Modified int64 // nanoseconds since 1970
	Changed  int64 // of its name, owner or content; 0 where the system does not say
	Inode    uint64
	Device   uint64
	Access   uint32 // equal as long as its mode and owner are
	Links    uint16 // names it has, at most 65535; 0 where the system does not say
	Kind     Kind
}

// latest is the later of its times.
func (s Stat) latest() int64 { return max(s.Modified, s.Changed) }

// ticks is how coarse the times of a file may be, with some to spare, in nanoseconds: FAT keeps
// even seconds. What was looked at sooner after its times than that may have changed since without
// them telling.
const ticks = 3_000_000_000

// settled reports whether what was looked at at a time cannot have changed since without its
// times telling.
func (s Stat) settled(looked int64) bool { return looked-s.latest() > ticks }
