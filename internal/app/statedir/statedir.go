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

// Program is the version of this program, as records name it. It is set before the first use.
var Program string

// Dirs are the state folders below a base folder.
type Dirs struct {
	Base string // absolute; created if it does not exist
}

// Record identifies the vault of a state folder.
type Record struct {
	Schema int       `json:"schema"`
	Path   string    `json:"path"` // of the vault, with links resolved
	Folder folderID  `json:"folder"`
	Names  []uint32  `json:"names"`        // sketch of the names in the vault, see sketch
	Seen   time.Time `json:"seen"`         // time of the last check of the fields above
	By     string    `json:"by,omitempty"` // version of the program that wrote the record; empty if unknown

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

// vault is a vault's folder.
type vault struct {
	path string // with links resolved
	id   folderID
}

func vaultIn(dir string) (v vault, err error) {
	v.path, err = filepath.EvalSymlinks(dir)
	if err == nil {
		v.id = identify(v.path)
	}
	return v, err
}

// Open opens the state folder of the vault in vaultDir, creating it if necessary.
func (d Dirs) Open(vaultDir string) (*os.Root, error) {
	v, base, err := d.prepare(vaultDir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = base.Close() }()
	// Usually the record exists and is correct, which needs no lock.
	r, err := find(base, v)
	if err != nil || r == nil || r.outdated(v) {
		err = d.withLock(base, func() error {
			if r, err = find(base, v); err == nil && r == nil {
				r, err = d.create(base, v)
			}
			if err == nil && r.outdated(v) {
				err = d.update(base, r, v)
			}
			return err
		})
	}
	if err != nil {
		return nil, err
	}
	return r.open(base)
}

// Look opens the existing state folder of a vault. The error is fs.ErrNotExist if there is none.
func (d Dirs) Look(vaultDir string) (*os.Root, error) {
	v, err := vaultIn(vaultDir)
	if err != nil {
		return nil, err
	}
	base, err := os.OpenRoot(d.Base)
	if err != nil {
		return nil, err
	}
	defer func() { _ = base.Close() }()
	r, err := find(base, v)
	if err != nil {
		return nil, err
	}
	if r == nil {
		return nil, &fs.PathError{Op: "open", Path: d.Base, Err: fs.ErrNotExist}
	}
	return r.open(base)
}

// prepare identifies a vault and opens the base folder, creating it if necessary.
func (d Dirs) prepare(vaultDir string) (v vault, base *os.Root, err error) {
	if v, err = vaultIn(vaultDir); err != nil {
		return v, nil, err
	}
	if err = os.MkdirAll(d.Base, 0o700); err == nil {
		base, err = os.OpenRoot(d.Base)
	}
	if err != nil {
		err = d.unusable(err)
	}
	return v, base, err
}

// unusable returns an error with a remedy for a state folder that cannot be used.
func (d Dirs) unusable(err error) error {
	return fmt.Errorf("chatvault keeps each message in %s until it is done, and cannot: %w\nMake that folder writable, or name another with XDG_STATE_HOME", d.Base, text.Cause(err))
}

// withLock runs do while no other process creates or changes records. On a file system without locks it just runs it.
func (d Dirs) withLock(base *os.Root, do func() error) error {
	release, err := statefile.Lock(base, lockFile, lockWait)
	switch {
	case err == nil:
		defer release()
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("another chatvault holds %s and does not let go; end it, or try again", filepath.Join(base.Name(), lockFile))
	case statefile.Foreign(err):
		return d.unusable(err)
	}
	return do()
}

const lockWait = 5 * time.Second

// find returns the record of a vault, or nil if there is none.
func find(base *os.Root, v vault) (*Record, error) {
	name := folderName(v.path)
	if r, err := read(base, name); err == nil && r.Path == v.path && r.Folder == v.id {
		return r, nil // the usual case
	}
	all, err := records(base)
	if err != nil {
		return nil, err
	}
	for _, is := range []func(*Record) bool{
		func(r *Record) bool { return r.later && r.dir == name && (r.Path == "" || r.Path == v.path) },
		func(r *Record) bool { return r.Folder == v.id && v.id.known() }, // it has moved, or was opened by another path
		func(r *Record) bool { return r.Path == v.path && r.sameVault(v) },
		func(r *Record) bool { return r.damaged && r.dir == name }, // the folder's name still identifies the vault
	} {
		if i := slices.IndexFunc(all, is); i >= 0 {
			return all[i], nil
		}
	}
	return nil, nil
}

// sameVault reports whether the folder at the path of a recorded vault is the same vault, even if its identity differs.
func (r *Record) sameVault(v vault) bool {
	if !v.id.known() || !r.Folder.known() {
		return true
	}
	return !hasSibling(v.path, r.Folder) && similar(r.Names, sketch(v.path))
}

// hasSibling reports whether a folder next to path has the given identity.
func hasSibling(path string, id folderID) bool {
	parent := filepath.Dir(path)
	dir, err := os.Open(parent)
	if err != nil {
		return false
	}
	defer func() { _ = dir.Close() }()
	entries, _ := dir.ReadDir(maxSiblings) // best effort
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		at := filepath.Join(parent, e.Name())
		return e.IsDir() && at != path && identify(at) == id
	})
}

