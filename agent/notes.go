package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"chatvault/agent/event"
	"chatvault/agent/goal"
	"chatvault/agent/history"
	"chatvault/agent/lock"
	"chatvault/internal/atomicfile"
	"chatvault/internal/statefile"
)

// notes is what the next turn should know of earlier ones beside the conversation, kept in
// state.json so that it survives the process.
type notes struct {
	Schema int `json:"schema"`
	// Stops are the turns the user stopped since one was last answered, oldest first.
	Stops []history.Stop `json:"stops,omitempty"`
	// Undos are what the user took back, or restored, since a turn was last answered, oldest first.
	Undos []undone `json:"undos,omitempty"`
	// Goal is what is worked toward over several turns; nil: nothing.
	Goal *goal.Record `json:"goal,omitempty"`
	// Ending is a conversation that the agent ended, as long as its end is not on record; nil: none.
	Ending *agentsEnd `json:"ending,omitempty"`
	// Owed are conversations that are still to be looked back at, oldest first.
	Owed []owed `json:"retrospections,omitempty"`
}

const (
	notesFile   = "state.json"
	notesSchema = 1
	maxNotes    = 16 << 20 // bytes

	// maxStops bounds what is told of stopped turns; those that changed something stay longest.
	maxStops = 5
)

// errNotesLater says that the notes are not ours to read, nor to overwrite.
var errNotesLater = errors.New("state.json was written by a later version of chatvault: update this one, or move it out of the vault's state folder; until then stops and goals are not kept")

// loadNotes reads the notes; what cannot be read as notes is set aside.
func loadNotes(root *os.Root) (notes, error) {
	n := notes{Schema: notesSchema}
	data, err := statefile.Read(root, notesFile, maxNotes)
	if errors.Is(err, fs.ErrNotExist) {
		return n, nil
	}
	if err != nil && !statefile.Foreign(err) {
		return n, err
	}
	var later struct {
		Schema int `json:"schema"`
	}
	if json.Unmarshal(data, &later) == nil && later.Schema > notesSchema {
		return n, errNotesLater
	}
	if err == nil {
		err = json.Unmarshal(data, &n)
	}
	if err != nil {
		name, asideErr := atomicfile.SetAside(root, notesFile)
		if asideErr != nil {
			return notes{Schema: notesSchema}, fmt.Errorf("state.json makes no sense (%w) and could not be set aside: %w", err, asideErr)
		}
		return notes{Schema: notesSchema}, fmt.Errorf("state.json made no sense and was set aside as %s: %w", filepath.Join(root.Name(), name), err)
	}
	return n, nil
}

// noted are the notes as they are. What is wrong with them is told by the next turn: who reads
// them first sets aside what makes no sense, and who reads them later finds nothing wrong.
func (p *Processor) noted() notes {
	n, err := loadNotes(p.opt.Root)
	if err != nil {
		p.mu.Lock()
		p.untold = append(p.untold, err.Error())
		p.mu.Unlock()
	}
	return n
}

// tellNotes tells what was wrong with the notes.
func (p *Processor) tellNotes(m event.Meta) {
	p.mu.Lock()
	texts := p.untold
	p.untold = nil
	p.mu.Unlock()
	for _, text := range texts {
		p.bus.Publish(event.Notice{Meta: m, Text: text})
	}
}

// changeNotes reads the notes, changes them, and writes them durably. Notes that cannot be
// parsed were set aside: they are begun anew.
func changeNotes(root *os.Root, change func(*notes)) error {
	return lock.State(root, func() error {
		n, err := loadNotes(root)
		if err != nil && !isAside(root) {
			return err
		}
		change(&n)
		n.Schema = notesSchema
		data, err := json.MarshalIndent(n, "", " ")
		if err != nil {
			return err
		}
		return atomicfile.WriteFile(root, notesFile, append(data, '\n'), 0o600)
	})
}

// isAside says whether there are no notes on disk, so that writing overwrites none.
func isAside(root *os.Root) bool {
	_, err := root.Lstat(notesFile)
	return errors.Is(err, fs.ErrNotExist)
}

// add notes a turn that was stopped.
func (n *notes) add(s history.Stop) {
	n.Stops = append(n.Stops, s)
	for i := 0; len(n.Stops) > maxStops; i++ {
		if i == len(n.Stops) {
			n.Stops = n.Stops[1:]
			return
		}
		if len(n.Stops[i].Changes) == 0 {
			n.Stops = append(n.Stops[:i:i], n.Stops[i+1:]...)
		}
	}
}
