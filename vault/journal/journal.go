// Package journal keeps what was changed in a vault, turn by turn, so that it can be shown and
// taken back. It promises that before a change happens its record and the bytes it replaces are
// on disk, and that a change whose end nobody recorded can be told from one that ended.
//
// On disk, below .smarthole/journal: turns/ID.jsonl, one file a turn, records appended with
// fsync; objects/ab/HASH, the bytes that were replaced, once each, by their SHA-256.
package journal

import (
	"encoding/json"
	"time"
)

// Origin says for whom a change is made. Turn is the id under which everything that belongs
// together is taken back together; without it each change is a turn of its own.
type Origin struct {
	Turn         string // a message's id, or one made for a single tool call
	Source       string // "chat", "ask", "tool", "undo", "redo"
	Title        string // the first words of what was asked for
	Conversation string
	Call         string          // id of the tool call
	Tool         string          // its name
	Arguments    json.RawMessage // its arguments
	Undoes       string          // "undo", "redo": the turn that is taken back
}

// Turn is what was changed for one message or tool call.
type Turn struct {
	Origin  // of its first change; Call, Tool and Arguments are the changes'
	Began   time.Time
	Ended   time.Time // zero: it was cut, or still runs
	Changes []Change  // in order
	Undone  bool      // all of it was taken back, and not restored since
}

// Change is one change of the vault.
type Change struct {
	Seq       int // from 1, in its turn
	Time      time.Time
	Call      string
	Tool      string
	Arguments json.RawMessage
	Op        string // as vault.Change.Op
	Path      string
	NewPath   string   // move: where to; delete: where it went
	Folders   []string // that were made for it
	Files     []File   // every file whose bytes or place it changes, by Path
	State     State
	Reason    string // why it failed
	Undone    bool
}

// File is a file that a change wrote, moved or took away.
type File struct {
	Path    string
	NewPath string // after the change; "": it is gone, or the same where After is set
	Before  string // hash of its bytes before; "": it was not there
	After   string // hash of its bytes after; "": it is not there any more
	Mode    uint32 // permission bits before
	Size    int64  // before
	Kept    bool   // the bytes before are kept in objects/
	Links   int    // links rewritten in it
}

// State is how far a change came.
type State string

// The states of a change.
const (
	Planned State = "planned" // nobody recorded its end: it was cut, or runs
	Done    State = "done"
	Failed  State = "failed" // nothing of it stayed
)

// Journal is a vault's journal.
type Journal struct{}
