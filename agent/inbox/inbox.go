// Package inbox stores accepted messages durably until they are finished, one file each, together with what was
// tried and changed for them, and decides after a crash what happens to them. It knows nothing of turns or models.
package inbox

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/lock"
	"chatvault/internal/base/atomicfile"
	"chatvault/internal/base/statefile"
	"chatvault/internal/base/text"
	"chatvault/tools"
)

// Folder is the folder of the entries in the vault's state folder.
const Folder = "inbox"

const (
	schema    = 1
	maxEntry  = 64 << 20 // bytes
	maxDeaths = 3        // turns that ended with the process before a message is set aside
)

// Entry is an accepted message that is not finished.
type Entry struct {
	event.Inbound
	Schema   int      `json:"schema"`
	Owner    string   `json:"owner"`               // the lock.Owner.Name of the process that accepted it
	Attempts int      `json:"attempts,omitempty"`  // turns started with it
	Deaths   int      `json:"deaths,omitempty"`    // turns started since the last one that ended cleanly
	ToolsRan bool     `json:"tools_ran,omitempty"` // a tool may have changed the vault
	Changes  []string `json:"changes,omitempty"`   // known changes of the vault, a line each
	// Calls are the calls of MCP servers' tools, recorded before they were made, oldest first. The changes of the vault
	// are in its journal.
	Calls     []tools.Call `json:"calls,omitempty"`
	LastError string       `json:"last_error,omitempty"` // empty if the process ended during the turn
	LastTried time.Time    `json:"last_tried,omitzero"`
	Reported  bool         `json:"reported,omitempty"` // a command reported LastError by its exit status
	Turn      string       `json:"turn,omitempty"`     // turn of another message that it joined
	// Conversation is the ID of the message's conversation, and After the ID of the last turn there when it was
	// sent; empty if it starts the conversation. Older versions wrote neither.
	Conversation string `json:"conversation,omitempty"`
	After        string `json:"after,omitempty"`

	Retried bool `json:"-"` // the user retries it, so it gets a turn of its own
}

// EndedFirst is the LastError of a message whose turn was cut by an orderly exit.
const EndedFirst = "the program ended before it was done"

// Begin counts a turn that begins with the message.
func (p *Entry) Begin(turn string, at time.Time) {
	p.Attempts++
	p.Deaths++
	p.LastError, p.LastTried, p.Reported = "", at, false
	if p.ID != turn {
		p.Turn = turn
	}
}

