package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/lock"
	"chatvault/internal/atomicfile"
	"chatvault/internal/statefile"
)

const (
	inboxSchema = 1
	inboxFolder = "inbox"
	asideFolder = inboxFolder + "/aside"
	maxEntry    = 64 << 20 // bytes

	// maxDeaths: a message whose turn ended with the process this often is set aside.
	maxDeaths = 3
)

// Pending is an inbox entry: a message that was accepted and is not finished.
type Pending struct {
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

	retried bool // taken up again by Retry: it stands alone
	news    int  // how many new conversations the user had wanted when it was sent
}

// with is what the message's attempts changed, when this one changed these.
func (p *Pending) with(changes []string) []string {
	all := slices.Clone(p.Changes)
	for _, c := range changes {
		if !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	return all
}

// Inbox holds accepted messages durably, one JSON file each, below the vault's state folder.
type Inbox struct{ root *os.Root }

// NewInbox returns the inbox below root, the vault's state folder.
func NewInbox(root *os.Root) *Inbox { return &Inbox{root} }

func inboxFile(id string) string { return inboxFolder + "/" + id + ".json" }

// errCorrupt is the error of an entry that can be read and makes no sense.
var errCorrupt = errors.New("it makes no sense")

// errLater is the error of an entry that a later version of the program wrote.
var errLater = errors.New("it was written by a later version of chatvault")

// checkID keeps an id from naming anything but an inbox file.
func checkID(id string) error {
	if id == "" || len(id) > 100 || strings.HasPrefix(id, ".") || strings.ContainsFunc(id, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '-' && r != '_' && r != '.'
	}) {
		return fmt.Errorf("%q is no message id (letters, digits, '-', '_' and '.', at most 100)", id)
	}
	return nil
}

// Save writes an entry; when it returns nil the entry is on disk.
func (b *Inbox) Save(p Pending) error {
	if err := checkID(p.ID); err != nil {
		return err
	}
	p.Schema = inboxSchema
	data, err := json.MarshalIndent(p, "", " ")
	if err != nil {
		return err
	}
	if err := statefile.MakeFolder(b.root, inboxFolder); err != nil {
		return err
	}
	return atomicfile.WriteFile(b.root, inboxFile(p.ID), append(data, '\n'), 0o600)
}

// Load reads one entry; fs.ErrNotExist when there is none.
func (b *Inbox) Load(id string) (Pending, error) {
	var p Pending
	if err := checkID(id); err != nil {
		return p, err
	}
	data, err := statefile.Read(b.root, inboxFile(id), maxEntry)
	if statefile.Foreign(err) {
		return p, fmt.Errorf("inbox entry %s cannot be read: %w: %w", id, errCorrupt, err)
	}
	if err != nil {
		return p, err
	}
	var version struct {
		Schema int `json:"schema"`
	}
	if json.Unmarshal(data, &version) == nil && version.Schema > inboxSchema {
		return p, fmt.Errorf("inbox entry %s cannot be read: %w", id, errLater)
	}
	if err := json.Unmarshal(data, &p); err != nil {
		return p, fmt.Errorf("inbox entry %s cannot be read: %w: %w", id, errCorrupt, err)
	}
	switch {
	case p.ID != id:
		return p, fmt.Errorf("inbox entry %s cannot be read: %w: it holds the id %q", id, errCorrupt, p.ID)
	case strings.TrimSpace(p.Text) == "":
		return p, fmt.Errorf("inbox entry %s cannot be read: %w: it holds no text", id, errCorrupt)
	}
	return p, nil
}

// Remove deletes an entry; one that is not there is fine.
func (b *Inbox) Remove(id string) error {
	if err := checkID(id); err != nil {
		return err
	}
	if err := atomicfile.Remove(b.root, inboxFile(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// claim makes owner the owner of an entry that belongs to no running process. Two processes
// that claim one entry at once are told apart.
func (b *Inbox) claim(id, owner string) (p Pending, err error) {
	err = lock.State(b.root, func() error {
		if p, err = b.unowned(id, owner); err != nil {
			return err
		}
		p.Owner = owner
		return b.Save(p)
	})
	return p, err
}

// Drop removes an entry for good, unless a running process works on it.
func (b *Inbox) Drop(id string) error { return b.drop(id, "") }

func (b *Inbox) drop(id, owner string) error {
	return lock.State(b.root, func() error {
		_, err := b.unowned(id, owner)
		if err != nil && !errors.Is(err, errCorrupt) {
			return err
		}
		return b.Remove(id)
	})
}

// unowned loads an entry that is owner's or of no running process.
func (b *Inbox) unowned(id, owner string) (Pending, error) {
	p, err := b.Load(id)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return p, fmt.Errorf("there is no message %q in the inbox", id)
	case err != nil:
		return p, err
	case p.Owner != owner && lock.Alive(b.root, p.Owner):
		return p, fmt.Errorf("message %s belongs to another chatvault that is running", id)
	}
	return p, nil
}

// List returns all entries, oldest first. A file that cannot be parsed is set aside and named
// in the warnings.
func (b *Inbox) List() (entries []Pending, warnings []string, err error) {
	files, err := statefile.List(b.root, inboxFolder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	for _, f := range files {
		id, ok := strings.CutSuffix(f.Name(), ".json")
		if !ok || f.IsDir() || checkID(id) != nil {
			continue
		}
		p, err := b.Load(id)
		switch {
		case err == nil:
			entries = append(entries, p)
		case errors.Is(err, fs.ErrNotExist): // finished meanwhile
		case errors.Is(err, errCorrupt):
			name, asideErr := atomicfile.SetAside(b.root, inboxFile(id))
			if asideErr != nil {
				warnings = append(warnings, fmt.Sprintf("%v; it could not be set aside: %v", err, asideErr))
				continue
			}
			warnings = append(warnings, fmt.Sprintf("%v; it was set aside as %s", err, filepath.Join(b.root.Name(), name)))
		default: // a disk that fails for a moment is no reason to move a message away
			warnings = append(warnings, fmt.Sprintf("%v; it was left as it is", err))
		}
	}
	sort.SliceStable(entries, func(i, j int) bool {
		if a, b := entries[i], entries[j]; !a.Time.Equal(b.Time) {
			return a.Time.Before(b.Time)
		}
		return entries[i].ID < entries[j].ID
	})
	return entries, warnings, nil
}

// SetAside moves an entry out of the way, to inbox/aside, where no start takes it up again.
func (b *Inbox) SetAside(id string) (string, error) {
	if err := checkID(id); err != nil {
		return "", err
	}
	if err := statefile.MakeFolder(b.root, asideFolder); err != nil {
		return "", err
	}
	name := path.Join(asideFolder, id+".json")
	if err := b.root.Rename(inboxFile(id), name); err != nil {
		return "", err
	}
	return name, errors.Join(atomicfile.SyncDir(b.root, asideFolder), atomicfile.SyncDir(b.root, inboxFolder))
}

// Owned says whether an entry belongs to a process that is running.
func (b *Inbox) Owned(p Pending) bool { return lock.Alive(b.root, p.Owner) }
