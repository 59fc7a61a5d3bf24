package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"

	"chatvault/internal/atomicfile"
	"chatvault/internal/statefile"
)

// Foreign are the turns of a journal that is not ours to change, in the state folder home, such as
// what came with a vault: those that ended, oldest first, without what was under way. Nothing in them
// is later than now. Faults are sentences about turns that are none, or that break the rule.
func Foreign(home *os.Root, now time.Time, rule Rule) (turns []Turn, faults []string, err error) {
	root, err := statefile.Folder(home, folderName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = root.Close() }()
	names, err := turnNames(root)
	if err != nil {
		return nil, nil, err
	}
	for _, name := range names {
		t, err := readTurn(root, name, rule)
		switch {
		case err != nil:
			faults = append(faults, err.Error())
			continue
		case t.later:
			faults = append(faults, name+" was written by a later version of chatvault")
			continue
		case t.why != "":
			faults = append(faults, fmt.Sprintf("the changes of turn %s: one of them %s", excerptID(t.Turn.Turn), t.why))
			continue
		case t.Turn.Turn == "" || fileOf(t.Turn.Turn) != name:
			faults = append(faults, name+" names no turn")
			continue
		}
		t.notAfter(now)
		if len(t.Changes) > 0 {
			turns = append(turns, t.Turn)
		}
	}
	return turns, faults, nil
}

// excerptID is the beginning of an id that somebody else chose.
func excerptID(id string) string { return id[:min(len(id), 60)] }

// notAfter has nothing in a turn be later than a time, and leaves out what was not seen to end.
func (t *Turn) notAfter(now time.Time) {
	var ended []Change
	for _, c := range t.Changes {
		if c.State != Done && c.State != Failed && c.State != Unclear {
			continue
		}
		if c.Time.After(now) {
			c.Time = now
		}
		ended = append(ended, c)
	}
	t.Changes = ended
	for _, at := range []*time.Time{&t.Began, &t.Ended} {
		if at.After(now) {
			*at = now
		}
	}
	if t.Ended.IsZero() {
		t.Ended = t.Last()
	}
}

// Adopt adds turns of another journal, in the state folder home, to this one, with the bytes that they
// name and that have the prints they claim. A turn that is here already is left as it is. It returns
// how many were added.
func (j *Journal) Adopt(home *os.Root, turns []Turn) (added int, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.open(true); err != nil {
		return 0, err
	}
	root, err := statefile.Folder(home, folderName)
	if err != nil {
		return 0, err
	}
	defer func() { _ = root.Close() }()
	theirs := &objects{parent: root, warn: func(string) {}, foreign: true}
	defer func() { _ = theirs.close() }()
	for i := range turns {
		t := &turns[i]
		name := fileOf(t.Turn)
		if info, err := statefile.Stat(j.root, name); err == nil && info.Size() > 0 { // 0: earlier versions could leave one
			continue
		}
		if err := j.adoptObjects(theirs, t); err != nil {
			return added, err
		}
		records := []record{{Type: recordTurn, Schema: schema, Time: t.Began, Origin: &t.Origin}}
		for k := range t.Changes {
			records = append(records, record{Type: recordChange, Time: t.Changes[k].Time, Change: &t.Changes[k]})
		}
		records = append(records, record{Type: recordEnd, Time: t.Ended})
		text, err := lines(records)
		if err == nil {
			err = atomicfile.WriteFile(j.root, name, text, 0o600) // at once: a part of it would count as here already
		}
		if err != nil {
			return added, fmt.Errorf("%s: %w", strings.TrimSuffix(path.Base(name), turnExt), err)
		}
		added++
	}
	return added, nil
}

// adoptObjects keeps the bytes that a turn's files had, as far as they are there.
func (j *Journal) adoptObjects(theirs *objects, t *Turn) error {
	for i := range t.Changes {
		c := &t.Changes[i]
		for k := range c.Files {
			f := &c.Files[k]
			for _, print := range []string{f.Before, f.After} {
				data, err := theirs.get(print)
				if err != nil {
					continue // it was not kept, or is damaged
				}
				if err := j.objects.put(map[string][]byte{print: data}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