// With returns the changes of all attempts, adding those of the latest one.
func (p *Entry) With(changes []string) []string {
	all := slices.Clone(p.Changes)
	for _, c := range changes {
		if !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	return all
}

// Box is an inbox on disk: one JSON file per message in the vault's state folder.
type Box struct {
	root  *os.Root
	owner string
}

// Open returns the inbox in root, the vault's state folder, for a process that accepts no messages.
func Open(root *os.Root) *Box { return &Box{root: root} }

// For returns the inbox for a process that owns the entries with its lock.Owner.Name.
func For(root *os.Root, owner string) *Box { return &Box{root, owner} }

// File returns the file of a message, relative to the state folder.
func File(id string) string { return Folder + "/" + id + ".json" }

// ErrCorrupt is the error of an entry that can be read but is invalid.
var ErrCorrupt = errors.New("it is invalid")

const idCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_."

// CheckID returns an error unless id can be the name of an inbox file.
func CheckID(id string) error {
	if id == "" || len(id) > 100 || strings.HasPrefix(id, ".") || strings.Trim(id, idCharacters) != "" {
		return fmt.Errorf("%q is not a message id (letters, digits, '-', '_' and '.', at most 100)", id)
	}
	return nil
}

// Save writes an entry. The entry is on disk if the error is nil.
func (b *Box) Save(p Entry) error {
	line, err := encode(&p)
	if err != nil {
		return err
	}
	if err := statefile.MakeFolder(b.root, Folder); err != nil {
		return err
	}
	return atomicfile.WriteFile(b.root, File(p.ID), line, 0o600)
}

// Update appends the state of a saved entry, everything but its message, to its file. If durable is false, a power
// failure may bring back the state before; the end of the process does not.
func (b *Box) Update(p Entry, durable bool) error {
	id := p.ID
	if _, err := b.root.Lstat(File(id)); errors.Is(err, fs.ErrNotExist) {
		return b.Save(p)
	}
	p.Inbound = event.Inbound{ID: id}
	line, err := encode(&p)
	if err != nil {
		return err
	}
	return atomicfile.Writer{}.Append(b.root, File(id), line, atomicfile.Options{Perm: 0o600, Lazy: !durable})
}

func encode(p *Entry) ([]byte, error) {
	if err := CheckID(p.ID); err != nil {
		return nil, err
	}
	p.Schema = schema
	line, err := json.Marshal(p)
	return append(line, '\n'), err
}

// Load reads an entry. The error is fs.ErrNotExist if there is none, and ErrCorrupt if it is invalid.
func (b *Box) Load(id string) (p Entry, err error) {
	if err := CheckID(id); err != nil {
		return p, err
	}
	data, err := statefile.Read(b.root, File(id), maxEntry)
	if err == nil {
		err = p.decode(data)
	} else if !statefile.Foreign(err) {
		return p, err
	}
	switch {
	case errors.Is(err, statefile.ErrLater):
		return p, fmt.Errorf("inbox entry %s cannot be read: %w", id, err)
	case err != nil:
	case p.ID != id:
		err = fmt.Errorf("it has the id %q", p.ID)
	case strings.TrimSpace(p.Text) == "":
		err = errors.New("it has no text")
	default:
		return p, nil
	}
	return p, fmt.Errorf("inbox entry %s cannot be read: %w: %w", id, ErrCorrupt, err)
}

// decode reads a file: a line with the entry, then a line for each Update. One that a crash tore is ignored.
func (p *Entry) decode(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	_ = d.Decode(&json.RawMessage{}) // of several lines in a file of an earlier version
	end := cmp.Or(int(d.InputOffset()), len(data))
	if err := statefile.DecodeJSON(data[:end], schema, p); err != nil {
		return err
	}
	for line := range bytes.Lines(data[end:]) {
		next := Entry{}
		if err := statefile.DecodeJSON(line, schema, &next); err == nil {
			next.Inbound = p.Inbound
			*p = next
		}
	}
	return nil
}

// Remove deletes an entry; it is no error if there is none. After a power failure the entry may be back: Recover
// removes it again if it was answered.
func (b *Box) Remove(id string) error {
	if err := CheckID(id); err != nil {
		return err
	}
	if err := b.root.Remove(File(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Claim makes this process the owner of an entry, unless another running process owns it.
func (b *Box) Claim(id string) (p Entry, err error) {
	err = lock.State(b.root, func() error {
		if p, err = b.unowned(id); err != nil {
			return err
		}
		p.Owner = b.owner
		return b.Save(p)
	})
	return p, err
}

// Drop durably removes an entry, unless another running process owns it.
func (b *Box) Drop(id string) error {
	return lock.State(b.root, func() error {
		_, err := b.unowned(id)
		if err != nil && !errors.Is(err, ErrCorrupt) {
			return err
		}
		return atomicfile.Remove(b.root, File(id))
	})
}

// unowned loads an entry that no other running process owns.
func (b *Box) unowned(id string) (Entry, error) {
	p, err := b.Load(id)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return p, fmt.Errorf("there is no message %q in the inbox", id)
	case err != nil:
		return p, err
	case b.Others(p):
		return p, fmt.Errorf("message %s belongs to another chatvault that is running", id)
	}
	return p, nil
}

// List returns all entries, oldest first. Invalid files are set aside and named in the warnings.
func (b *Box) List() (entries []Entry, warnings []string, err error) {
	ids, err := b.ids()
	for _, id := range ids {
		p, err := b.Load(id)
		switch {
		case err == nil:
			entries = append(entries, p)
		case errors.Is(err, fs.ErrNotExist): // finished in the meantime
		case errors.Is(err, ErrCorrupt):
			warnings = append(warnings, err.Error()+b.aside(atomicfile.SetAside(b.root, File(id))))
		default: // the disk may fail only for a moment
			warnings = append(warnings, fmt.Sprintf("%v; it was left as it is", err))
		}
	}
	slices.SortStableFunc(entries, func(a, b Entry) int { return cmp.Or(a.Time.Compare(b.Time), strings.Compare(a.ID, b.ID)) })
	return entries, warnings, err
}

// aside returns the end of a warning about a file that was set aside under a name, or could not be.
func (b *Box) aside(name string, err error) string {
	if err != nil {
		return fmt.Sprintf(" and could not be set aside: %v", err)
	}
	return "; it was set aside as " + filepath.Join(b.root.Name(), name)
}

// Read returns the valid entries of an inbox that must not be changed.
func (b *Box) Read() (entries []Entry) {
	ids, _ := b.ids()
	for _, id := range ids {
		if p, err := b.Load(id); err == nil {
			entries = append(entries, p)
		}
	}
	return entries
}

func (b *Box) ids() (ids []string, err error) {
	files, err := statefile.List(b.root, Folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, f := range files {
		if id, ok := strings.CutSuffix(f.Name(), ".json"); ok && !f.IsDir() && CheckID(id) == nil {
			ids = append(ids, id)
		}
	}
	return ids, err
}

// Others reports whether another running process owns an entry.
func (b *Box) Others(p Entry) bool { return p.Owner != b.owner && lock.Alive(b.root, p.Owner) }

// Mine reports whether this process owns an entry.
func (b *Box) Mine(p Entry) bool { return p.Owner == b.owner && b.owner != "" }

// Recover returns the messages that ended processes left unfinished, oldest first. Answered messages are removed, and a message whose turns ended with the process three times is set aside.
// answered reports whether an answer is on record, and adds to the entry what else is known of it.
func (b *Box) Recover(answered func(*Entry) (bool, error)) (pending []Entry, warnings []string, err error) {
	var told []string
	var removed error
	all := func(string) bool { return true }
	pending, warnings, err = b.Unfinished(all, func(e *Entry) (bool, error) {
		done, doneErr := answered(e)
		switch {
		case doneErr != nil: // let the user decide whether to answer it again
			told = append(told, fmt.Sprintf("It is not known whether the message “%s” was answered: %v", text.Excerpt(e.Text, 60), doneErr))
			return false, nil
		case done:
			removed = errors.Join(removed, b.Remove(e.ID))
		case e.Deaths >= maxDeaths: // it may be what crashes the program
			killed := fmt.Sprintf("The message “%s” ended the program %d times", text.Excerpt(e.Text, 60), e.Deaths)
			told = append(told, killed+b.aside(atomicfile.SetAside(b.root, File(e.ID))))
		default:
			return false, nil
		}
		return true, nil
	})
	return pending, append(warnings, told...), errors.Join(err, removed)
}

// Unfinished returns the unanswered messages that can be retried or dropped, oldest first: those of ended processes,
// and those of this one that it is not working on. It changes nothing except that invalid files are set aside, which
// the warnings name.
func (b *Box) Unfinished(working func(id string) bool, answered func(*Entry) (bool, error)) (pending []Entry, warnings []string, err error) {
	entries, warnings, err := b.List()
	if err != nil {
		return nil, warnings, fmt.Errorf("the inbox cannot be read: %w", err)
	}
	for _, e := range entries {
		if b.Mine(e) && working(e.ID) || b.Others(e) {
			continue
		}
		// A turn removes its messages before it ends: one that ended since List is gone.
		now, err := b.Load(e.ID)
		if err != nil {
			continue
		}
		if done, err := answered(&now); err == nil && done {
			continue
		}
		pending = append(pending, now)
	}
	return pending, warnings, nil
}
