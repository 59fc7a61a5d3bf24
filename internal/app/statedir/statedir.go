// Package statedir locates the state folder of a vault. It is below the user's XDG state folder and not in the vault:
// a vault can come from anyone, so nothing in it determines which state it gets. A state folder belongs to a folder
// on disk, identified by its inode number and creation time even if it moves, and to a path, for a folder with the
// same content that replaces another one (a restored backup, another mount).
//
// Below the base folder, each vault has a folder NAME-HASH (0700). Its vault.json identifies the vault; other
// packages store their files there too. HASH is of the path at which the vault was first opened.
package statedir

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"chatvault/internal/base/atomicfile"
	"chatvault/internal/base/statefile"
	"chatvault/internal/base/text"
)

// Dirs are the state folders below a base folder.
type Dirs struct {
	Base string // absolute; created if it does not exist
}

// Record identifies the vault of a state folder.
type Record struct {
	Schema int       `json:"schema"`
	Path   string    `json:"path"` // of the vault, with links resolved
	Folder folderID  `json:"folder"`
	Names  []uint32  `json:"names"` // sketch of the names in the vault, see sketch
	Seen   time.Time `json:"seen"`  // time of the last check of the fields above

	dir     string // name of the state folder, below the base
	damaged bool   // unreadable
	later   bool   // written by a newer version of the program, which may have changed other files too
}

// ErrLater is returned for a state folder written by a newer version of the program.
var ErrLater = errors.New("written by a later version of chatvault. Nothing was changed; use that version, or name another folder with XDG_STATE_HOME")

const (
	recordFile = "vault.json"
	// schema is the version of the state folder as a whole. It increases with any file in it that an older version
	// would misread or lose; older versions leave the folder unchanged.
	schema   = 1
	lockFile = "vaults.lock"

	maxRecord    = 64 << 10       // in bytes
	maxRecordAge = 24 * time.Hour // age up to which a record counts as current
	maxStates    = 10_000
	maxSiblings  = 10_000
)

// folderID identifies a folder on disk. The zero value is unknown.
type folderID struct {
	Inode uint64 `json:"inode,omitempty"`
	Born  int64  `json:"born,omitempty"` // in nanoseconds since 1970
}

// known reports whether the ID includes the creation time. Without it, the inode number may have been reused.
func (f folderID) known() bool { return f.Inode != 0 && f.Born != 0 }

// Open opens the state folder of the vault in vaultDir, creating it if necessary.
func (d Dirs) Open(vaultDir string) (*os.Root, error) {
	real, err := filepath.EvalSymlinks(vaultDir)
	if err != nil {
		return nil, err
	}
	base, err := d.makeBase()
	if err != nil {
		return nil, err
	}
	defer func() { _ = base.Close() }()
	id := identify(real)
	// Usually the record exists and is correct, which needs no lock.
	if r, err := d.find(base, real, id); err == nil && r != nil && !r.outdated(real, id) {
		return r.open(base)
	}
	release, err := d.lock(base)
	if err != nil {
		return nil, err
	}
	defer release()
	r, err := d.find(base, real, id)
	if err != nil {
		return nil, err
	}
	if r == nil {
		if r, err = d.create(base, real); err != nil {
			return nil, err
		}
	}
	if r.outdated(real, id) {
		if err := d.update(base, r, real, id); err != nil {
			return nil, err
		}
	}
	return r.open(base)
}

// Look opens the existing state folder of a vault. The error is fs.ErrNotExist if there is none.
func (d Dirs) Look(vaultDir string) (*os.Root, error) {
	real, err := filepath.EvalSymlinks(vaultDir)
	if err != nil {
		return nil, err
	}
	base, err := os.OpenRoot(d.Base)
	if err != nil {
		return nil, err
	}
	defer func() { _ = base.Close() }()
	r, err := d.find(base, real, identify(real))
	if err != nil {
		return nil, err
	}
	if r == nil {
		return nil, &fs.PathError{Op: "open", Path: d.Base, Err: fs.ErrNotExist}
	}
	return r.open(base)
}

// makeBase opens the base folder, creating it if necessary.
func (d Dirs) makeBase() (base *os.Root, err error) {
	if err = os.MkdirAll(d.Base, 0o700); err == nil {
		base, err = os.OpenRoot(d.Base)
	}
	if err != nil {
		return nil, d.unusable(err)
	}
	return base, nil
}

// unusable returns an error with a remedy for a state folder that cannot be used.
func (d Dirs) unusable(err error) error {
	return fmt.Errorf("chatvault keeps each message in %s until it is done, and cannot: %w\nMake that folder writable, or name another with XDG_STATE_HOME", d.Base, text.Cause(err))
}

