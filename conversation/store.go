package conversation

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
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
	Type       string      `json:"type"` // "conversation", "turn", "compaction", "ended", "title"
	Schema     int         `json:"schema,omitempty"`
	ID         string      `json:"id,omitempty"`
	Time       time.Time   `json:"time"`
	Turn       *Turn       `json:"turn,omitempty"`
	Compaction *Compaction `json:"compaction,omitempty"`
	Reason     string      `json:"reason,omitempty"`
	Title      string      `json:"title,omitempty"`
	Summary    string      `json:"summary,omitempty"`
}

// store reads and appends conversation files below the state folder: JSON Lines, one file each.
type store struct{ root *os.Root }

func file(id string) string { return folder + "/" + id + ".jsonl" }

const idTime = "20060102-150405"

// newID sorts by time.
func newID(now time.Time) string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	return now.UTC().Format(idTime) + "-" + hex.EncodeToString(b[:])
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

// append writes records to a conversation's file, all or none of them, making the file where
// it is missing.
func (s store) append(id string, records ...record) error {
	if !validID(id) {
		return fmt.Errorf("conversation: %q is no conversation id", id)
	}
	var lines []byte
	for _, r := range records {
		line, err := json.Marshal(r)
		if err != nil {
			return err
		}
		lines = append(append(lines, line...), '\n')
	}
	switch err := s.root.Mkdir(folder, 0o700); {
	case err == nil:
		if err := atomicfile.SyncDir(s.root, "."); err != nil {
			return err
		}
	case !errors.Is(err, fs.ErrExist):
		return err
	}
	return atomicfile.AppendFile(s.root, file(id), lines, 0o600)
}

// head is the first record of a conversation's file.
func head(c *Conversation) record {
	return record{Type: "conversation", Schema: schema, ID: c.ID, Time: c.Started}
}

// loaded is a conversation as its file was read.
type loaded struct {
	*Conversation
	size     int64 // bytes read: a file of another size has changed since
	warnings []string
}

// load reads a conversation. Lines that cannot be parsed are copied to a file of their own
// beside it and named, once, in the warnings; the rest loads.
func (s store) load(id string) (loaded, error) {
	data, err := s.read(id)
	if err == nil && torn(data) {
		// Either a crash tore the last line, or another process is appending it just now.
		time.Sleep(appendTakes)
		data, err = s.read(id)
	}
	if err != nil {
		return loaded{}, err
	}
	c, bad := parse(id, data)
	l := loaded{Conversation: c, size: int64(len(data))}
	if len(bad) > 0 {
		l.warnings = s.setAside(id, bad)
	}
	return l, nil
}

// appendTakes is longer than the one write call of an append.
const appendTakes = 2 * time.Millisecond

func (s store) read(id string) ([]byte, error) {
	if !validID(id) {
		return nil, fmt.Errorf("conversation: %q is no conversation id", id)
	}
	info, err := s.root.Lstat(file(id))
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // a FIFO would block
		return nil, &fs.PathError{Op: "read", Path: file(id), Err: errors.New("is not a regular file")}
	}
	return s.root.ReadFile(file(id))
}

// size is the length of a conversation's file; fs.ErrNotExist where there is none.
func (s store) size(id string) (int64, error) {
	info, err := s.root.Lstat(file(id))
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// torn says whether the last line was not written to its end.
func torn(data []byte) bool {
	last := data[bytes.LastIndexByte(data, '\n')+1:]
	return len(last) > 0 && !json.Valid(last)
}

// parse is what a conversation's file says, and the lines that say nothing.
func parse(id string, data []byte) (c *Conversation, bad [][]byte) {
	c = &Conversation{ID: id}
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
	if c.Started.IsZero() && len(id) > len(idTime) {
		c.Started, _ = time.Parse(idTime, id[:len(idTime)]) // the zero time where it is no time
	}
	return c, bad
}

// setAside copies bad lines to a file beside the conversation's and tells so, once.
func (s store) setAside(id string, bad [][]byte) []string {
	aside := fmt.Sprintf("%s/%s.corrupt-lines", folder, id)
	data := append(bytes.Join(bad, []byte{'\n'}), '\n')
	if old, err := s.root.ReadFile(aside); err == nil && bytes.Equal(old, data) {
		return nil
	}
	n := fmt.Sprintf("%d lines of conversation %s cannot be read", len(bad), id)
	if len(bad) == 1 {
		n = fmt.Sprintf("1 line of conversation %s cannot be read", id)
	}
	if err := atomicfile.WriteFile(s.root, aside, data, 0o600); err != nil {
		return []string{fmt.Sprintf("%s and could not be set aside: %v", n, err)}
	}
	return []string{fmt.Sprintf("%s and was set aside in .smarthole/%s; the rest is there", n, aside)}
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
	case "compaction":
		if r.Compaction == nil || r.Compaction.Through == "" || r.Compaction.Summary == "" {
			return false
		}
		c.Compaction = r.Compaction // the last one counts: it covers those before it
	case "ended":
		c.Ended = r.Time
		if c.Ended.IsZero() { // ended is ended, whenever it was
			c.Ended = c.Last()
		}
	case "title":
		c.Title, c.Summary = r.Title, r.Summary
	default:
		return r.Schema > schema // a later version's record is not ours to judge
	}
	return true
}
