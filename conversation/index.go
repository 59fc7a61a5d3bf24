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

// index can always be rebuilt from the conversations' files.
type index struct {
	Schema        int     `json:"schema"`
	Active        string  `json:"active,omitempty"`
	Conversations []Entry `json:"conversations"` // oldest first
}

const indexFile = folder + "/index.json"

func (x *index) entry(id string) *Entry {
	for i := len(x.Conversations) - 1; i >= 0; i-- {
		if x.Conversations[i].ID == id {
			return &x.Conversations[i]
		}
	}
	x.Conversations = append(x.Conversations, Entry{ID: id})
	return &x.Conversations[len(x.Conversations)-1]
}

// put brings the entry of c up to date.
func (x *index) put(c *Conversation) {
	*x.entry(c.ID) = Entry{ID: c.ID, Started: c.Started, Ended: c.Ended, Last: c.Last(), Turns: len(c.Turns), Title: c.Title, Summary: c.Summary}
	switch {
	case c.Ended.IsZero():
		x.Active = c.ID
	case x.Active == c.ID:
		x.Active = ""
	}
}

// readIndex reads the index, rebuilding it where it is missing or cannot be parsed.
func (s store) readIndex() (index, []string, error) {
	data, err := s.root.ReadFile(indexFile)
	if err == nil {
		var x index
		if err := json.Unmarshal(data, &x); err == nil && x.Schema == schema {
			return x, nil, nil
		}
		name, err := atomicfile.SetAside(s.root, indexFile)
		if err != nil {
			return index{}, nil, err
		}
		x, warnings, err := s.rebuild()
		return x, append(warnings, fmt.Sprintf("the index of conversations could not be read; it was set aside as .smarthole/%s and rebuilt", name)), err
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return index{}, nil, err
	}
	return s.rebuild()
}

func (s store) rebuild() (index, []string, error) {
	x := index{Schema: schema}
	entries, err := fs.ReadDir(s.root.FS(), folder)
	if errors.Is(err, fs.ErrNotExist) {
		return x, nil, nil
	}
	if err != nil {
		return x, nil, err
	}
	var warnings []string
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), ".jsonl")
		if !ok || !validID(id) {
			continue
		}
		c, w, err := s.load(id)
		warnings = append(warnings, w...)
		if err != nil {
			warnings = append(warnings, fmt.Sprintf("conversation %s could not be read: %v", id, err))
			continue
		}
		x.put(c)
	}
	sort.SliceStable(x.Conversations, func(i, j int) bool { return x.Conversations[i].Started.Before(x.Conversations[j].Started) })
	// Only the latest that did not end can be active.
	x.Active = ""
	if n := len(x.Conversations); n > 0 && x.Conversations[n-1].Ended.IsZero() {
		x.Active = x.Conversations[n-1].ID
	}
	return x, warnings, nil
}

func (s store) writeIndex(x index) error {
	data, err := json.MarshalIndent(x, "", " ")
	if err != nil {
		return err
	}
	return atomicfile.WriteFile(s.root, indexFile, append(data, '\n'), 0o600)
}
