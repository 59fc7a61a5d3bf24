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
	"strings"
	"time"

	"chatvault/internal/artifact"
	"chatvault/internal/atomicfile"
	"chatvault/internal/statefile"
	"chatvault/internal/text"
)

// schema is the version of the files' format.
const schema = 1

const folder = "conversations"

// record is one line of a conversation's file, told apart by Type.
type record struct {
	Type       string         `json:"type"` // "conversation", "turn", "head", "stale", "compaction", "shortened", "ended", "title", "pinned"
	Schema     int            `json:"schema,omitempty"`
	ID         string         `json:"id,omitempty"`
	Time       time.Time      `json:"time"`
	Turn       *Turn          `json:"turn,omitempty"`
	Compaction *Compaction    `json:"compaction,omitempty"`
	Shortened  map[string]int `json:"shortened,omitempty"` // as in Conversation
	Reason     string         `json:"reason,omitempty"`
	Title      string         `json:"title,omitempty"`   // empty: as it was
	Summary    string         `json:"summary,omitempty"` // empty: as it was
	// Continues is what a "conversation" has of the one that it continues.
	Continues *Continuation `json:"continues,omitempty"`
	Pinned    bool          `json:"pinned,omitempty"` // of a "conversation"
	Ref       *turnRef      `json:"-"`                // "head", "stale": in the place of Turn
}

// turnRef names a turn in a record, {"type":"head","turn":ID}: the head is there ("head"; an
// empty ID stands for before the first turn), its question was dropped ("stale").
type turnRef struct {
	Turn string `json:"turn"`
	Nth  int    `json:"nth,omitempty"` // of those with this id; 0 means the first
}

// store reads and appends conversation files below the state folder: JSON Lines, one file each.
type store struct{ root *os.Root }

func file(id string) string { return folder + "/" + id + ".jsonl" }

// NewID is an id for a conversation that begins later; those of later times sort after it.
func NewID(now time.Time) string { return statefile.NewID(now) }

// validID keeps an id from naming anything but a conversation's file.
func validID(id string) bool {
	return id != "" && len(id) <= 64 && strings.Trim(id, "0123456789abcdefghijklmnopqrstuvwxyz-") == ""
}

// append writes records to a conversation's file, all or none of them, making the file where
// it is missing, and says how many bytes they are.
func (s store) append(id string, records ...record) (n int64, err error) {
	lines, err := s.lines(id, records)
	if err != nil {
		return 0, err
	}
	return int64(len(lines)), atomicfile.AppendFile(s.root, file(id), lines, 0o600)
}

// create atomically writes the file of a new conversation. It returns fs.ErrExist if there is one.
func (s store) create(id string, records []record) error {
	lines, err := s.lines(id, records)
	if err != nil {
		return err
	}
	return atomicfile.Writer{}.Replace(s.root, file(id), lines, atomicfile.Options{Perm: 0o600, Exclusive: true})
}

// lines are records as they stand in the file of a conversation, whose folder is there then.
func (s store) lines(id string, records []record) ([]byte, error) {
	if !validID(id) {
		return nil, fmt.Errorf("%q is not a conversation id", id)
	}
	lines, err := encode(records)
	if err != nil {
		return nil, err
	}
	return lines, statefile.MakeFolder(s.root, folder)
}

// encode is records as lines of a file.
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

// decode is a line of a file as a record.
func decode(line []byte) (r record, err error) {
	err = json.Unmarshal(line, &r)
	if r.Type != "head" && r.Type != "stale" {
		return r, err
	}
	// A name stands where other records have a turn: only that may have been wrong.
	var ref struct {
		turnRef
		Time time.Time `json:"time"`
	}
	if err := json.Unmarshal(line, &ref); err != nil {
		return r, err
	}
	return record{Type: r.Type, Time: ref.Time, Ref: &ref.turnRef}, nil
}

// head is the first record of a conversation's file.
func head(c *Conversation) record {
	return record{Type: "conversation", Schema: schema, ID: c.ID, Time: c.Started, Continues: c.Continues, Pinned: c.Pinned}
}

// loaded is a conversation as its file was read.
type loaded struct {
	*Conversation
	version  version // of the file as it was read
	warnings []string
}

// load reads a conversation. Lines that cannot be parsed are copied to a file of their own
// beside it and named, once, in the warnings; the rest loads.
func (s store) load(id string) (loaded, error) {
	data, v, err := s.read(id)
	if err == nil && lastLineCut(data) {
		// Either a crash tore the last line, or another process is appending it just now.
		time.Sleep(appendTakes)
		data, v, err = s.read(id)
	}
	if err != nil {
		return loaded{}, err
	}
	c, bad := parse(id, data)
	for _, n := range c.tree.nodes {
		for _, m := range n.turn.Messages {
			for i, a := range m.Artifacts {
				m.Artifacts[i].File = artifact.NewStore(s.root).File(id, a)
			}
		}
	}
	l := loaded{Conversation: c, version: v}
	switch {
	case c.later:
		l.warnings = []string{fmt.Sprintf("conversation %s was %s: it is left unchanged, and your next message begins another one", id, writtenLater)}
	case len(bad) > 0:
		l.warnings = s.setAside(id, bad)
	}
	return l, nil
}

// appendTakes is longer than the one write call of an append.
const appendTakes = 2 * time.Millisecond

