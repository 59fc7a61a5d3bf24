package conversation

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"sort"
	"strings"
	"time"

	"chatvault/internal/atomicfile"
)

// Entry is what the index knows of a conversation without opening its file.
type Entry struct {
	ID      string    `json:"id"`
	Started time.Time `json:"started"`
	Ended   time.Time `json:"ended,omitzero"`
	Last    time.Time `json:"last"`
	Turns   int       `json:"turns"`
	Title   string    `json:"title,omitempty"`
	Summary string    `json:"summary,omitempty"`
}

// index can always be rebuilt from the conversations' files, which stand where they differ.
type index struct {
	Schema        int     `json:"schema"`
	Active        string  `json:"active,omitempty"`
	Conversations []Entry `json:"conversations"` // oldest first
}

const indexFile = folder + "/index.json"

// put brings the entry of c up to date, and Active with it.
func (x *index) put(c *Conversation) {
	x.set(c)
	switch {
	case c.Ended.IsZero():
		x.Active = c.ID
	case x.Active == c.ID:
		x.Active = ""
	}
}

func (x *index) set(c *Conversation) {
	e := Entry{ID: c.ID, Started: c.Started, Ended: c.Ended, Last: c.Last(), Turns: len(c.Turns), Title: c.Title, Summary: c.Summary}
	for i := len(x.Conversations) - 1; i >= 0; i-- {
		if x.Conversations[i].ID == c.ID {
			x.Conversations[i] = e
			return
		}
	}
	x.Conversations = append(x.Conversations, e)
}

// open are the conversations that may be active: the one that is said to be, then those that
// did not end, the one last spoken in first.
func (x *index) open() []string {
	var open []Entry
	for _, e := range x.Conversations {
		if e.ID == x.Active || e.Ended.IsZero() {
			open = append(open, e)
		}
	}
	sort.SliceStable(open, func(i, j int) bool {
		if a, b := open[i].ID == x.Active, open[j].ID == x.Active; a != b {
			return a
		}
		return open[i].Last.After(open[j].Last)
	})
	ids := make([]string, len(open))
	for i, e := range open {
		ids[i] = e.ID
	}
	return ids
}

// sound says whether the index makes sense in itself.
func (x *index) sound() bool {
	ids := make(map[string]bool, len(x.Conversations))
	for _, e := range x.Conversations {
		if !validID(e.ID) || ids[e.ID] {
			return false
		}
		ids[e.ID] = true
	}
	return x.Schema == schema && (x.Active == "" || ids[x.Active])
}

// readIndex reads the index, rebuilding it where it is missing or makes no sense, and brings
// it up to date with files that came or went without it: a crash between a file and the index,
// a folder synchroniser, a person.
func (s store) readIndex() (index, []string, error) {
	ids, err := s.ids()
	if err != nil {
		return index{}, nil, err
	}
	x := index{Schema: schema}
	var warnings []string
	data, err := s.root.ReadFile(indexFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		warnings = append(warnings, fmt.Sprintf("the index of conversations could not be read (%v); it was rebuilt", err))
	default:
		var on index
		if json.Unmarshal(data, &on) == nil && on.sound() {
			x = on
		} else {
			warnings = append(warnings, s.setIndexAside())
		}
	}
	return x, append(warnings, s.reconcile(&x, ids)...), nil
}

func (s store) setIndexAside() string {
	name, err := atomicfile.SetAside(s.root, indexFile)
	if err != nil {
		return fmt.Sprintf("the index of conversations makes no sense and could not be set aside (%v); it was rebuilt", err)
	}
	return fmt.Sprintf("the index of conversations made no sense; it was set aside as .smarthole/%s and rebuilt", name)
}

// ids are the conversations that have a file.
func (s store) ids() (map[string]bool, error) {
	files, err := fs.ReadDir(s.root.FS(), folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	ids := make(map[string]bool, len(files))
	for _, f := range files {
		if id, ok := strings.CutSuffix(f.Name(), ".jsonl"); ok && validID(id) {
			ids[id] = true
		}
	}
	return ids, nil
}

// reconcile drops entries without a file and adds those that are missing.
func (s store) reconcile(x *index, ids map[string]bool) (warnings []string) {
	kept := x.Conversations[:0]
	for _, e := range x.Conversations {
		if ids[e.ID] {
			kept = append(kept, e)
			delete(ids, e.ID)
		} else if e.ID == x.Active {
			x.Active = ""
		}
	}
	x.Conversations = kept
	if len(ids) == 0 {
		return nil
	}
	for id := range ids {
		c, err := s.load(id)
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				warnings = append(warnings, fmt.Sprintf("conversation %s could not be read: %v", id, err))
			}
			continue
		}
		warnings = append(warnings, c.warnings...)
		x.set(c.Conversation)
	}
	sort.Strings(warnings) // the order of a map is none
	sort.SliceStable(x.Conversations, func(i, j int) bool {
		a, b := x.Conversations[i], x.Conversations[j]
		if !a.Started.Equal(b.Started) {
			return a.Started.Before(b.Started)
		}
		return a.ID < b.ID
	})
	return warnings
}

func (s store) writeIndex(x index) error {
	data, err := json.MarshalIndent(x, "", " ")
	if err != nil {
		return err
	}
	return atomicfile.WriteFile(s.root, indexFile, append(data, '\n'), 0o600)
}
