package conversation

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"chatvault/internal/atomicfile"
)

// schema is the version of the files' format.
const schema = 1

const folder = "conversations"

// record is one line of a conversation's file, told apart by Type.
type record struct {
	Type    string    `json:"type"` // "conversation", "turn", "ended", "title"
	Schema  int       `json:"schema,omitempty"`
	ID      string    `json:"id,omitempty"`
	Time    time.Time `json:"time"`
	Turn    *Turn     `json:"turn,omitempty"`
	Reason  string    `json:"reason,omitempty"`
	Title   string    `json:"title,omitempty"`
	Summary string    `json:"summary,omitempty"`
}

// store reads and appends conversation files below the state folder: JSON Lines, one file each.
type store struct{ root *os.Root }

func file(id string) string { return folder + "/" + id + ".jsonl" }

// newID sorts by time.
func newID(now time.Time) string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	return now.UTC().Format("20060102-150405") + "-" + hex.EncodeToString(b[:])
}

// validID keeps an id from naming anything but a conversation's file.
func validID(id string) bool {
	if id == "" || len(id) > 64 {
		return false
	}
	for _, r := range id {
		if (r < '0' || r > '9') && (r < 'a' || r > 'z') && r != '-' {
			return false
		}
	}
	return true
}

func (s store) append(id string, r record) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := s.root.Mkdir(folder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return atomicfile.AppendFile(s.root, file(id), append(line, '\n'), 0o600)
}

// create begins a conversation's file.
func (s store) create(c *Conversation) error {
	return s.append(c.ID, record{Type: "conversation", Schema: schema, ID: c.ID, Time: c.Started})
}

// load reads a conversation. Lines that cannot be parsed are copied to a file of their own
// beside it and named in the warnings; the rest loads.
func (s store) load(id string) (*Conversation, []string, error) {
	if !validID(id) {
		return nil, nil, fmt.Errorf("conversation: %q is no conversation id", id)
	}
	f, err := s.root.Open(file(id))
	if err != nil {
		return nil, nil, err
	}
	data, err := io.ReadAll(f)
	_ = f.Close()
	if err != nil {
		return nil, nil, err
	}
	c := &Conversation{ID: id}
	var bad [][]byte
	for line := range bytes.SplitSeq(data, []byte{'\n'}) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var r record
		if err := json.Unmarshal(line, &r); err != nil || !c.apply(r) {
			bad = append(bad, line)
		}
	}
	if c.Started.IsZero() && len(c.Turns) > 0 {
		c.Started = c.Turns[0].Started
	}
	if len(bad) == 0 {
		return c, nil, nil
	}
	aside := fmt.Sprintf("%s/%s.corrupt-lines", folder, id)
	warning := fmt.Sprintf("%d unreadable lines of conversation %s were set aside in .smarthole/%s", len(bad), id, aside)
	if err := atomicfile.WriteFile(s.root, aside, bytes.Join(bad, []byte{'\n'}), 0o600); err != nil {
		warning = fmt.Sprintf("%d lines of conversation %s cannot be read and could not be set aside: %v", len(bad), id, err)
	}
	return c, []string{warning}, nil
}

// apply adds a record; false when it makes no sense.
func (c *Conversation) apply(r record) bool {
	switch r.Type {
	case "conversation":
		c.Started = r.Time
	case "turn":
		if r.Turn == nil || r.Turn.ID == "" {
			return false
		}
		if !r.Turn.Failed && c.Has(r.Turn.ID) {
			return true // appended twice: once counts
		}
		c.Turns = append(c.Turns, *r.Turn)
		c.Ended = time.Time{}
	case "ended":
		c.Ended = r.Time
	case "title":
		c.Title, c.Summary = r.Title, r.Summary
	default:
		return r.Schema > schema // a later version's record is not ours to judge
	}
	return true
}
