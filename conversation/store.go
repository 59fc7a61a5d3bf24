package conversation

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"chatvault/conversation/artifact"
	"chatvault/internal/base/atomicfile"
	"chatvault/internal/base/statefile"
	"chatvault/internal/base/text"
)

// schema is the version of the files' format.
const schema = 1

const folder = "conversations"

// record is a line of a conversation's file.
type record struct {
	Type       string      `json:"type"` // "conversation", "turn", "head", "stale", "compaction", "ended", "reopened", "title"
	Schema     int         `json:"schema,omitempty"`
	ID         string      `json:"id,omitempty"`
	Time       time.Time   `json:"time"`
	Turn       *Turn       `json:"turn,omitempty"`
	Compaction *Compaction `json:"compaction,omitempty"`
	Reason     string      `json:"reason,omitempty"`
	Title      string      `json:"title,omitempty"`   // empty means unchanged
	Summary    string      `json:"summary,omitempty"` // empty means unchanged
	Ref        *turnRef    `json:"-"`                 // "head", "stale": instead of Turn
}

// turnRef names a turn in a record such as {"type":"head","turn":ID}, which moves the head there (an empty ID means
// before the first turn), or "stale", which drops its question.
type turnRef struct {
	Turn string `json:"turn"`
	Nth  int    `json:"nth,omitempty"` // of those with this ID; 0 means the first
}

// store reads and appends conversation files below the state folder: JSON Lines, one file each.
type store struct{ root *os.Root }

func file(id string) string { return folder + "/" + id + ".jsonl" }

// NewID returns a new conversation ID. IDs sort by time.
func NewID(now time.Time) string { return statefile.NewID(now) }

// validID reports whether an ID can only name a conversation's file.
func validID(id string) bool {
	return id != "" && len(id) <= 64 && strings.Trim(id, "0123456789abcdefghijklmnopqrstuvwxyz-") == ""
}

// append appends records to a conversation's file, all or none, creating it if necessary, and returns their length in
// bytes. They are on disk when it returns, except for an end or a title alone, which can be made again.
func (s store) append(id string, records ...record) (n int64, err error) {
	if !validID(id) {
		return 0, fmt.Errorf("%q is not a conversation id", id)
	}
	lines, err := encode(records)
	if err == nil {
		err = statefile.MakeFolder(s.root, folder)
	}
	if err != nil {
		return 0, err
	}
	lazy := !slices.ContainsFunc(records, func(r record) bool { return r.Type != "ended" && r.Type != "title" })
	return int64(len(lines)), atomicfile.Writer{}.Append(s.root, file(id), lines, atomicfile.Options{Perm: 0o600, Lazy: lazy})
}

// encode encodes records as lines.
func encode(records []record) ([]byte, error) {
	var lines []byte
	for _, r := range records {
		var v any = r
		if r.Ref != nil {
			v = struct {
				Type string `json:"type"`
				turnRef
				Time time.Time `json:"time"`
			}{r.Type, *r.Ref, r.Time}
		}
		line, err := text.JSON(v)
		if err != nil {
			return nil, err
		}
		lines = append(append(lines, line...), '\n')
	}
	return lines, nil
}

// decode decodes a line of a file.
func decode(line []byte) (r record, err error) {
	err = json.Unmarshal(line, &r)
	if r.Type != "head" && r.Type != "stale" {
		return r, err
	}
	// The turn is a name here, which is the only possible error.
	var ref struct {
		turnRef
		Time time.Time `json:"time"`
	}
	if err := json.Unmarshal(line, &ref); err != nil {
		return r, err
	}
	return record{Type: r.Type, Time: ref.Time, Ref: &ref.turnRef}, nil
}

// head returns the first record of a conversation's file.
func head(c *Conversation) record {
	return record{Type: "conversation", Schema: schema, ID: c.ID, Time: c.Started}
}

// load reads a conversation. Invalid lines are copied to a file next to it and described by warning, once; the rest
// loads.
func (s store) load(id string) (c *Conversation, warning string, err error) {
	data, v, err := s.read(id)
	if err == nil && lastLineCut(data) {
		// Either a crash tore the last line, or another process is appending it just now.
		time.Sleep(appendTakes)
		data, v, err = s.read(id)
	}
	if err != nil {
		return nil, "", err
	}
	c, bad, err := parse(id, data)
	if err != nil {
		return nil, "", err
	}
	c.file = v
	for _, n := range c.tree.nodes {
		for _, m := range n.turn.Messages {
			for i, a := range m.Artifacts {
				m.Artifacts[i].File = artifact.NewStore(s.root).File(id, a)
			}
		}
	}
	if len(bad) > 0 {
		warning = s.setAside(id, bad)
	}
	return c, warning, nil
}

// appendTakes is longer than the one write call of an append.
const appendTakes = 2 * time.Millisecond

// maxConversation limits the size of a conversation's file that is read, in bytes. A model's window holds a few
// megabytes.
const maxConversation = 128 << 20

// read returns the content of a conversation's file and its version, which may be older, so that the next reader
// notices a concurrent append.
func (s store) read(id string) ([]byte, version, error) {
	v, err := s.stat(id)
	if err != nil {
		return nil, v, err
	}
	data, err := statefile.Read(s.root, file(id), maxConversation)
	return data, v, err
}

