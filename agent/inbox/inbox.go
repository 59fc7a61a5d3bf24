// Package inbox keeps messages durably from when they are accepted until they are finished, one file
// each, with what was tried and changed for them; and says after a crash what becomes of them. It
// knows no turn and no model.
package inbox

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/lock"
	"chatvault/internal/atomicfile"
	"chatvault/internal/statefile"
	"chatvault/internal/text"
	"chatvault/tools"
)

// Folder holds the entries, below the vault's state folder.
const Folder = "inbox"

const (
	schema      = 1
	asideFolder = Folder + "/aside"
	maxEntry    = 64 << 20 // bytes

	// maxDeaths: a message whose turn ended with the process this often is set aside.
	maxDeaths = 3
)

// Entry is an inbox entry: a message that was accepted and is not finished.
type Entry struct {
	event.Inbound
	Schema    int       `json:"schema"`
	Owner     string    `json:"owner"`                // the process that accepted it, see lock.Owner
	Attempts  int       `json:"attempts,omitempty"`   // turns begun with it
	Deaths    int       `json:"deaths,omitempty"`     // turns begun since one last ended in order
	ToolsRan  bool      `json:"tools_ran,omitempty"`  // a tool may have changed the vault
	Changes   []string  `json:"changes,omitempty"`    // what tools are known to have changed
	Effects   []Effect  `json:"effects,omitempty"`    // the changes as they were noted down, oldest first
	LastError string    `json:"last_error,omitempty"` // empty: the process ended in the middle
	LastTried time.Time `json:"last_tried,omitzero"`
	Reported  bool      `json:"reported,omitempty"` // a command reported LastError by its exit status
	// Conversation is the id of the conversation that it was sent in, and After of the last turn there
	// at that time; empty: it begins the conversation. Both are empty in what older versions wrote.
	Conversation string `json:"conversation,omitempty"`
	After        string `json:"after,omitempty"`

	Retried bool `json:"-"` // taken up again: it stands alone
}

// EndedFirst is the LastError of a message in the middle of whose turn the program was ended.
const EndedFirst = "the program ended before it was done"

// With is what the message's attempts changed, when this one changed these.
func (p *Entry) With(changes []string) []string {
	all := slices.Clone(p.Changes)
	for _, c := range changes {
		if !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	return all
}

// Box holds accepted messages durably, one JSON file each, below the vault's state folder.
type Box struct {
	root  *os.Root
	owner string
}

// Open returns the inbox below root, the vault's state folder, for a process that accepts no messages.
func Open(root *os.Root) *Box { return &Box{root: root} }

// For returns the inbox for the process with this lock.Owner's name, whose entries are its own.
func For(root *os.Root, owner string) *Box { return &Box{root, owner} }

// File is the file of a message, below the state folder.
func File(id string) string { return Folder + "/" + id + ".json" }

// ErrCorrupt is the error of an entry that can be read and makes no sense.
var ErrCorrupt = errors.New("it is invalid")

// CheckID keeps an id from naming anything but an inbox file.
func CheckID(id string) error {
	if id == "" || len(id) > 100 || strings.HasPrefix(id, ".") || strings.ContainsFunc(id, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '-' && r != '_' && r != '.'
	}) {
		return fmt.Errorf("%q is not a message id (letters, digits, '-', '_' and '.', at most 100)", id)
	}
	return nil
}

// Save writes an entry; when it returns nil the entry is on disk.
func (b *Box) Save(p Entry) error {
	if err := CheckID(p.ID); err != nil {
		return err
	}
	p.Schema = schema
	if err := statefile.MakeFolder(b.root, Folder); err != nil {
		return err
	}
	return statefile.WriteJSON(b.root, File(p.ID), p)
}