// lock prevents other processes from creating or changing records.
func (d Dirs) lock(base *os.Root) (release func(), err error) {
	l, err := statefile.NewLock(base, lockFile)
	if err != nil {
		return nil, d.unusable(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), lockWait)
	defer cancel()
	switch ok, err := l.TryLockContext(ctx, lockPoll); {
	case ok:
		return func() { _ = l.Unlock() }, nil
	case errors.Is(err, context.DeadlineExceeded):
		return nil, fmt.Errorf("another chatvault holds %s and does not let go; end it, or try again", l.Path())
	}
	return func() {}, nil // a file system without locks
}

const (
	lockWait = 5 * time.Second
	lockPoll = 2 * time.Millisecond
)

// find returns the record of a vault, or nil if there is none.
func (d Dirs) find(base *os.Root, real string, id folderID) (*Record, error) {
	own := d.at(base, real, id)
	if own != nil && (own.Folder == id || own.later) {
		return own, nil
	}
	all, err := d.all(base)
	if err != nil {
		return nil, err
	}
	if id.known() {
		for _, r := range all {
			if r.Folder == id {
				return r, nil // it has moved, or was opened by another path
			}
		}
	}
	if own != nil {
		all = append(all, own)
	}
	for _, r := range all {
		if r.Path == real && r.sameVault(real, id) {
			return r, nil
		}
	}
	return nil, nil
}

// at returns the record in the folder named after the vault's path, or nil if that is not the vault's.
func (d Dirs) at(base *os.Root, real string, id folderID) *Record {
	r, err := read(base, folderName(real))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil: // damaged: the folder's name still identifies the vault
		return &Record{Path: real, dir: folderName(real), damaged: true}
	case r.later && r.Path == "": // the folder's name identifies the vault
	case r.Path != real && (!id.known() || r.Folder != id):
		return nil
	}
	return r
}

// sameVault reports whether a folder at the path of a recorded vault is the same vault, even if its identity differs.
func (r *Record) sameVault(real string, id folderID) bool {
	if !id.known() || !r.Folder.known() || id == r.Folder {
		return true
	}
	if _, renamed := sibling(real, r.Folder); renamed {
		return false
	}
	return similar(r.Names, sketch(real))
}

// sibling returns the folder next to real with the given identity.
func sibling(real string, id folderID) (string, bool) {
	parent := filepath.Dir(real)
	dir, err := os.Open(parent)
	if err != nil {
		return "", false
	}
	defer func() { _ = dir.Close() }()
	entries, _ := dir.ReadDir(maxSiblings) // best effort
	for _, e := range entries {
		if at := filepath.Join(parent, e.Name()); e.IsDir() && at != real && identify(at) == id {
			return at, true
		}
	}
	return "", false
}

func (d Dirs) all(base *os.Root) ([]*Record, error) {
	entries, err := statefile.List(base, ".")
	if err != nil {
		return nil, err
	}
	var all []*Record
	for _, e := range entries[:min(len(entries), maxStates)] {
		if !e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if r, err := read(base, e.Name()); err == nil {
			all = append(all, r)
		}
	}
	slices.SortFunc(all, func(a, b *Record) int { return strings.Compare(a.dir, b.dir) })
	return all, nil
}

// read reads the record of a state folder.
func read(base *os.Root, dir string) (*Record, error) {
	data, err := statefile.Read(base, path.Join(dir, recordFile), maxRecord)
	if err != nil {
		return nil, err
	}
	if statefile.Later(data, schema) {
		r := &Record{dir: dir, later: true}
		_ = json.Unmarshal(data, r) // the vault's identity, as far as the format is unchanged
		return r, nil
	}
	r := &Record{}
	if err := json.Unmarshal(data, r); err != nil {
		return nil, err
	}
	if r.Schema != schema || !filepath.IsAbs(r.Path) {
		return nil, errors.New("it is no record that this version understands")
	}
	r.dir = dir
	return r, nil
}

// open opens the state folder and makes it private.
func (r *Record) open(base *os.Root) (*os.Root, error) {
	if err := r.checkVersion(base); err != nil {
		return nil, err
	}
	root, err := statefile.Folder(base, r.dir)
	if err != nil {
		return nil, err
	}
	if info, err := root.Stat("."); err == nil && info.Mode().Perm()&0o077 != 0 {
		if err := base.Chmod(r.dir, 0o700); err != nil {
			_ = root.Close()
			return nil, fmt.Errorf("%s can be read by others and its mode cannot be changed: %w", root.Name(), err)
		}
	}
	return root, nil
}