// maxConversation bounds what is read of a conversation's file, in bytes: a model's window holds a few
// megabytes.
const maxConversation = 128 << 20

// read returns what a conversation's file holds, and its version: an older one where somebody
// appended meanwhile, so that the next reader notices.
func (s store) read(id string) ([]byte, version, error) {
	v, err := s.stat(id)
	if err != nil {
		return nil, v, err
	}
	data, err := statefile.Read(s.root, file(id), maxConversation)
	return data, v, err
}

// stat is the version of a conversation's file; fs.ErrNotExist where there is none.
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

// has reports whether no new conversation can have this id.
func (s store) has(id string) bool {
	_, err := s.stat(id)
	return !errors.Is(err, fs.ErrNotExist)
}

// writtenLater is what is said of a file that is not ours to change.
const writtenLater = "written by a later version of chatvault"

// lastLineCut says whether the last line was not written to its end.
func lastLineCut(data []byte) bool {
	last := data[bytes.LastIndexByte(data, '\n')+1:]
	return len(last) > 0 && !json.Valid(last)
}

// parse is what a conversation's file says, and the lines that say nothing.
func parse(id string, data []byte) (c *Conversation, bad [][]byte) {
	c = &Conversation{ID: id}
	over := false
	for line := range bytes.SplitSeq(data, []byte{'\n'}) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		r, err := decode(line)
		if r.Type == "conversation" && r.Schema > schema {
			c.later = true // its lines may mean something else, and are not to be added to
		}
		if (err != nil || !c.apply(r)) && !c.later {
			bad = append(bad, line)
		}
		over = over || err == nil && r.Type == "ended"
	}
	c.damaged = len(bad) > 0
	if c.Started.IsZero() && len(c.tree.nodes) > 0 {
		c.Started = c.tree.nodes[0].turn.Started
	}
	if c.Started.IsZero() && len(id) > len(statefile.IDTime) {
		c.Started, _ = time.Parse(statefile.IDTime, id[:len(statefile.IDTime)]) // the zero time where it is no time
	}
	if over && c.Ended.IsZero() { // ended is ended, whenever it was
		if c.Ended = c.Last(); c.Ended.IsZero() {
			c.Ended = time.Unix(0, 0).UTC()
		}
	}
	return c, bad
}

// aside is where lines of a conversation's file are that cannot be read.
func aside(id string) string { return folder + "/" + id + ".corrupt-lines" }

// setAside copies bad lines to a file beside the conversation's and tells so, once.
func (s store) setAside(id string, bad [][]byte) []string {
	aside := aside(id)
	data := append(bytes.Join(bad, []byte{'\n'}), '\n')
	if old, err := statefile.Read(s.root, aside, maxConversation); err == nil && bytes.Equal(old, data) {
		return nil
	}
	n := fmt.Sprintf("%s of conversation %s cannot be read", text.Count(len(bad), "line"), id)
	if err := atomicfile.WriteFile(s.root, aside, data, 0o600); err != nil {
		return []string{fmt.Sprintf("%s and could not be set aside: %v", n, err)}
	}
	return []string{fmt.Sprintf("%s and was set aside in %s; the rest is intact", n, filepath.Join(s.root.Name(), aside))}
}

// apply adds a record; false when it makes no sense.
func (c *Conversation) apply(r record) bool {
	switch r.Type {
	case "conversation":
		c.Started, c.Continues, c.Pinned = r.Time, r.Continues, r.Pinned
	case "pinned":
		c.Pinned = true
	case "turn":
		if r.Turn == nil || r.Turn.ID == "" {
			return false
		}
		c.grow()
		c.tree.add(*r.Turn)
		c.Turns = append(c.Turns, *r.Turn)
	case "head":
		to := c.tree.find(r.Ref.Turn, r.Ref.Nth)
		if to > 0 || r.Ref.Turn == "" { // else its line could not be read: better no move than a wrong one
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
	case "shortened":
		c.Shortened = r.Shortened
	case "ended":
		c.Ended, c.Reason = r.Time, r.Reason
	case "title":
		if r.Title != "" {
			c.Title = r.Title
		}
		if r.Summary != "" {
			c.Summary = r.Summary
		}
	default:
		return r.Schema > schema // a later version's record is not ours to judge
	}
	return true
}

// What is read, changed and written in a moment is kept apart between processes by a lock. A
// turn that is to be recorded does not depend on it: it is one appended record, whole as such.
const (
	lockFile = "conversations.lock"
	lockWait = 2 * time.Second
	lockPoll = 2 * time.Millisecond
)

// errBusy says that another process held the lock all the time.
var errBusy = errors.New("another chatvault is busy with the conversations; close it, or try again")

// lock takes the lock of the conversations and returns what releases it. Only errBusy is an
// error: where a file system has no locks, or the folder cannot be written, nothing is gained by
// refusing, and what is done next tells what is wrong.
func (s store) lock() (release func(), err error) {
	free := func() {}
	l, err := statefile.NewLock(s.root, lockFile)
	if statefile.Foreign(err) {
		return free, err
	} else if err != nil {
		return free, nil // what is done next tells what is wrong
	}
	ctx, cancel := context.WithTimeout(context.Background(), lockWait)
	defer cancel()
	switch ok, err := l.TryLockContext(ctx, lockPoll); {
	case ok:
		return func() { _ = l.Unlock() }, nil
	case errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded):
		return free, errBusy
	}
	return free, nil
}
