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

// Limits of what the journal keeps.
type Limits struct {
	Age   time.Duration // of a turn's last change
	Bytes int64         // of everything together
}

// Usage is what the journal takes up, or what was removed of it.
type Usage struct {
	Turns int
	Bytes int64
}

// keepFresh is how long bytes stay that no turn speaks of: somebody may be about to.
const keepFresh = time.Hour

// pruneCandidate is a turn as the choice of what goes sees it.
type pruneCandidate struct {
	last  time.Time
	bytes int64    // of its own file
	units []string // what of the objects it needs
	keeps bool     // it goes in no case
}

// outdated chooses the turns that go, the oldest first: those that are too old, and as many as it
// takes to keep within the bound. units are the sizes of the objects' files; one goes with the
// last turn that needs it. turns are sorted, oldest first.
func outdated(turns []pruneCandidate, units map[string]int64, now time.Time, l Limits) []int {
	total, needed := int64(0), map[string]int{}
	for _, t := range turns {
		total += t.bytes
		for _, u := range t.units {
			if needed[u] == 0 {
				total += units[u]
			}
			needed[u]++
		}
	}
	var gone []int
	for i, t := range turns {
		old := l.Age > 0 && now.Sub(t.last) > l.Age
		if t.keeps || !old && (l.Bytes <= 0 || total <= l.Bytes) {
			continue
		}
		gone = append(gone, i)
		total -= t.bytes
		for _, u := range t.units {
			if needed[u]--; needed[u] == 0 {
				total -= units[u]
			}
		}
	}
	return gone
}

// Prune removes the oldest turns where the journal is over its limits, and the bytes that no turn
// needs. Turns that are worked on stay. It is called with the vault's lock held.
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
		turns[i] = pruneCandidate{last: t.Last(), bytes: t.size, units: j.objects.unitsOf(t, sizes), keeps: t.Running || t.pending()}
	}
	gone := outdated(turns, sizes, now, l)
	needed, freed := map[string]bool{}, map[string]bool{}
	for i, t := range turns {
		set := needed
		if slices.Contains(gone, i) {
			set = freed
		}
		for _, u := range t.units {
			set[u] = true
		}
	}
	for _, i := range gone {
		if err := atomicfile.Remove(j.root, stored[i].name); err != nil {
			return p, err
		}
		_ = j.root.Remove(stored[i].name + asideExt) // mostly not there
		p.Turns++
		p.Bytes += stored[i].size
	}
	for _, f := range files {
		if needed[f.name] || !freed[f.name] && now.Sub(f.modified) < keepFresh {
			continue
		}
		if err := j.objects.root.Remove(f.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return p, err
		}
		if strings.HasSuffix(f.name, packExt) {
			j.objects.forget(path.Base(f.name))
		}
		p.Bytes += f.size
	}
	j.sweep()
	return p, j.stamp(now)
}

// sweep removes what a crash left of writes to the journal.
func (j *Journal) sweep() {
	_ = fs.WalkDir(j.root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		if err == nil && atomicfile.IsTemp(e.Name()) {
			_, _ = atomicfile.RemoveTemp(j.root, name) // the next one tries again
		}
		return nil
	})
}

// stampName is a file whose time says when the journal was pruned last.
const stampName = "pruned"

func (j *Journal) stamp(now time.Time) error {
	f, _, err := statefile.Open(j.root, stampName, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), j.root.Chtimes(stampName, now, now))
}

// LastPruned says when Prune was called last; the zero time where it never was.
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

// pending says whether the end of its last change is not on record.
func (t *storedTurn) pending() bool {
	n := len(t.Changes)
	return n > 0 && t.Changes[n-1].State == Planned
}

// Usage says what the journal takes up.
func (j *Journal) Usage() (Usage, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	var u Usage
	if err := j.open(false); err != nil {
		return u, ifThere(err)
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

// objectFile is a file that holds objects.
type objectFile struct {
	name     string // in the objects' folder
	size     int64
	modified time.Time
}

// files are those of all objects and packs.
func (o *objects) files() ([]objectFile, error) {
	if err := o.open(); err != nil {
		return nil, ifThere(err)
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
			return ifThere(err)
		}
		all = append(all, objectFile{name, info.Size(), info.ModTime()})
		return nil
	})
	return all, err
}

// unitsOf are the files that hold the bytes a turn speaks of.
func (o *objects) unitsOf(t *storedTurn, sizes map[string]int64) []string {
	var units []string
	seen := map[string]bool{}
	add := func(print string) {
		if !IsPrint(print) {
			return
		}
		name := loose(print)
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
