package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"chatvault/internal/atomicfile"
	"chatvault/internal/statefile"
)

// Turns returns all turns with changes, newest first. Invalid lines and files are set aside with a warning. A change
// that is in progress, or was cut off and not recovered yet, is Planned.
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
	markUndone(turns)
	slices.SortStableFunc(turns, func(a, b Turn) int { return b.Last().Compare(a.Last()) })
	return turns, nil
}

// readTurns reads every turn's file and adds the pending change to its turn. The caller must hold j.mu.
func (j *Journal) readTurns() ([]*storedTurn, error) {
	if err := j.open(false); err != nil {
		return nil, ignoreNotExist(err)
	}
	names, err := turnNames(j.root)
	if err != nil {
		return nil, err
	}
	var turns []*storedTurn
	byID := map[string]*storedTurn{}
	for _, name := range names {
		t, err := readTurn(j.root, name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue // it has just been pruned
		case err != nil:
			j.warn(fmt.Sprintf("A turn of the journal cannot be read: %v", err))
			continue
		case t.later:
			j.warn(fmt.Sprintf("A turn of the journal was written by a later version of chatvault, and is not shown: %s", filepath.Join(j.root.Name(), name)))
			continue
		}
		j.setAside(t)
		if t.Turn.Turn == "" { // its first line is missing
			t.Turn.Turn = strings.TrimSuffix(path.Base(name), turnExt)
		}
		turns, byID[t.Turn.Turn] = append(turns, t), t
	}
	if err := j.addPending(&turns, byID); err != nil {
		return nil, err
	}
	turns = slices.DeleteFunc(turns, func(t *storedTurn) bool { return len(t.Changes) == 0 })
	for _, t := range turns {
		if t.Began.IsZero() {
			t.Began = t.Changes[0].Time
		}
		if t.Ended.IsZero() {
			t.Running = j.isRunning(t)
		}
	}
	return turns, nil
}

// addPending adds the pending change to its turn.
func (j *Journal) addPending(turns *[]*storedTurn, byID map[string]*storedTurn) error {
	p, ok, err := j.readPending(false)
	if errors.Is(err, errLater) {
		return nil // reported when something is to be changed
	}
	if err != nil || !ok {
		return err
	}
	t := byID[p.Origin.Turn]
	if t == nil {
		t = &storedTurn{name: fileOf(p.Origin.Turn)}
		t.Origin, t.Began = p.Origin, p.Change.Time
		*turns = append(*turns, t)
	}
	t.Changes = append(t.Changes, p.Change)
	return nil
}

// isRunning reports whether a process is working on a turn.
func (j *Journal) isRunning(t *storedTurn) bool {
	if j.running[t.Turn.Turn] != nil {
		return true
	}
	f, _, err := statefile.Open(j.root, t.name, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	return lockedByOther(f)
}

// turnNames returns the files of turns, sorted by name.
func turnNames(root *os.Root) ([]string, error) {
	entries, err := statefile.List(root, turnsName)
	if err != nil {
		return nil, ignoreNotExist(err)
	}
	var names []string
	for _, e := range entries {
		base := e.Name()
		if strings.HasSuffix(base, turnExt) && !strings.HasPrefix(base, ".") {
			names = append(names, turnsName+"/"+base)
		}
	}
	slices.Sort(names)
	return names, nil
}

// setAside copies invalid lines, among them a last line torn by a crash, to a file next to the turn's and warns once.
// The turn's file is unchanged.
func (j *Journal) setAside(t *storedTurn) {
	if len(t.bad) == 0 || j.running[t.Turn.Turn] != nil {
		return
	}
	aside := t.name + asideExt
	data := append(bytes.Join(t.bad, []byte{'\n'}), '\n')
	if old, err := readRegular(j.root, aside); err == nil && bytes.Equal(old, data) {
		return
	}
	what := fmt.Sprintf("%d lines of the journal (%s) are invalid and were", len(t.bad), t.name)
	if len(t.bad) == 1 {
		what = fmt.Sprintf("1 line of the journal (%s) is invalid and was", t.name)
	}
	if err := atomicfile.WriteFile(j.root, aside, data, 0o600); err != nil {
		j.warn(fmt.Sprintf("%s not set aside: %v", what, err))
		return
	}
	j.warn(fmt.Sprintf("%s set aside in %s; the rest is intact", what, filepath.Join(j.root.Name(), aside)))
}

// markUndone sets which changes and turns were undone and not redone since.
func markUndone(turns []Turn) {
	type ref struct {
		turn string
		seq  int
	}
	takers := map[ref][]*Change{} // the changes that undo a change
	at := map[*Change]ref{}
	for i := range turns {
		t := &turns[i]
		for k := range t.Changes {
			c := &t.Changes[k]
			at[c] = ref{t.Turn, c.Seq}
			if c.Undoes != nil && c.State == Done {
				r := ref{t.Undoes, c.Undoes.Seq}
				takers[r] = append(takers[r], c)
			}
		}
	}
	settled := map[*Change]bool{}
	var settle func(c *Change)
	settle = func(c *Change) {
		if settled[c] {
			return
		}
		settled[c] = true // before its takers, because a manipulated journal may have cycles
		for _, u := range takers[at[c]] {
			if u == c {
				continue
			}
			if settle(u); u.Undone {
				continue
			}
			c.Undone = c.Undone || len(u.Undoes.Left) == 0
			c.Partly = c.Partly || len(u.Undoes.Left) > 0
		}
		c.Partly = c.Partly && !c.Undone
	}
	for i := range turns {
		t := &turns[i]
		some, all, stayed := false, true, false
		for k := range t.Changes {
			c := &t.Changes[k]
			settle(c)
			if c.State == Failed {
				continue
			}
			stayed = true
			some = some || c.Undone || c.Partly
			all = all && c.Undone
		}
		t.Undone, t.Partly = stayed && all, stayed && some && !all
	}
}
