package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"chatvault/internal/base/statefile"
	"chatvault/vault/fsys"
)

// Turns returns all turns with changes, newest first. Invalid lines are set aside with a warning. A change that is in
// progress, or was cut off and not recovered yet, is Planned.
func (j *Journal) Turns() ([]Turn, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	stored, err := j.readTurns()
	if err != nil {
		return nil, err
	}
	turns := make([]Turn, len(stored))
	for i, t := range stored {
		turns[i] = t.Turn
	}
	slices.SortStableFunc(turns, func(a, b Turn) int { return b.Last().Compare(a.Last()) })
	markUndone(turns)
	return turns, nil
}

// Has reports whether a turn has a record, without reading any.
func (j *Journal) Has(turn string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.open(false) != nil {
		return false
	}
	_, open := statefile.Stat(j.root, openName+"/"+fileOf(turn))
	_, ended := statefile.Stat(j.root, turnsName+"/"+fileOf(turn))
	return open == nil || ended == nil
}

// readTurns reads every turn's file with changes. The caller must hold j.mu.
func (j *Journal) readTurns() ([]*storedTurn, error) {
	if err := j.open(false); err != nil {
		return nil, ignoreNotExist(err)
	}
	j.contents = map[string]position{}
	var turns []*storedTurn
	seen := map[string]bool{}
	for _, folder := range []string{openName, turnsName} {
		names, err := j.turnNames(folder)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			t, err := j.readTurn(folder, name)
			switch {
			case errors.Is(err, fs.ErrNotExist) || seen[name]: // just removed or moved
				continue
			case fsys.Scarce(err):
				return nil, err
			case err != nil:
				j.warn(fmt.Sprintf("A turn of the journal cannot be read: %v", err))
				continue
			case t.later:
				j.warn(fmt.Sprintf("A turn of the journal was written by a later version of chatvault, and is not shown: %s", filepath.Join(j.root.Name(), folder, name)))
				continue
			}
			seen[name] = true
			j.setAside(t)
			if len(t.Changes) > 0 {
				turns = append(turns, j.completed(t))
			}
		}
	}
	return turns, nil
}

// completed returns t with what its file does not say.
func (j *Journal) completed(t *storedTurn) *storedTurn {
	if !t.begun() { // its first line is missing
		t.Turn.Turn = strings.TrimSuffix(t.name, turnExt)
	}
	if t.Began.IsZero() {
		t.Began = t.Changes[0].Time
	}
	t.Running = t.open && t.Ended.IsZero() && j.isRunning(t)
	return t
}

// isRunning reports whether a process is working on a turn in open/.
func (j *Journal) isRunning(t *storedTurn) bool {
	if j.running[t.name] != nil {
		return true
	}
	if _, err := statefile.Stat(j.root, t.lockName()); err != nil {
		return false
	}
	l, err := statefile.NewLock(j.root, t.lockName())
	if err != nil {
		return false
	}
	defer func() { _ = l.Close() }()
	free, err := l.TryRLock()
	if free { // its process was killed
		_ = j.root.Remove(t.lockName())
	}
	return err == nil && !free
}

// turnNames returns the names of the turns' files in a folder, sorted.
func (j *Journal) turnNames(folder string) ([]string, error) {
	entries, err := statefile.List(j.root, folder)
	if err != nil {
		return nil, ignoreNotExist(err)
	}
	var names []string
	for _, e := range entries {
		if base := e.Name(); strings.HasSuffix(base, turnExt) && !strings.HasPrefix(base, ".") {
			names = append(names, base)
		}
	}
	slices.Sort(names)
	return names, nil
}

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

// Prune removes the turns above the age limit and, oldest first, as many more as the size limit requires. Turns in
// progress remain. The caller must hold the vault's lock.
func (j *Journal) Prune(now time.Time, l Limits) (Usage, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	var p Usage
	turns, err := j.readTurns()
	if err != nil || j.root == nil {
		return p, err
	}
	slices.SortStableFunc(turns, func(a, b *storedTurn) int { return a.Last().Compare(b.Last()) })
	total, first := int64(0), false // first: a turn of schema 1 remains
	for _, t := range turns {
		total += t.size
	}
	for _, t := range turns {
		old := l.Age > 0 && now.Sub(t.Last()) > l.Age
		switch {
		case t.Running || t.pending() != nil:
			continue
		case !old && (l.Bytes <= 0 || total <= l.Bytes):
			first = first || t.schema < schema
			if t.open { // its process was killed
				_ = j.move(t.name, openName, turnsName)
			}
			continue
		}
		if err := t.remove(j); err != nil {
			return p, err
		}
		p.Turns, p.Bytes, total = p.Turns+1, p.Bytes+t.size, total-t.size
	}
	if !first {
		_ = j.root.RemoveAll("objects") // the contents of schema 1
	}
	return p, statefile.WriteJSONLazily(j.root, stampName, now)
}

func (t *storedTurn) remove(j *Journal) error {
	folder := turnsName
	if t.open {
		folder = openName
	}
	if err := j.root.Remove(folder + "/" + t.name); err != nil {
		return ignoreNotExist(err)
	}
	_ = j.root.Remove(turnsName + "/" + t.name + asideExt) // usually does not exist
	return nil
}

// stampName is a file whose modification time is the time of the last Prune.
const stampName = "pruned"

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

// Usage returns the size of the journal.
func (j *Journal) Usage() (Usage, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	var u Usage
	turns, err := j.readTurns()
	for _, t := range turns {
		u.Turns++
		u.Bytes += t.size
	}
	return u, err
}

// markUndone sets which changes and turns were undone and not redone since. turns must be sorted, newest first.
func markUndone(turns []Turn) {
	type ref struct {
		turn string
		seq  int
	}
	all, some := map[ref]bool{}, map[ref]bool{} // undone, or in part
	for i := range turns {
		t := &turns[i]
		done, begun, stayed := true, false, false
		for k := len(t.Changes) - 1; k >= 0; k-- {
			c := &t.Changes[k]
			at := ref{t.Turn, c.Seq}
			c.Undone, c.Partly = all[at], some[at] && !all[at]
			if c.State == Failed {
				continue
			}
			stayed, done, begun = true, done && c.Undone, begun || c.Undone || c.Partly
			if c.Undoes != nil && c.State == Done && !c.Undone {
				of := ref{t.Undoes, c.Undoes.Seq}
				all[of] = all[of] || len(c.Undoes.Left) == 0
				some[of] = some[of] || len(c.Undoes.Left) > 0
			}
		}
		t.Undone, t.Partly = stayed && done, stayed && begun && !done
	}
}