// stat returns the version of a conversation's file. The error is fs.ErrNotExist if there is none.
func (s store) stat(id string) (version, error) {
	if !validID(id) {
		return version{}, fmt.Errorf("conversation: %q is not a conversation id", id)
	}
	info, err := statefile.Stat(s.root, file(id))
	if err != nil {
		return version{}, err
	}
	return versionOf(info), nil
}

// has reports whether a conversation may have this ID already.
func (s store) has(id string) bool {
	_, err := s.stat(id)
	return !errors.Is(err, fs.ErrNotExist)
}

// lastLineCut reports whether the last line is incomplete.
func lastLineCut(data []byte) bool {
	last := data[bytes.LastIndexByte(data, '\n')+1:]
	return len(last) > 0 && !json.Valid(last)
}

// parse returns the conversation in a file and the invalid lines. The error is statefile.ErrLater.
func parse(id string, data []byte) (c *Conversation, bad [][]byte, err error) {
	c = &Conversation{ID: id}
	over := false
	for line := range bytes.SplitSeq(data, []byte{'\n'}) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		r, err := decode(line)
		if r.Type == "conversation" && r.Schema > schema {
			return nil, nil, statefile.ErrLater // its lines may have another meaning
		}
		if err != nil || !c.apply(r) {
			bad = append(bad, line)
		}
		if err == nil && (r.Type == "ended" || r.Type == "reopened") {
			over = r.Type == "ended"
		}
	}
	if c.Started.IsZero() && len(c.tree.nodes) > 0 {
		c.Started = c.tree.nodes[0].turn.Started
	}
	if c.Started.IsZero() && len(id) > len(statefile.IDTime) {
		c.Started, _ = time.Parse(statefile.IDTime, id[:len(statefile.IDTime)]) // zero if the ID has no time
	}
	if over && c.Ended.IsZero() { // it ended at an unknown time
		if c.Ended = c.Last(); c.Ended.IsZero() {
			c.Ended = time.Unix(0, 0).UTC()
		}
	}
	return c, bad, nil
}

// aside returns the file for invalid lines of a conversation's file.
func aside(id string) string { return folder + "/" + id + ".corrupt-lines" }

// setAside copies invalid lines to a file next to the conversation's and returns a warning, once.
func (s store) setAside(id string, bad [][]byte) string {
	aside := aside(id)
	data := append(bytes.Join(bad, []byte{'\n'}), '\n')
	if old, err := statefile.Read(s.root, aside, maxConversation); err == nil && bytes.Equal(old, data) {
		return ""
	}
	n := fmt.Sprintf("%s of conversation %s cannot be read", text.Count(len(bad), "line"), id)
	if err := atomicfile.WriteFile(s.root, aside, data, 0o600); err != nil {
		return fmt.Sprintf("%s and could not be set aside: %v", n, err)
	}
	return fmt.Sprintf("%s and was set aside in %s; the rest is intact", n, filepath.Join(s.root.Name(), aside))
}

// apply applies a record and reports whether it is valid.
func (c *Conversation) apply(r record) bool {
	switch r.Type {
	case "conversation":
		c.Started = r.Time
	case "turn":
		if r.Turn == nil || r.Turn.ID == "" {
			return false
		}
		c.add(*r.Turn)
	case "head":
		to := c.tree.find(r.Ref.Turn, r.Ref.Nth)
		if to > 0 || r.Ref.Turn == "" { // otherwise the turn's line could not be read
			c.tree.head = to
			c.Turns = c.tree.turns(c.tree.path(to))
			c.moved = r.Time
			c.Compaction = c.standing()
		}
	case "stale":
		c.stale = append(c.stale, r.Ref.Turn)
	case "compaction":
		if r.Compaction == nil || r.Compaction.Through == "" || r.Compaction.Summary == "" {
			return false
		}
		c.compactions = append(c.compactions, *r.Compaction)
		c.Compaction = c.standing()
	case "ended":
		c.Ended, c.Reason = r.Time, r.Reason
	case "reopened":
		c.Ended, c.Reason, c.moved = time.Time{}, "", r.Time
	case "title":
		if r.Title != "" {
			c.Title = r.Title
		}
		if r.Summary != "" {
			c.Summary = r.Summary
		}
	default:
		return r.Schema > schema // written by a later version
	}
	return true
}

// add appends a turn to the active path.
func (c *Conversation) add(t Turn) {
	c.tree.add(t)
	c.Turns = append(c.Turns, t)
}

// A lock separates processes that read, change and write. Recording a turn does not depend on it, since it is a
// single append.
const (
	lockFile = "conversations.lock"
	lockWait = 2 * time.Second
)

// errBusy is returned if another process holds the lock for too long.
var errBusy = errors.New("another chatvault is busy with the conversations; close it, or try again")

// lock takes the lock and returns its release function. Only errBusy is an error: without working locks, the
// operation itself is tried.
func (s store) lock() (release func(), err error) {
	release, err = statefile.Lock(s.root, lockFile, lockWait)
	switch {
	case err == nil:
		return release, nil
	case errors.Is(err, context.DeadlineExceeded):
		err = errBusy
	case !statefile.Foreign(err):
		err = nil // the operation itself reports the error
	}
	return func() {}, err
}
