// Package statedir finds the folder in which the state of a vault is kept: with the person, in a
// folder of the user's XDG state folder, and not in the vault. A vault can come from anyone, so
// nothing in it says which state is its own. A folder of state belongs to one folder of the disk,
// known by its inode number and the time it was made, wherever that is moved; and to a path, for
// what took the place of a folder and holds the same (a backup that was restored, another mount).
//
// On disk, below the base folder: NAME-HASH/, one folder a vault (0700), in it vault.json, which says
// whose it is, beside what others keep there. The hash is of the path at which the vault was first
// opened.
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

	"chatvault/internal/atomicfile"
	"chatvault/internal/statefile"
)

// Dirs are the folders of state below a base folder.
type Dirs struct {
	Base string // absolute; made where it is missing
}

// Record says whose a folder of state is.
type Record struct {
	Schema int       `json:"schema"`
	Path   string    `json:"path"` // of the vault's folder, without links
	Folder folderID  `json:"folder"`
	Names  []uint32  `json:"names"` // a sketch of what lies in the vault, see sketch
	Seen   time.Time `json:"seen"`  // when path, folder and names were looked at last

	dir     string // the folder of state, below the base
	damaged bool   // what it says cannot be read
	later   bool   // a later version of the program wrote it, and may have written all else otherwise
}

// ErrLater says that a later version of the program wrote the state of a vault.
var ErrLater = errors.New("written by a later version of chatvault. Nothing was changed; use that version, or name another folder with XDG_STATE_HOME")

const (
	recordFile = "vault.json"
	// schema is the form of the whole folder of state. It goes up with any file in it that an older
	// version would misread or lose; such a version leaves the folder alone.
	schema   = 1
	lockFile = "vaults.lock"

	maxRecord   = 64 << 10       // bytes
	refreshed   = 24 * time.Hour // how long a record is taken to be up to date
	maxStates   = 10_000
	maxSiblings = 10_000
)

// folderID tells one folder of the disk from every other. The zero folderID is not known.
type folderID struct {
	Inode uint64 `json:"inode,omitempty"`
	Born  int64  `json:"born,omitempty"` // in nanoseconds since 1970
}

// known says whether the file system tells when a folder was made: without that an inode number may
// have been another's before.
func (f folderID) known() bool { return f.Inode != 0 && f.Born != 0 }

// Open opens the folder of state of the vault in vaultDir, and makes it where there is none.
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
	// The common case needs no lock: the record is there, and right.
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
		return d.begin(base, real, id)
	}
	if r.outdated(real, id) {
		if err := d.update(base, r, real, id); err != nil {
			return nil, err
		}
	}
	return r.open(base)
}

// Look opens the folder of state of a vault as it is; fs.ErrNotExist where there is none.
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

// makeBase opens the base folder, and makes it where it is missing.
func (d Dirs) makeBase() (base *os.Root, err error) {
	if err = os.MkdirAll(d.Base, 0o700); err == nil {
		base, err = os.OpenRoot(d.Base)
	}
	if err != nil {
		return nil, d.unusable(err)
	}
	return base, nil
}

// unusable says what to do where state cannot be kept.
func (d Dirs) unusable(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		err = at.Err
	}
	return fmt.Errorf("chatvault keeps each message in %s until it is done, and cannot: %w\nMake that folder writable, or name another with XDG_STATE_HOME", d.Base, err)
}

// lock keeps other processes from making or changing records.
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
	return func() {}, nil // a file system without locks: nothing is gained by refusing
}

const (
	lockWait = 5 * time.Second
	lockPoll = 2 * time.Millisecond
)

// find finds the record of a vault; nil: there is none.
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
				return r, nil // it was moved, or is come by on another way
			}
		}
	}
	if own != nil {
		all = append(all, own)
	}
	for _, r := range all {
		if r.Path == real && r.stands(real, id) {
			return r, nil
		}
	}
	return nil, nil
}

// at is the record that a vault most likely has; nil: there is none.
func (d Dirs) at(base *os.Root, real string, id folderID) *Record {
	r, err := read(base, folderName(real))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil: // it is damaged: the folder's name still says whose it is
		return &Record{Path: real, dir: folderName(real), damaged: true}
	case r.later && r.Path == "": // the folder's name says whose it is
	case r.Path != real && (!id.known() || r.Folder != id):
		return nil
	}
	return r
}

// stands says whether a folder at the path of another is the same vault all the same.
func (r *Record) stands(real string, id folderID) bool {
	if !id.known() || !r.Folder.known() || id == r.Folder {
		return true
	}
	if _, renamed := sibling(real, r.Folder); renamed {
		return false
	}
	return alike(r.Names, sketch(real))
}

// sibling finds a folder beside another.
func sibling(real string, id folderID) (string, bool) {
	parent := filepath.Dir(real)
	dir, err := os.Open(parent)
	if err != nil {
		return "", false
	}
	defer func() { _ = dir.Close() }()
	entries, _ := dir.ReadDir(maxSiblings) // what cannot be read is not found
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

// read reads the record of a folder of state.
func read(base *os.Root, dir string) (*Record, error) {
	data, err := statefile.Read(base, path.Join(dir, recordFile), maxRecord)
	if err != nil {
		return nil, err
	}
	if statefile.Later(data, schema) {
		r := &Record{dir: dir, later: true}
		_ = json.Unmarshal(data, r) // whose it is, as far as that is said as it was
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

// open opens the folder of state, which nobody else may read.
func (r *Record) open(base *os.Root) (*os.Root, error) {
	if err := r.fit(base); err != nil {
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

// fit refuses the state of a later version.
func (r *Record) fit(base *os.Root) error {
	if r.later {
		return fmt.Errorf("the state of this vault, in %s, was %w", filepath.Join(base.Name(), r.dir), ErrLater)
	}
	return nil
}

// outdated says whether a record does not tell of the vault as it is.
func (r *Record) outdated(real string, id folderID) bool {
	return r.damaged || r.Path != real || r.Folder != id || time.Since(r.Seen) > refreshed
}

// update has a record tell of the vault as it is.
func (d Dirs) update(base *os.Root, r *Record, real string, id folderID) error {
	if err := r.fit(base); err != nil {
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

// begin makes a folder of state for a vault that has none. Its record is the first thing in it, so
// that a crash leaves none without.
func (d Dirs) begin(base *os.Root, real string, id folderID) (*os.Root, error) {
	r := &Record{}
	for i := 1; ; i++ {
		r.dir = folderName(real)
		if i > 1 { // whose it was is elsewhere now
			r.dir += fmt.Sprintf("-%d", i)
		}
		err := base.Mkdir(r.dir, 0o700)
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, d.unusable(err)
		}
		if _, err := statefile.Stat(base, path.Join(r.dir, recordFile)); errors.Is(err, fs.ErrNotExist) {
			break // a crash came before the record
		}
		if i == maxStates {
			return nil, fmt.Errorf("%s is full", d.Base)
		}
	}
	if err := d.update(base, r, real, id); err != nil {
		return nil, err
	}
	if err := atomicfile.SyncDir(base, "."); err != nil {
		return nil, d.unusable(err)
	}
	return r.open(base)
}

// folderName is what the folder of state of a vault is called: for a person by the vault's name, and
// by a hash of its path.
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

// Moved gives the vault in vaultDir the folder of state that belongs to the path from, where no
// vault is any more. It refuses where the vault has messages, conversations or changes of its own:
// two histories are not made one.
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

// inUse says whether anything that a person would miss is in a folder of state.
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