// records returns the records of all state folders, sorted by folder.
func records(base *os.Root) ([]*Record, error) {
	entries, err := statefile.List(base, ".")
	if err != nil {
		return nil, err
	}
	var all []*Record
	for _, e := range entries[:min(len(entries), maxStates)] {
		if !e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		r, err := read(base, e.Name())
		if err != nil {
			r = &Record{dir: e.Name(), damaged: true}
		}
		if !errors.Is(err, fs.ErrNotExist) {
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
	r := &Record{dir: dir, later: statefile.Later(data, schema)}
	err = json.Unmarshal(data, r)
	switch {
	case r.later: // it identifies the vault as far as the format is unchanged
		return r, nil
	case err == nil && (r.Schema != schema || !filepath.IsAbs(r.Path)):
		err = errors.New("it is no record that this version understands")
	}
	return r, err
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
	if !r.later {
		return nil
	}
	err := fmt.Errorf("the state of this vault, in %s, was %w", filepath.Join(base.Name(), r.dir), ErrLater)
	if r.By != "" {
		err = fmt.Errorf("%w\nThat version is chatvault %s", err, r.By)
	}
	return err
}

// outdated reports whether a record does not describe the vault's current state.
func (r *Record) outdated(v vault) bool {
	return r.damaged || r.Path != v.path || r.Folder != v.id || time.Since(r.Seen) > maxRecordAge
}

// update updates a record.
func (d Dirs) update(base *os.Root, r *Record, v vault) error {
	if err := r.checkVersion(base); err != nil {
		return err
	}
	if r.damaged {
		if _, err := atomicfile.SetAside(base, path.Join(r.dir, recordFile)); err != nil {
			return d.unusable(err)
		}
	}
	data, err := json.Marshal(Record{Schema: schema, Path: v.path, Folder: v.id, Names: sketch(v.path), Seen: time.Now().UTC(), By: Program})
	if err != nil {
		return err
	}
	if err := atomicfile.WriteFile(base, path.Join(r.dir, recordFile), append(data, '\n'), 0o600); err != nil {
		return d.unusable(err)
	}
	return nil
}

// create creates the state folder of a new vault, still without a record, or takes one that a crash left so.
func (d Dirs) create(base *os.Root, v vault) (*Record, error) {
	for i := 1; i <= maxStates; i++ {
		dir := folderName(v.path)
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
	v, base, err := d.prepare(vaultDir)
	if err != nil {
		return err
	}
	defer func() { _ = base.Close() }()
	return d.withLock(base, func() error { return d.moved(base, filepath.Clean(from), v) })
}

func (d Dirs) moved(base *os.Root, from string, v vault) error {
	all, err := records(base)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(all, func(r *Record) bool { return r.Path == from })
	if at < 0 {
		return fmt.Errorf("nothing is kept for a vault at %s; chatvault vaults names those there are", from)
	}
	r := all[at]
	if r.Path == v.path {
		return nil
	}
	if now := identify(from); now.known() && now == r.Folder {
		return fmt.Errorf("the vault at %s is still there; what is kept for it stays with it", from)
	}
	if own, err := find(base, v); err != nil {
		return err
	} else if own != nil {
		if used, err := inUse(base, own.dir); err != nil || used {
			return errors.Join(err, fmt.Errorf("the vault at %s has conversations or changes of its own in %s; two histories are not made one", v.path, filepath.Join(d.Base, own.dir)))
		}
		if err := base.Rename(own.dir, "."+own.dir+".before-"+time.Now().UTC().Format("20060102T150405Z")); err != nil {
			return err
		}
	}
	return d.update(base, r, v)
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
