// Package journal keeps what was changed in a vault, turn by turn, so that it can be shown and
// taken back. It promises that before a change happens its record and the bytes it replaces are
// on disk, and that a change whose end nobody recorded can be told from one that ended. It knows
// no vault: whoever changes something says what, holds the lock under which changes happen one at
// a time, and reads what became of a change that was cut.
//
// On disk, below journal/ in the vault's state folder: pending.json, the change that is under way, empty between
// changes; turns/ID.jsonl, one file a turn, each record of what happened appended with fsync;
// objects/ab/HASH, bytes by their SHA-256, once each, and objects/packs/HASH.pack, those of a
// change of many files together. Everything can be read by its owner alone. What makes no sense
// is set aside as *.corrupt-*.
package journal

import (
	"encoding/json"
	"time"
)

// SourceOwn is the source of changes that the program makes by itself: undoing the last turn passes them over.
const SourceOwn = "chatvault"

// Origin says for whom a change is made. Turn is the id under which everything that belongs
// together is taken back together; without it each change is a turn of its own.
type Origin struct {
	Turn         string          `json:"turn"`            // a message's id, or one made for a single tool call
	Source       string          `json:"source"`          // "chat", "ask", "tool", "mcp", "undo", "redo", "chatvault"
	Title        string          `json:"title,omitempty"` // the first words of what was asked for
	Conversation string          `json:"conversation,omitempty"`
	Call         string          `json:"call,omitempty"`      // id of the tool call
	Tool         string          `json:"tool,omitempty"`      // its name
	Arguments    json.RawMessage `json:"arguments,omitempty"` // its arguments
	Undoes       string          `json:"undoes,omitempty"`    // "undo", "redo": the turn that is taken back
}

// Turn is what was changed for one message or tool call.
type Turn struct {
	Origin            // of its first change; Call, Tool and Arguments are the changes'
	Began   time.Time `json:"began"`
	Ended   time.Time `json:"ended,omitzero"`    // zero: it was cut, or still runs
	Running bool      `json:"running,omitempty"` // the process that works on it lives
	Changes []Change  `json:"changes"`           // in order
	Undone  bool      `json:"undone,omitempty"`  // all of it was taken back, and not restored since
	Partly  bool      `json:"partly,omitempty"`  // some of it was
}

// Cut says whether the process ended in the middle of the turn.
func (t *Turn) Cut() bool { return t.Ended.IsZero() && !t.Running }

// Last is the time of its last change.
func (t *Turn) Last() time.Time {
	if n := len(t.Changes); n > 0 {
		return t.Changes[n-1].Time
	}
	return t.Began
}

// Change is one change of the vault.
//
// Op is "create", "overwrite", "move", "delete" or "mkdir" for what tools do; "remove" (a file
// that was created goes, without the trash), "restore" (what was deleted or removed comes back) and
// "rmdir" are what undo does beside them; "none" takes back what was as before already.
type Change struct {
	Seq       int             `json:"seq"` // from 1, in its turn
	Time      time.Time       `json:"time"`
	Call      string          `json:"call,omitempty"`
	Tool      string          `json:"tool,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"` // what is long in them is cut, and says so
	Op        string          `json:"op"`
	Path      string          `json:"path"`
	NewPath   string          `json:"new_path,omitempty"` // move: where to; delete: where it went
	From      string          `json:"from,omitempty"`     // restore: where a deletion had put it
	Folder    bool            `json:"folder,omitempty"`   // what is moved, deleted or restored is one
	Folders   []string        `json:"folders,omitempty"`  // that are made for it, outermost first
	Gone      []Folder        `json:"gone,omitempty"`     // that are taken away with it, innermost first
	Tree      []Folder        `json:"tree,omitempty"`     // delete, restore: the folders in it, itself first
	Files     []File          `json:"files,omitempty"`    // every file whose bytes or place it changes, by Path
	More      int             `json:"more,omitempty"`     // delete: files that were too many to be listed
	Missing   int             `json:"missing,omitempty"`  // restore: files that were in the folder and did not come back
	Print     string          `json:"print,omitempty"`    // delete: of names, sizes and times of all that is in the folder
	State     State           `json:"state"`
	Reason    string          `json:"reason,omitempty"` // why it failed, or what was found
	Undoes    *Undoes         `json:"undoes,omitempty"` // of an undo: the change that it takes back
	Undone    bool            `json:"undone,omitempty"`
	Partly    bool            `json:"partly,omitempty"`
}

// Undoes names the change of a turn (Origin.Undoes) that another one takes back.
type Undoes struct {
	Seq  int      `json:"seq"`
	Left []string `json:"left,omitempty"` // paths that were left as they were

	Again bool `json:"again,omitempty"` // it had taken another change back itself, which happens again
}

// Folder is a folder with its permission bits.
type Folder struct {
	Path string `json:"path"`
	Mode uint32 `json:"mode"`
}

// File is a file that a change wrote, moved or took away.
type File struct {
	Path    string `json:"path"`
	NewPath string `json:"new_path,omitempty"` // after the change; "": as Path, or gone
	Before  string `json:"before,omitempty"`   // print of its bytes before; "": it was not there
	After   string `json:"after,omitempty"`    // print of its bytes after; "": it is not there any more
	Mode    uint32 `json:"mode,omitempty"`     // permission bits before, or of what is made
	Size    int64  `json:"size"`               // before, in bytes
	NewSize int64  `json:"new_size,omitempty"` // after
	Kept    bool   `json:"kept,omitempty"`     // the bytes before are kept in objects/
	Links   int    `json:"links,omitempty"`    // links rewritten in it

	Modified time.Time `json:"modified,omitzero"` // when it was modified last before, or what is restored was
}

// At is where the file is after the change; "": nowhere.
func (f *File) At() string {
	switch {
	case f.After == "":
		return ""
	case f.NewPath != "":
		return f.NewPath
	}
	return f.Path
}

// State is how far a change came.
type State string

// The states of a change.
const (
	Planned State = "planned" // nobody recorded its end: it was cut, or runs
	Done    State = "done"
	Failed  State = "failed" // nothing of it stayed
	// Unclear: it was cut, and what is there is neither what was nor what was to be.
	Unclear State = "unclear"
)
