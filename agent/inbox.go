package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"sort"
	"strings"
	"time"

	"chatvault/internal/atomicfile"
)

const (
	inboxSchema = 1
	inboxFolder = "inbox"
	asideFolder = inboxFolder + "/aside"

	// maxAttempts: a message whose turn ended with the process this often is set aside.
	maxAttempts = 3
)

// Pending is an inbox entry: a message that was accepted and is not finished.
type Pending struct {
	Inbound
	Schema    int       `json:"schema"`
	Owner     string    `json:"owner"`                // the process that accepted it, see owner.go
	Attempts  int       `json:"attempts,omitempty"`   // turns begun with it
	ToolsRan  bool      `json:"tools_ran,omitempty"`  // a tool may have changed the vault
	Changes   []string  `json:"changes,omitempty"`    // what tools are known to have changed
	LastError string    `json:"last_error,omitempty"` // empty: the process ended in the middle
	LastTried time.Time `json:"last_tried,omitzero"`
}

// Inbox holds accepted messages durably, one JSON file each, below the vault's state folder.
type Inbox struct{ root *os.Root }

// NewInbox returns the inbox below root, the vault's .smarthole folder.
func NewInbox(root *os.Root) *Inbox { return &Inbox{root} }

func inboxFile(id string) string { return inboxFolder + "/" + id + ".json" }

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
	if err := b.root.Mkdir(inboxFolder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
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
	data, err := b.root.ReadFile(inboxFile(id))
	if err != nil {
		return p, err
	}
	if err := json.Unmarshal(data, &p); err != nil {
		return p, fmt.Errorf("inbox entry %s cannot be read: %w", id, err)
	}
	if p.ID != id {
		return p, fmt.Errorf("inbox entry %s cannot be read: it holds the id %q", id, p.ID)
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

// List returns all entries, oldest first. A file that cannot be parsed is set aside and named
// in the warnings.
func (b *Inbox) List() (entries []Pending, warnings []string, err error) {
	files, err := fs.ReadDir(b.root.FS(), inboxFolder)
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
		default:
			name, asideErr := atomicfile.SetAside(b.root, inboxFile(id))
			if asideErr != nil {
				warnings = append(warnings, fmt.Sprintf("%v; it could not be set aside: %v", err, asideErr))
				continue
			}
			warnings = append(warnings, fmt.Sprintf("%v; it was set aside as .smarthole/%s", err, name))
		}
	}
	sort.SliceStable(entries, func(i, j int) bool { return entries[i].Time.Before(entries[j].Time) })
	return entries, warnings, nil
}

// SetAside moves an entry out of the way, to inbox/aside, where no start takes it up again.
func (b *Inbox) SetAside(id string) (string, error) {
	if err := checkID(id); err != nil {
		return "", err
	}
	if err := b.root.MkdirAll(asideFolder, 0o700); err != nil {
		return "", err
	}
	name := path.Join(asideFolder, id+".json")
	return name, b.root.Rename(inboxFile(id), name)
}

// Owned says whether an entry belongs to a process that is running.
func (b *Inbox) Owned(p Pending) bool { return ownerAlive(b.root, p.Owner) }