// Load reads one entry; fs.ErrNotExist when there is none.
func (b *Box) Load(id string) (Entry, error) {
	var p Entry
	if err := CheckID(id); err != nil {
		return p, err
	}
	err := statefile.ReadJSON(b.root, File(id), maxEntry, schema, &p)
	switch _, senseless := errors.AsType[statefile.Senseless](err); {
	case errors.Is(err, statefile.ErrLater):
		return p, fmt.Errorf("inbox entry %s cannot be read: %w", id, err)
	case err != nil && !senseless:
		return p, err
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

// Remove deletes an entry; one that is not there is fine.
func (b *Box) Remove(id string) error {
	if err := CheckID(id); err != nil {
		return err
	}
	if err := atomicfile.Remove(b.root, File(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Claim makes the process the owner of an entry that belongs to no running one. Two that claim one
// entry at once are told apart.
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

// Drop removes an entry for good, unless another running process works on it.
func (b *Box) Drop(id string) error {
	return lock.State(b.root, func() error {
		_, err := b.unowned(id)
		if err != nil && !errors.Is(err, ErrCorrupt) {
			return err
		}
		return b.Remove(id)
	})
}

// unowned loads an entry that is the process's own or of no running one.
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

// List returns all entries, oldest first. A file that cannot be parsed is set aside and named
// in the warnings.
func (b *Box) List() (entries []Entry, warnings []string, err error) {
	ids, err := b.ids()
	for _, id := range ids {
		p, err := b.Load(id)
		switch {
		case err == nil:
			entries = append(entries, p)
		case errors.Is(err, fs.ErrNotExist): // finished meanwhile
		case errors.Is(err, ErrCorrupt):
			name, asideErr := atomicfile.SetAside(b.root, File(id))
			if asideErr != nil {
				warnings = append(warnings, fmt.Sprintf("%v; it could not be set aside: %v", err, asideErr))
				continue
			}
			warnings = append(warnings, fmt.Sprintf("%v; it was set aside as %s", err, filepath.Join(b.root.Name(), name)))
		default: // a disk that fails for a moment is no reason to move a message away
			warnings = append(warnings, fmt.Sprintf("%v; it was left as it is", err))
		}
	}
	slices.SortStableFunc(entries, func(a, b Entry) int { return cmp.Or(a.Time.Compare(b.Time), strings.Compare(a.ID, b.ID)) })
	return entries, warnings, err
}

// ids are those of all entries.
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

// SetAside moves an entry out of the way, to inbox/aside, where no start takes it up again.
func (b *Box) SetAside(id string) (string, error) {
	if err := CheckID(id); err != nil {
		return "", err
	}
	if err := statefile.MakeFolder(b.root, asideFolder); err != nil {
		return "", err
	}
	name := path.Join(asideFolder, id+".json")
	if err := b.root.Rename(File(id), name); err != nil {
		return "", err
	}
	return name, errors.Join(atomicfile.SyncDir(b.root, asideFolder), atomicfile.SyncDir(b.root, Folder))
}

// Others says whether an entry belongs to another process that is running.
func (b *Box) Others(p Entry) bool { return p.Owner != b.owner && lock.Alive(b.root, p.Owner) }

// Mine says whether an entry belongs to this process.
func (b *Box) Mine(p Entry) bool { return p.Owner == b.owner && b.owner != "" }

// Read returns what can be read of an inbox that is not ours to change.
func (b *Box) Read() (entries []Entry) {
	ids, _ := b.ids()
	for _, id := range ids {
		if p, err := b.Load(id); err == nil {
			entries = append(entries, p)
		}
	}
	return entries
}

// Effect is a change of the vault that a call made, or was about to make when the process
// ended. The inbox entry keeps it until its message is finished: an attempt that repeats the
// call does not repeat the effect.
type Effect struct {
	tools.Effect
	Tool      string `json:"tool"`
	Arguments string `json:"arguments"`        // canonical JSON
	Result    string `json:"result,omitempty"` // empty: nobody saw its end
}

// Recover looks for messages of processes that ended before they were done with them, oldest first.
// Those that were answered are removed, and so are those that only went on toward a goal; one whose turn
// ended with the process three times is set aside. answered says whether a message is on record as such.
func (b *Box) Recover(answered func(Entry) (bool, error)) (pending []Entry, warnings []string, err error) {
	entries, warnings, err := b.List()
	if err != nil {
		return nil, nil, fmt.Errorf("the inbox cannot be read: %w", err)
	}
	for _, e := range entries {
		if b.Mine(e) || b.Others(e) {
			continue
		}
		done, doneErr := answered(e)
		switch {
		case doneErr != nil: // what was answered is not answered twice without a word
			pending = append(pending, e)
			warnings = append(warnings, fmt.Sprintf("It is not known whether the message “%s” was answered: %v", text.Excerpt(e.Text, 60), doneErr))
		case done, e.Source == event.SourceGoal && !e.ToolsRan: // the goal is paused, and goes on with another
			err = errors.Join(err, b.Remove(e.ID))
		case e.Deaths >= maxDeaths: // it may be what ends the program
			killed := fmt.Sprintf("The message “%s” ended the program %d times", text.Excerpt(e.Text, 60), e.Deaths)
			if name, asideErr := b.SetAside(e.ID); asideErr != nil {
				warnings = append(warnings, fmt.Sprintf("%s and could not be set aside: %v", killed, asideErr))
			} else {
				warnings = append(warnings, fmt.Sprintf("%s; it was set aside as %s", killed, filepath.Join(b.root.Name(), name)))
			}
		default:
			pending = append(pending, e)
		}
	}
	return pending, warnings, err
}

// Unfinished lists the messages that can be tried again or dropped, oldest first: those of processes
// that ended, and those of this one that it does not work on, as working says. What was answered is left
// out. It changes nothing but to set aside what cannot be parsed, which the warnings name.
func (b *Box) Unfinished(working func(id string) bool, answered func(Entry) (bool, error)) (pending []Entry, warnings []string, err error) {
	entries, warnings, err := b.List()
	if err != nil {
		return nil, warnings, fmt.Errorf("the inbox cannot be read: %w", err)
	}
	for _, e := range entries {
		if b.Mine(e) && working(e.ID) || b.Others(e) {
			continue
		}
		// A turn is over only after its message left the inbox: one that ended meanwhile is gone.
		now, err := b.Load(e.ID)
		if err != nil {
			continue
		}
		if done, err := answered(now); err == nil && done {
			continue
		}
		pending = append(pending, now)
	}
	return pending, warnings, nil
}