// checkVersion returns an error if the state is of a newer version.
func (r *Record) checkVersion(base *os.Root) error {
	if r.later {
		return fmt.Errorf("the state of this vault, in %s, was %w", filepath.Join(base.Name(), r.dir), ErrLater)
	}
	return nil
}

// outdated reports whether a record does not describe the vault's current state.
func (r *Record) outdated(real string, id folderID) bool {
	return r.damaged || r.Path != real || r.Folder != id || time.Since(r.Seen) > maxRecordAge
}

// update updates a record.
func (d Dirs) update(base *os.Root, r *Record, real string, id folderID) error {
	if err := r.checkVersion(base); err != nil {
		return err
	}
	if r.damaged {
		if _, err := atomicfile.SetAside(base, path.Join(r.dir, recordFile)); err != nil {
			return d.unusable(err)
		}
		r.damaged = false
	}
	r.Schema, r.Path, r.Folder, r.Names, r.Seen = schema, real, id, sketch(real), time.Now().UTC()
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := atomicfile.WriteFile(base, path.Join(r.dir, recordFile), append(data, '\n'), 0o600); err != nil {
		return d.unusable(err)
	}
	return nil
}

// create creates the state folder of a new vault, still without a record, or takes one that a crash left so.
func (d Dirs) create(base *os.Root, real string) (*Record, error) {
	for i := 1; i <= maxStates; i++ {
		dir := folderName(real)
		if i > 1 { // its vault has moved
			dir += fmt.Sprintf("-%d", i)
		}
		if err := statefile.MakeFolder(base, dir); err != nil {
			return nil, d.unusable(err)
		}
		if _, err := statefile.Stat(base, path.Join(dir, recordFile)); errors.Is(err, fs.ErrNotExist) {
			return &Record{dir: dir}, nil
		}
	}
	return nil, fmt.Errorf("%s is full", d.Base)
}

// folderName returns the name of a vault's state folder: the vault's name, for people, and a hash of its path.
func folderName(real string) string {
	sum := sha256.Sum256([]byte(real))
	name := strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_') {
			return r
		}
		return '-'
	}, filepath.Base(real))
	name = strings.Trim(name[:min(len(name), 40)], "-")
	return strings.TrimPrefix(name+"-"+hex.EncodeToString(sum[:6]), "-")
}

// Moved assigns the state folder of the path from, where no vault exists any more, to the vault in vaultDir. It
// returns an error if that vault already has messages, conversations or changes: histories are not merged.
func (d Dirs) Moved(from, vaultDir string) error {
	real, err := filepath.EvalSymlinks(vaultDir)
	if err != nil {
		return err
	}
	base, err := d.makeBase()
	if err != nil {
		return err
	}
	defer func() { _ = base.Close() }()
	release, err := d.lock(base)
	if err != nil {
		return err
	}
	defer release()
	all, err := d.all(base)
	if err != nil {
		return err
	}
	from = filepath.Clean(from)
	at := slices.IndexFunc(all, func(r *Record) bool { return r.Path == from })
	if at < 0 {
		return fmt.Errorf("nothing is kept for a vault at %s; chatvault vaults names those there are", from)
	}
	r, id := all[at], identify(real)
	if r.Path == real {
		return nil
	}
	if now := identify(from); now.known() && now == r.Folder {
		return fmt.Errorf("the vault at %s is still there; what is kept for it stays with it", from)
	}
	if own, err := d.find(base, real, id); err != nil {
		return err
	} else if own != nil {
		if used, err := inUse(base, own.dir); err != nil || used {
			return errors.Join(err, fmt.Errorf("the vault at %s has conversations or changes of its own in %s; two histories are not made one", real, filepath.Join(d.Base, own.dir)))
		}
		if err := base.Rename(own.dir, "."+own.dir+".before-"+time.Now().UTC().Format("20060102T150405Z")); err != nil {
			return err
		}
	}
	return d.update(base, r, real, id)
}

// inUse reports whether a state folder contains anything that a user would miss.
func inUse(base *os.Root, dir string) (bool, error) {
	for _, name := range []string{"inbox", "conversations", "journal/turns", "drafts"} {
		entries, err := statefile.List(base, path.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return false, err
		}
		for _, e := range entries {
			if !strings.HasSuffix(e.Name(), ".lock") && e.Name() != "index.json" {
				return true, nil
			}
		}
	}
	return false, nil
}
