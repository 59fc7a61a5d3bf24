package journal

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"chatvault/internal/atomicfile"
	"chatvault/internal/statefile"
)

// Limits bounds the journal.
type Limits struct {
	Age   time.Duration // since the last change of a turn
	Bytes int64         // total size
}

// Usage is the size of the journal, or of what was removed from it.
type Usage struct {
	Turns int
	Bytes int64
}

// minObjectAge is the age below which unreferenced objects are kept: their turn may be about to be recorded.
const minObjectAge = time.Hour

// pruneCandidate is a turn for the selection in outdated.
type pruneCandidate struct {
	last   time.Time
	bytes  int64    // size of its own file
	files  []string // object files that it needs
	pinned bool     // it must not be removed
}

// selectOutdated returns the indices of the turns to remove, oldest first: those above the age limit, and as many more as
// the size limit requires. units maps object files to their sizes; an object file is removed with the last turn that
// needs it. turns must be sorted, oldest first.
func selectOutdated(turns []pruneCandidate, units map[string]int64, now time.Time, l Limits) []int {
	total, needed := int64(0), map[string]int{}
	for _, t := range turns {
		total += t.bytes
		for _, u := range t.files {
			if needed[u] == 0 {
				total += units[u]
			}
			needed[u]++
		}
	}
	var gone []int
	for i, t := range turns {
		old := l.Age > 0 && now.Sub(t.last) > l.Age
		if t.pinned || !old && (l.Bytes <= 0 || total <= l.Bytes) {
			continue
		}
		gone = append(gone, i)
		total -= t.bytes
		for _, u := range t.files {
			if needed[u]--; needed[u] == 0 {
				total -= units[u]
			}
		}
	}
	return gone
}

// Prune removes the oldest turns if the journal exceeds its limits, and the objects that no turn needs. Turns in
// progress remain. The caller must hold the vault's lock.
func (j *Journal) Prune(now time.Time, l Limits) (Usage, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	var p Usage
	stored, err := j.readTurns()
	if err != nil || j.root == nil {
		return p, err
	}
	files, err := j.objects.files()
	if err != nil {
		return p, err
	}
	j.objects.readPacks()
	slices.SortStableFunc(stored, func(a, b *storedTurn) int { return a.Last().Compare(b.Last()) })
	sizes := map[string]int64{}
	for _, f := range files {
		sizes[f.name] = f.size
	}
	turns := make([]pruneCandidate, len(stored))
	for i, t := range stored {
		turns[i] = pruneCandidate{last: t.Last(), bytes: t.size, files: j.objects.filesOf(t, sizes), pinned: t.Running || t.pending()}
	}
	gone := selectOutdated(turns, sizes, now, l)
	needed, freed := map[string]bool{}, map[string]bool{}
	for i, t := range turns {
		set := needed
		if slices.Contains(gone, i) {
			set = freed
		}
		for _, u := range t.files {
			set[u] = true
		}
	}
	for _, i := range gone {
		if err := atomicfile.Remove(j.root, stored[i].name); err != nil {
			return p, err
		}
		_ = j.root.Remove(stored[i].name + asideExt) // usually does not exist
		p.Turns++
		p.Bytes += stored[i].size
	}
	for _, f := range files {
		if needed[f.name] || !freed[f.name] && now.Sub(f.modified) < minObjectAge {
			continue
		}
		if err := j.objects.root.Remove(f.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return p, err
		}
		if strings.HasSuffix(f.name, packExt) {
			j.objects.removeIndex(path.Base(f.name))
		}
		p.Bytes += f.size
	}
	j.sweep()
	return p, j.stamp(now)
}

// sweep removes temporary files that a crash left behind.
func (j *Journal) sweep() {
	_ = fs.WalkDir(j.root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		if err == nil && atomicfile.IsTemp(e.Name()) {
			_, _ = atomicfile.RemoveTemp(j.root, name) // the next sweep tries again
		}
		return nil
	})
}

// stampName is a file whose modification time is the time of the last Prune.
const stampName = "pruned"

func (j *Journal) stamp(now time.Time) error {
	f, _, err := statefile.Open(j.root, stampName, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), j.root.Chtimes(stampName, now, now))
}

// LastPruned returns the time of the last Prune, or zero if there was none.
func (j *Journal) LastPruned() time.Time {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.open(false) != nil {
		return time.Time{}
	}
	info, err := j.root.Lstat(stampName)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// pending reports whether the last change has no recorded end.
func (t *storedTurn) pending() bool {
	n := len(t.Changes)
	return n > 0 && t.Changes[n-1].State == Planned
}

// Usage returns the size of the journal.
func (j *Journal) Usage() (Usage, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	var u Usage
	if err := j.open(false); err != nil {
		return u, ignoreNotExist(err)
	}
	names, err := turnNames(j.root)
	if err != nil {
		return u, err
	}
	for _, name := range names {
		if info, err := j.root.Lstat(name); err == nil && info.Size() > 0 {
			u.Turns++
			u.Bytes += info.Size()
		}
	}
	files, err := j.objects.files()
	for _, f := range files {
		u.Bytes += f.size
	}
	return u, err
}

// objectFile is a file with one or more objects.
type objectFile struct {
	name     string // in the objects folder
	size     int64
	modified time.Time
}

// files returns the files of all objects and packs.
func (o *objects) files() ([]objectFile, error) {
	if err := o.open(); err != nil {
		return nil, ignoreNotExist(err)
	}
	var all []objectFile
	err := fs.WalkDir(o.root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		base := path.Base(name)
		if !IsPrint(strings.TrimSuffix(base, packExt)) {
			return nil // set aside, or being written
		}
		info, err := e.Info()
		if err != nil {
			return ignoreNotExist(err)
		}
		all = append(all, objectFile{name, info.Size(), info.ModTime()})
		return nil
	})
	return all, err
}

// filesOf returns the files with the objects that a turn refers to.
func (o *objects) filesOf(t *storedTurn, sizes map[string]int64) []string {
	var units []string
	seen := map[string]bool{}
	add := func(print string) {
		if !IsPrint(print) {
			return
		}
		name := objectPath(print)
		if _, there := sizes[name]; !there {
			at, ok := o.packed[print]
			if !ok {
				return
			}
			name = path.Join(packsName, at.pack)
		}
		if !seen[name] {
			seen[name] = true
			units = append(units, name)
		}
	}
	for i := range t.Changes {
		for k := range t.Changes[i].Files {
			add(t.Changes[i].Files[k].Before)
			add(t.Changes[i].Files[k].After)
		}
	}
	return units
}
